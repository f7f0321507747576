import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderChecks } from "../render/inventory.ts";
import { viewOn } from "../render/wrap.ts";
import { exitCodes, printJson, printShown } from "../report.ts";
import { withApp } from "../with-app.ts";

interface DoctorFlags extends CommonOptions {
  readonly fix?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  command
    .description(
      "What this machine offers, what is missing, and the command that mends it. Exits 1 while something is missing that is needed (✗), such as an answer from the model that the settings name. With what only limits it (!), no model in the settings among it, it exits 0.",
    )
    .option("--fix", "mend what can be mended from here")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet doctor", "Look:"], ["gauntlet doctor --fix", "Look and mend:"]))
    .action(async (flags: DoctorFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const checks = await app.doctor({ fix: flags.fix ?? false });
          if (flags.json === true) await printJson(surface, checks);
          else await printShown(surface, renderChecks(checks, viewOn(surface.stdout)));
          return checks.some((check) => check.state === "missing") ? exitCodes.failed : exitCodes.done;
        }),
      ),
    );
}
