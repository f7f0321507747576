import path from "node:path";
import type { Command } from "commander";
import { clip } from "../../../base/text.ts";
import type { App } from "../../../contract/app/app.ts";
import type { PolicyTrial, TriedVerdict } from "../../../contract/app/policy.ts";
import { type Outcome, ok } from "../../../contract/codes.ts";
import type { SessionId } from "../../../contract/ids.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { findRecorded } from "../../find-session.ts";
import { joinShown, lines, type Shown, say, toneOfDecision } from "../../render/shown.ts";
import { counted } from "../../render/table.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printNotice, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { wholeNumber } from "../sessions/amount.ts";

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
    ...(sessions.value === undefined ? {} : { sessions: sessions.value }),
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
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
