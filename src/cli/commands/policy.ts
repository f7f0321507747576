import path from "node:path";
import type { Command } from "commander";
import { clip } from "../../base/text.ts";
import type { App } from "../../contract/app/app.ts";
import type { PolicyCheck, PolicyProblem, PolicyTrial, TriedVerdict } from "../../contract/app/policy.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { findRecorded } from "../find-session.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { joinShown, lines, type Shown, say, toneOfDecision } from "../render/shown.ts";
import { counted } from "../render/table.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { type Ended, exitCodes, printJson, printNotice, printShown } from "../report.ts";
import { type CommandRun, onApp } from "../with-app.ts";
import { wholeNumber } from "./sessions/amount.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Check a policy before you use it, and try it on recorded calls. No tool is run.");
  declareCheck(command.command("check"), context);
  declareTry(command.command("try"), context);
}

interface CheckFlags extends CommonOptions {
  readonly project?: boolean;
}

function declareCheck(command: Command, context: CommandContext): void {
  command
    .summary("check a policy file")
    .description(
      "Check a settings or policy file: unknown keys and values; rules that are invalid, unreachable, without effect, " +
        "too broad, contradictory or expired; examples that do not match; hooks that cannot run.\n" +
        "Exits 0 without errors, 1 with errors, 2 if the file cannot be read.",
    )
    .argument("<file>", "the settings or policy file")
    .option("--project", "apply the limits of a project file: a rule that is too broad is an error")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet policy check /etc/gauntlet/policy.json", "Before a rollout:"],
        ["gauntlet policy check .gauntlet/settings.json --project --json", "In a pipeline, for a repository:"],
      ),
    )
    .action(
      onApp(context, async ({ app, surface, show }, file: string, { project = false }: CheckFlags) => {
        const checked = await app.policy.check(path.resolve(surface.cwd, file), { project });
        if (!checked.ok) return checked;
        await show(checked, renderCheck);
        return checked.value.ok ? exitCodes.done : exitCodes.failed;
      }),
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

interface PolicyTryFlags extends CommonOptions {
  readonly sessions?: readonly string[];
  readonly limit?: number;
  readonly all?: boolean;
}

function declareTry(command: Command, context: CommandContext): void {
  command
    .summary("compare a policy with recorded verdicts")
    .description(
      "Judge recorded calls again with this policy in place of your own settings, and list the verdicts that would " +
        "change. Managed policy and project files still apply, hooks are skipped, and nothing runs: calls of MCP servers " +
        "are judged by what was recorded. A verdict that differs for another reason is marked. With --json: one line " +
        "for each change, then a summary line.",
    )
    .argument("<file>", "the policy to try")
    .option("--sessions <ids...>", "only these sessions (id, start of the id, or latest)")
    .option("--limit <n>", "only this many of the latest sessions", wholeNumber)
    .option("--all", "also list the verdicts that would not change")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet policy try stricter.json", "Try it on all recorded sessions:"],
        ["gauntlet policy try stricter.json --sessions latest --all", "List every verdict of the last session:"],
      ),
    )
    .action(onApp(context, (run, file: string, flags: PolicyTryFlags) => tryPolicy(run, file, flags)));
}

async function tryPolicy({ app, surface, json }: CommandRun, file: string, flags: PolicyTryFlags): Promise<Ended> {
  const sessions = sessionsOf(app, flags.sessions);
  if (!sessions.ok) return sessions;
  const range = { sessions: sessions.value, limit: flags.limit };
  const trials = app.policy.try(path.resolve(surface.cwd, file), range);
  if (!trials.ok) return trials;
  const view = viewOn(surface.stdout);
  const summary = { judged: 0, changed: 0, toAllow: 0, toAsk: 0, toDeny: 0, otherwise: 0, unreadable: 0 };
  for await (const trial of trials.value) {
    if ("problem" in trial) {
      summary.unreadable += 1;
      await printNotice(surface, say`${view.paint("warning", "not read:")} ${trial.session}: ${trial.problem}`);
      continue;
    }
    summary.judged += 1;
    if (trial.otherwise !== undefined) summary.otherwise += 1;
    else if (trial.changed) {
      summary.changed += 1;
      summary[toward[trial.after.decision]] += 1;
    }
    if (!trial.changed && flags.all !== true) continue;
    if (json) await printJson(surface, trial);
    else await printShown(surface, renderTrial(trial, view));
  }
  if (json) await printJson(surface, { summary });
  else await printShown(surface, renderSummary(summary));
  await printNotice(surface, view.paint("quiet", "Hooks were skipped. Nothing was run."));
  return summary.unreadable === 0 ? exitCodes.done : exitCodes.failed;
}

const toward = { allow: "toAllow", ask: "toAsk", deny: "toDeny" } as const;

function sessionsOf(app: App, references: readonly string[] | undefined): Outcome<readonly SessionId[] | undefined> {
  if (references === undefined) return ok(undefined);
  const archive = app.archive();
  if (!archive.ok) return archive;
  const found: SessionId[] = [];
  for (const reference of references) {
    const session = findRecorded(archive.value, reference, app);
    if (!session.ok) return session;
    const known = archive.value.events(session.value, { limit: 1 });
    if (!known.ok) return known;
    found.push(session.value);
  }
  return ok(found);
}

const longestInput = 100;

function renderTrial(trial: PolicyTrial, { paint, line }: View): Shown {
  const { session, seq, tool, input, before, after, otherwise, notes } = trial;
  const told = (verdict: TriedVerdict) => paint(toneOfDecision(verdict.decision), verdict.decision);
  const rule = (verdict: TriedVerdict) => (verdict.rule === undefined ? verdict.source : `rule ${verdict.rule}`);
  const shown = clip(JSON.stringify(input), longestInput);
  const change = joinShown([told(before), told(after)], " → ");
  return lines([
    say`${change}  ${paint("strong", tool)} ${shown}  ${paint("quiet", `${session} #${seq}`)}`,
    line`    was ${rule(before)}: ${before.reason}`,
    line`    now ${rule(after)}: ${after.reason}`,
    otherwise === undefined ? undefined : line`    ${paint("warning", "not because of this policy:")} ${otherwise}`,
    ...notes.map((note) => line`    ${paint("quiet", note)}`),
  ]);
}

function renderSummary(
  summary: Readonly<Record<"judged" | "changed" | "toAllow" | "toAsk" | "toDeny" | "otherwise", number>>,
): Shown {
  const { judged, changed, toAllow, toAsk, toDeny, otherwise } = summary;
  return lines([
    say`${counted(judged, "recorded verdict")} judged again, ${changed} would change: ${toAllow} to allow, ${toAsk} to ask, ${toDeny} to deny.`,
    otherwise === 0 ? undefined : say`${otherwise} more differ, but not because of this policy.`,
  ]);
}
