import type { Command } from "commander";
import type { App } from "../../../contract/app/app.ts";
import type { Archive } from "../../../contract/app/archive.ts";
import type { SessionSummary } from "../../../contract/store.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { byAge, isEmpty } from "../../find-session.ts";
import { taskText } from "../../render/session.ts";
import { painter } from "../../render/shown.ts";
import { bytesText, type Column, counted, dateText, oneLine, renderTable } from "../../render/table.ts";
import { printJson, printNotice, printShown } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withArchive } from "../../with-app.ts";
import { wholeNumber } from "./amount.ts";

type SessionColumn = Column<SessionSummary>;

const facts: readonly SessionColumn[] = [
  { title: "SESSION", text: (session) => session.id, tone: () => "strong" },
  { title: "LAST", text: (session) => dateText(session.updatedAt) },
  { title: "STATUS", spare: true, text: (session) => session.status },
  { title: "INTENTS", align: "right", spare: true, text: (session) => String(session.intents) },
  { title: "CHANGED", align: "right", spare: true, text: ({ changed }) => (changed === 0 ? "" : String(changed)) },
  { title: "EVENTS", align: "right", spare: true, text: (session) => String(session.events) },
  { title: "SIZE", align: "right", spare: true, text: (session) => bytesText(session.bytes) },
];

const longestTask = 48;

const ofThisDirectory: readonly SessionColumn[] = [...facts, { title: "TASK", text: taskText }];
const ofAllDirectories: readonly SessionColumn[] = [
  ...facts,
  { title: "TASK", text: (session) => oneLine(taskText(session), longestTask) },
  { title: "WORKSPACE", text: (session) => session.workspace },
];

const usualLimit = 20;

interface ListFlags extends CommonOptions {
  readonly limit?: number;
  readonly all?: boolean;
}

export function declareSessionsList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("the latest sessions of this directory, the latest last")
    .description(
      "The latest sessions of this directory with what they were about and how many files their calls changed, the latest last. Sessions in which nothing happened are left out. With --json all sessions of all directories, unless --limit says fewer.",
    )
    .option("--all", "also those of other directories and those in which nothing happened, the latest of them")
    .option("--limit <n>", "at most this many, the latest; 20 without --json", wholeNumber)
    .option(...jsonOption)
    .option(...cwdOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions list --all", "Wherever they were:"],
        ["gauntlet sessions list --json", "For a program:"],
      ),
    )
    .action(async (flags: ListFlags) =>
      end(await withArchive(surface, flags, (archive, app) => list(surface, flags, { archive, app }))),
    );
}

async function list(
  surface: Surface,
  flags: ListFlags,
  { archive, app }: { readonly archive: Archive; readonly app: App },
): Promise<ExitCode> {
  const known = archive.list().toSorted(byAge);
  if (flags.json === true) {
    await printJson(surface, known.slice(-(flags.limit ?? known.length)));
    return exitCodes.done;
  }
  const ofHere = flags.all === true ? known : known.filter(({ workspace }) => workspace === app.workspace);
  const here = flags.all === true ? known : ofHere.filter((session) => !isEmpty(session));
  const sessions = here.slice(-(flags.limit ?? usualLimit));
  const columns = flags.all === true ? ofAllDirectories : ofThisDirectory;
  if (sessions.length > 0) await printShown(surface, renderTable(sessions, columns, surface.stdout));
  const earlier = here.length - sessions.length;
  const empty = ofHere.length - here.length;
  const elsewhere = known.length - ofHere.length;
  const hints = [
    ...(earlier > 0 ? [`${counted(earlier, "earlier session")} not shown; --limit ${here.length} shows all`] : []),
    ...(ofHere.length === 0 ? ["no session of this directory yet"] : []),
    ...(empty > 0 ? [`${counted(empty, "session")} without a task or a call left out; --all shows them`] : []),
    ...(elsewhere > 0 ? [`${counted(elsewhere, "session")} of other directories; --all shows them`] : []),
  ];
  const paint = painter(surface.stderr);
  for (const hint of hints) await printNotice(surface, paint("quiet", hint));
  return exitCodes.done;
}
