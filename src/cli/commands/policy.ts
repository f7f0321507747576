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
import { type ExitCode, exitCodes, printJson, printNotice, printShown, reportFailure } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";
import { wholeNumber } from "./sessions/amount.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Check a policy before it is used, and try it on what has happened. Nothing here runs a tool.");
  declarePolicyCheck(command.command("check"), context);
  declarePolicyTry(command.command("try"), context);
}

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

interface TryFlags extends CommonOptions {
  readonly sessions?: readonly string[];
  readonly limit?: number;
  readonly all?: boolean;
}

export function declarePolicyTry(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("which recorded verdicts a policy would change")
    .description(
      "Judge recorded calls again by this policy in the place of your own settings, and list the verdicts that would " +
        "change. Managed policy and the projects' files stay, hooks are skipped, and nothing runs: calls of MCP servers " +
        "are judged from what was recorded of them. A verdict that came out otherwise for another reason than this " +
        "policy is listed as such. With --json one line for each change and a summary as the last line.",
    )
    .argument("<file>", "the policy to try")
    .option("--sessions <ids...>", "only these sessions (id, its beginning, or latest)")
    .option("--limit <n>", "only the latest so many sessions", wholeNumber)
    .option("--all", "list the verdicts that stay as well")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet policy try stricter.json", "On everything that is recorded:"],
        ["gauntlet policy try stricter.json --sessions latest --all", "On the last session, verdict by verdict:"],
      ),
    )
    .action(async (file: string, flags: TryFlags) =>
      end(await withApp(surface, flags, (app) => runTry(surface, app, path.resolve(surface.cwd, file), flags))),
    );
}

async function runTry(surface: Surface, app: App, file: string, flags: TryFlags): Promise<ExitCode> {
  const json = flags.json ?? false;
  const sessions = sessionsOf(app, flags.sessions);
  if (!sessions.ok) return reportFailure(surface, sessions.failure, { json });
  const trials = app.policy.try(file, {
    sessions: sessions.value,
    limit: flags.limit,
  });
  if (!trials.ok) return reportFailure(surface, trials.failure, { json });
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
  await printNotice(surface, view.paint("quiet", "Hooks were skipped, and nothing ran."));
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

function renderTrial(trial: PolicyTrial, { paint, wrap }: View): Shown {
  const { session, seq, tool, input, before, after, otherwise, notes } = trial;
  const told = (verdict: TriedVerdict) => paint(toneOfDecision(verdict.decision), verdict.decision);
  const rule = (verdict: TriedVerdict) => (verdict.rule === undefined ? verdict.source : `rule ${verdict.rule}`);
  const shown = clip(JSON.stringify(input), longestInput);
  const change = joinShown([told(before), told(after)], " → ");
  return lines([
    say`${change}  ${paint("strong", tool)} ${shown}  ${paint("quiet", `${session} #${seq}`)}`,
    wrap(say`    was ${rule(before)}: ${before.reason}`),
    wrap(say`    now ${rule(after)}: ${after.reason}`),
    ...(otherwise === undefined
      ? []
      : [wrap(say`    ${paint("warning", "not because of this policy:")} ${otherwise}`)]),
    ...notes.map((note) => wrap(say`    ${paint("quiet", note)}`)),
  ]);
}

function renderSummary(
  summary: Readonly<Record<"judged" | "changed" | "toAllow" | "toAsk" | "toDeny" | "otherwise", number>>,
): Shown {
  const { judged, changed, toAllow, toAsk, toDeny, otherwise } = summary;
  return lines([
    say`${counted(judged, "recorded verdict")} judged again, ${changed} would change: ${toAllow} to allow, ${toAsk} to ask, ${toDeny} to deny.`,
    ...(otherwise === 0 ? [] : [say`${otherwise} more came out otherwise, and not because of this policy.`]),
  ]);
}
