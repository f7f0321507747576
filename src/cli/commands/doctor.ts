import type { Command } from "commander";
import type { DoctorCheck } from "../../contract/app.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { below, lines, type Shown, say, type Tone } from "../render/shown.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { printJson, printShown } from "../report.ts";
import { withApp } from "../with-app.ts";

interface DoctorFlags extends CommonOptions {
  readonly fix?: boolean;
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  command
    .description(
      "What this machine offers, what is missing, and the command that mends it. Exits 1 while something is missing that is needed (✗). With what only limits it (!), a model that is not set up among it, it exits 0.",
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

const marks: Readonly<Record<DoctorCheck["state"], readonly [Tone, string]>> = {
  ok: ["good", "✓"],
  absent: ["quiet", "-"],
  warning: ["warning", "!"],
  missing: ["bad", "✗"],
};

function renderChecks(checks: readonly DoctorCheck[], { paint, wrap }: View): Shown {
  const width = Math.max(0, ...checks.map((check) => check.name.length));
  return lines(
    checks.flatMap((check) => [
      ...below(
        say`${paint(...marks[check.state])} ${paint("strong", check.name.padEnd(width))}  `,
        check.detail,
        width + 4,
      ).map(wrap),
      ...(check.fix === undefined ? [] : [say`  ${" ".repeat(width)}  ${paint("quiet", "mend it:")} ${check.fix}`]),
    ]),
  );
}
