import type { Command } from "commander";
import type { Archive } from "../../../contract/app/archive.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { sessionArgument } from "../../find-session.ts";
import { renderCall, renderState, renderSummary } from "../../render/session.ts";
import { lines } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withSession } from "../../with-app.ts";

export function declareSessionsShow(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("one session: its calls and where it stands")
    .description("One session: a line for each call, and where it stands after the last event.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions show ses_…", "What happened:"]))
    .action(async (session: string, flags: CommonOptions) =>
      end(await withSession(surface, { ...flags, session }, (id, archive) => showSession(surface, archive, id, flags))),
    );
}

async function showSession(surface: Surface, archive: Archive, id: string, flags: CommonOptions): Promise<ExitCode> {
  const json = flags.json ?? false;
  const replay = archive.replay(id);
  if (!replay.ok) return reportFailure(surface, replay.failure, { json });
  const summary = archive.list().find((session) => session.id === id);
  const { state } = replay.value;
  if (json) {
    await printJson(surface, { summary, state });
    return exitCodes.done;
  }
  const calls = archive.events(id, { types: ["tool_intent.proposed", "tool.observed"] });
  if (!calls.ok) return reportFailure(surface, calls.failure, { json });
  const view = viewOn(surface.stdout);
  if (summary !== undefined) await printShown(surface, renderSummary(summary, view));
  const open = new Map<string, unknown>();
  const clients = new Set<string>();
  for (const event of calls.value) {
    if (event.type === "tool_intent.proposed") {
      open.set(event.data.intentId, event.data.input);
      const { client } = event.data.origin;
      if (client !== undefined) clients.add(client);
    }
    if (event.type !== "tool.observed") continue;
    const { intentId, observation } = event.data;
    await printShown(surface, lines([renderCall(event.at, observation, view.paint, open.get(intentId))]));
    open.delete(intentId);
  }
  await printShown(surface, renderState(state, [...clients], view));
  return exitCodes.done;
}
