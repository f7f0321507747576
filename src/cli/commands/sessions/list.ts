import type { Command } from "commander";
import type { SessionSummary } from "../../../contract/store.ts";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { byAge } from "../../find-session.ts";
import { painter } from "../../render/shown.ts";
import { bytesText, type Column, counted, dateText, renderTable } from "../../render/table.ts";
import { printJson, printNotice, printShown } from "../../report.ts";
import { withArchive } from "../../with-app.ts";
import { wholeNumber } from "./amount.ts";

const columns: readonly Column<SessionSummary>[] = [
  { title: "SESSION", text: (session) => session.id, tone: () => "strong" },
  { title: "LAST", text: (session) => dateText(session.updatedAt) },
  { title: "STATUS", spare: true, text: (session) => session.status },
  { title: "INTENTS", align: "right", text: (session) => String(session.intents) },
  { title: "EVENTS", align: "right", spare: true, text: (session) => String(session.events) },
  { title: "SIZE", align: "right", spare: true, text: (session) => bytesText(session.bytes) },
  { title: "WORKSPACE", text: (session) => session.workspace },
];

const usualLimit = 20;

interface ListFlags extends CommonOptions {
  readonly limit?: number;
}

export function declareSessionsList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("the latest sessions, the latest last")
    .description("The latest sessions of the store, the latest last. All of them with --json.")
    .option("--limit <n>", "at most this many; 20 when people read it", wholeNumber)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions list --json", "For a program:"]))
    .action(async (flags: ListFlags) =>
      end(
        await withArchive(surface, flags, async (archive) => {
          const all = archive.list().toSorted(byAge);
          const limit = flags.limit ?? (flags.json === true ? all.length : usualLimit);
          const sessions = all.slice(Math.max(0, all.length - limit));
          const earlier = all.length - sessions.length;
          if (flags.json === true) await printJson(surface, sessions);
          else {
            await printShown(surface, renderTable(sessions, columns, surface.stdout));
            if (earlier > 0) {
              const hint = `${counted(earlier, "earlier session")} not shown; --limit ${all.length} shows all`;
              await printNotice(surface, painter(surface.stderr)("quiet", hint));
            }
          }
          return exitCodes.done;
        }),
      ),
    );
}
