import path from "node:path";
import type { Command } from "commander";
import type { PolicyCheck, PolicyProblem } from "../../../contract/app/policy.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, type Shown, say } from "../../render/shown.ts";
import { counted } from "../../render/table.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withApp } from "../../with-app.ts";

interface CheckFlags extends CommonOptions {
  readonly project?: boolean;
}

export function declarePolicyCheck(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("what is wrong with a policy file, and where")
    .description(
      "What is wrong with a settings or policy file: keys and values that are not understood, rules that are broken, " +
        "dead, without effect, too broad, contradictory or expired, examples that do not hold, hooks that cannot be used.\n" +
        "Exits 0 without errors, 1 with errors, 2 when the file cannot be read.",
    )
    .argument("<file>", "the settings or policy file")
    .option("--project", "hold it to what a repository may say: what is too broad is an error there")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet policy check /etc/gauntlet/policy.json", "Before it is rolled out:"],
        ["gauntlet policy check .gauntlet/settings.json --project --json", "In a pipeline, for a repository:"],
      ),
    )
    .action(async (file: string, flags: CheckFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const checked = await app.policy.check(path.resolve(surface.cwd, file), { project: flags.project ?? false });
          if (!checked.ok) return reportFailure(surface, checked.failure, { json: flags.json ?? false });
          if (flags.json === true) await printJson(surface, checked.value);
          else await printShown(surface, renderCheck(checked.value, viewOn(surface.stdout)));
          return checked.value.ok ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}

function renderCheck({ file, ok, rules, problems }: PolicyCheck, view: View): Shown {
  const { paint, wrap } = view;
  const count = (level: PolicyProblem["level"]) => problems.filter((problem) => problem.level === level).length;
  const found = `${counted(rules, "rule")}, ${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}`;
  return lines([
    ...problems.map((problem) => wrap(renderProblem(file, problem, view))),
    say`${paint(ok ? "good" : "bad", ok ? "✓" : "✗")} ${file}: ${found}`,
  ]);
}

function renderProblem(file: string, problem: PolicyProblem, { paint }: View): Shown {
  const { level, message, line, column, field, rule, action } = problem;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const what = rule === undefined ? (field ?? "") : action === undefined ? rule : `${action} ${rule}`;
  const tone = level === "error" ? "bad" : "warning";
  return say`${place}: ${paint(tone, `${level}:`)} ${what === "" ? "" : `${what}: `}${message}`;
}
