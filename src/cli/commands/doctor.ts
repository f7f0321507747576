import type { Command } from "commander";
import { ok } from "../../contract/codes.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderChecks } from "../render/inventory.ts";
import { exitCodes } from "../report.ts";
import { onApp } from "../with-app.ts";

interface DoctorFlags extends CommonOptions {
  readonly fix?: boolean;
}

export function declare(command: Command, context: CommandContext): void {
  command
    .description(
      "Check this machine: what works, what is missing, and the command that fixes it. Exits 1 if a required part is missing (✗), for example if the configured model does not answer. Exits 0 if a part only limits Gauntlet (!), for example if no model is configured.",
    )
    .option("--fix", "fix what can be fixed automatically")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet doctor", "Check:"], ["gauntlet doctor --fix", "Check and fix:"]))
    .action(
      onApp(context, async ({ app, show }, { fix = false }: DoctorFlags) => {
        const checks = await app.doctor({ fix });
        await show(ok(checks), renderChecks);
        return checks.some(({ state }) => state === "missing") ? exitCodes.failed : exitCodes.done;
      }),
    );
}
