import { type Command, Option } from "commander";
import { type ReplayEntry, type ReplayView, replayViews } from "../../../contract/app/archive.ts";
import { checkChain, endsWithOne } from "../../broken-chain.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import type { ExitCode } from "../../exit-code.ts";
import { findRecorded, sessionArgument } from "../../find-session.ts";
import { renderReplayEntry } from "../../render/replay.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withArchive } from "../../with-app.ts";

interface ReplayFlags extends CommonOptions {
  readonly view: ReplayView;
  readonly step?: boolean;
  readonly turn?: string;
}

export function declareSessionsReplay(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("step through what happened, from the log alone")
    .description(
      "Step through what happened, from the log alone: the conversation, the exact input of a model, or how each " +
        `observation came about. Runs nothing and touches nothing. JSON lines with --json, one an entry. ${endsWithOne}`,
    )
    .argument("<session>", sessionArgument)
    .addOption(new Option("--view <view>", "what to look at").choices(replayViews).default("conversation"))
    .option("--turn <id>", "only this turn")
    .option("--step", "wait for Enter after each entry, on a terminal")
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions replay latest --step", "Step by step:"],
        ["gauntlet sessions replay latest --view input --turn turn_…", "Exactly what the model was sent:"],
        ["gauntlet sessions replay ses_… --view audit", "Every call with its reasons:"],
      ),
    )
    .action(async (session: string, flags: ReplayFlags) => end(await replay(surface, session, flags)));
}

function replay(surface: Surface, session: string, flags: ReplayFlags): Promise<ExitCode> {
  const json = flags.json ?? false;
  return withArchive(surface, flags, async (archive, app) => {
    const found = findRecorded(archive, session, app);
    if (!found.ok) return reportFailure(surface, found.failure, { json });
    const { view, turn } = flags;
    const entries = app.replay(found.value, { view, ...(turn === undefined ? {} : { turn }) });
    if (!entries.ok) return reportFailure(surface, entries.failure, { json });
    const code = await checkChain(surface, archive, found.value);
    const waits = flags.step === true && !json;
    let shown = 0;
    for (const entry of entries.value) {
      if (!entry.ok) return reportFailure(surface, entry.failure, { json });
      if (waits && shown > 0 && !(await wantsMore(surface))) return code;
      await show(surface, entry.value, json);
      shown += 1;
    }
    return code;
  });
}

async function show(surface: Surface, entry: ReplayEntry, json: boolean): Promise<void> {
  if (json) await printJson(surface, entry);
  else await printShown(surface, renderReplayEntry(entry, viewOn(surface.stdout)));
}

/** Without a person at the terminal everything is printed. */
async function wantsMore({ question }: Surface): Promise<boolean> {
  if (question === undefined) return true;
  const answer = await question("── Enter goes on, q ends ── ", new AbortController().signal);
  return answer !== undefined && answer.trim().toLowerCase() !== "q";
}
