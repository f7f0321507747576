import type { Command } from "commander";
import type { SessionSummary } from "../../../contract/store.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { painter } from "../../render/shown.ts";
import { bytesText, type Column, dateText, renderTable } from "../../render/table.ts";
import { printJson, printShown } from "../../report.ts";
import { withArchive } from "../../with-app.ts";

const columns: readonly Column<SessionSummary>[] = [
  { title: "SESSION", text: (session) => session.id, tone: () => "strong" },
  { title: "LAST", text: (session) => dateText(session.updatedAt) },
  { title: "STATUS", text: (session) => session.status },
  { title: "INTENTS", align: "right", text: (session) => String(session.intents) },
  { title: "EVENTS", align: "right", text: (session) => String(session.events) },
  { title: "SIZE", align: "right", text: (session) => bytesText(session.bytes) },
  { title: "WORKSPACE", text: (session) => session.workspace },
];

export function declareSessionsList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("all sessions, the latest last")
    .description("All sessions of the store, the latest last.")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions list --json", "For a program:"]))
    .action(async (flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive) => {
          const sessions = archive.list().toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
          if (flags.json === true) await printJson(surface, sessions);
          else await printShown(surface, renderTable(sessions, columns, painter(surface.stdout)));
          return exitCodes.done;
        }),
      ),
    );
}
