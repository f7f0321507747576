import { type Command, InvalidArgumentError, Option } from "commander";
import { nearest } from "../../base/nearest.ts";
import type { App } from "../../contract/app/app.ts";
import {
  type Archive,
  type PruneReport,
  type ReplayEntry,
  type ReplayView,
  replayViews,
} from "../../contract/app/archive.ts";
import type { Failure } from "../../contract/codes.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { byAge, findRecorded, isEmpty, sessionArgument } from "../find-session.ts";
import { type CommandContext, type CommonOptions, collect, cwdOption, examples, jsonOption } from "../flags.ts";
import { eventTypes, isEventType, renderEvent } from "../render/event.ts";
import { renderCall, renderReplayEntry, renderState, renderSummary, taskText } from "../render/session.ts";
import { lines, painter, type Shown, say } from "../render/shown.ts";
import { bytesText, type Column, counted, dateText, oneLine, renderTable } from "../render/table.ts";
import { renderFork } from "../render/undo.ts";
import { viewOn } from "../render/wrap.ts";
import {
  checkChain,
  type ExitCode,
  endsWithOne,
  exitCodes,
  printJson,
  printNotice,
  printShown,
  reportFailure,
} from "../report.ts";
import type { Surface } from "../surface.ts";
import { withArchive, withSession } from "../with-app.ts";
import { byteAmount, duration, wholeNumber } from "./sessions/amount.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Read and keep the log of past sessions. Nothing here touches a workspace.");
  declareSessionsList(command.command("list"), context);
  declareSessionsShow(command.command("show"), context);
  declareSessionsEvents(command.command("events"), context);
  declareSessionsReplay(command.command("replay"), context);
  declareSessionsFork(command.command("fork"), context);
  declareSessionsExport(command.command("export"), context);
  declareSessionsImport(command.command("import"), context);
  declareSessionsPrune(command.command("prune"), context);
}

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

interface EventsFlags extends CommonOptions {
  readonly from?: number;
  readonly limit?: number;
  readonly type?: readonly string[];
}

export function declareSessionsEvents(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("every fact of a session, in order")
    .description(
      `Every fact of a session, in order: a timeline, or the events as JSON lines with --json. ${endsWithOne}`,
    )
    .argument("<session>", sessionArgument)
    .option("--from <seq>", "start at this event", wholeNumber)
    .option("--limit <n>", "at most this many", wholeNumber)
    .option("--type <type>", "only this type, for example permission.decided; repeatable", collect)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions events ses_… --type permission.decided", "Every decision:"]))
    .action(async (session: string, flags: EventsFlags) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const json = flags.json ?? false;
          const unknown = flags.type?.find((type) => !isEventType(type));
          if (unknown !== undefined) return reportFailure(surface, noSuchType(unknown), { json });
          const events = archive.events(id, {
            from: flags.from,
            limit: flags.limit,
            types: flags.type,
          });
          if (!events.ok) return reportFailure(surface, events.failure, { json });
          const code = await checkChain(surface, archive, id);
          const paint = painter(surface.stdout);
          for (const event of events.value) {
            if (json) await printJson(surface, event);
            else await printShown(surface, lines([renderEvent(event, paint)]));
          }
          return code;
        }),
      ),
    );
}

function noSuchType(type: string): Failure {
  const meant = nearest(type, eventTypes);
  const recovery = meant.length === 0 ? `Types are ${eventTypes.join(", ")}.` : `Did you mean ${meant.join(" or ")}?`;
  return { code: "bad_request", message: `There is no event type ${type}.`, recovery };
}

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
    const entries = app.replay(found.value, { view, turn });
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

async function wantsMore({ question }: Surface): Promise<boolean> {
  if (question === undefined) return true;
  const answer = await question("── Enter goes on, q ends ── ", new AbortController().signal);
  return answer !== undefined && answer.trim().toLowerCase() !== "q";
}

interface ForkFlags extends CommonOptions {
  readonly at?: number | string;
}

export function declareSessionsFork(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("a new session that goes on from a point of this one")
    .description(
      "A new session that goes on from a point of this one, which is not touched. Files are not rewound, and what a " +
        "person agreed to for the other session is not agreed to here.",
    )
    .argument("<session>", sessionArgument)
    .option("--at <event>", "the last event that comes along, by number or id; the latest when absent", eventName)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions fork latest", "Try something else from here:"],
        ["gauntlet sessions fork ses_… --at 120", "Go on from an earlier point:"],
      ),
    )
    .action(async (session: string, flags: ForkFlags) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const forked = archive.fork(id, flags.at);
          if (!forked.ok) return reportFailure(surface, forked.failure, { json: flags.json ?? false });
          if (flags.json === true) await printJson(surface, forked.value);
          else await printShown(surface, renderFork(forked.value, viewOn(surface.stdout)));
          return exitCodes.done;
        }),
      ),
    );
}

function eventName(text: string): number | string {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  if (/^evt_\S+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected the number of an event, or its id.");
}

export function declareSessionsExport(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("a session as JSON lines")
    .description("A session as JSON lines on standard output: a header, every event, every artifact.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions export ses_… > session.jsonl", "Into a file:"]))
    .action(async (session: string, flags: CommonOptions) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const exported = archive.export(id);
          if (!exported.ok) return reportFailure(surface, exported.failure, { json: false });
          for (const line of exported.value) await surface.stdout.write(line.endsWith("\n") ? line : `${line}\n`);
          return exitCodes.done;
        }),
      ),
    );
}

export function declareSessionsImport(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("take in an exported session")
    .description("Take in an exported session. Its chain is checked first; nothing is stored when it does not hold.")
    .argument("[file]", "file that `sessions export` wrote; standard input when absent")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions import session.jsonl", "From a file:"]))
    .action(async (file: string | undefined, flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive) => {
          const json = flags.json ?? false;
          const source = surface.lines(file);
          if (!source.ok) return reportFailure(surface, source.failure, { json });
          const imported = archive.import(source.value);
          if (!imported.ok) return reportFailure(surface, imported.failure, { json });
          if (json) await printJson(surface, { session: imported.value });
          else await printShown(surface, lines([say`${imported.value}`]));
          return exitCodes.done;
        }),
      ),
    );
}

interface PruneFlags extends CommonOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
}

export function declareSessionsPrune(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("remove old sessions of all directories")
    .description(
      "Remove old sessions of all directories, and what only they needed: output of tools, and for a directory without a session the kept contents of its files and its menu. Without a limit of its own it keeps sessions and output below limits.storeBytes of the settings.",
    )
    .option("--older-than <age>", "sessions whose last event is older, for example 30d, 12h", duration)
    .option(
      "--max-size <size>",
      "the oldest ones until sessions and their output are smaller, for example 500MiB",
      byteAmount,
    )
    .option("--dry-run", "say what would go and remove nothing")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions prune --older-than 30d --dry-run", "What would go:"]))
    .action(async (flags: PruneFlags) =>
      end(await withArchive(surface, flags, (archive, app) => prune(surface, flags, { archive, app }))),
    );
}

async function prune(
  surface: Surface,
  flags: PruneFlags,
  { archive, app }: { readonly archive: Archive; readonly app: App },
): Promise<ExitCode> {
  const json = flags.json ?? false;
  const settings = app.settings({});
  if (!settings.ok) return reportFailure(surface, settings.failure, { json });
  const limits = limitsOf(flags, settings.value.limits.storeBytes);
  const known = archive.list();
  const pruned = archive.prune({ ...limits, dryRun: flags.dryRun ?? false });
  if (!pruned.ok) return reportFailure(surface, pruned.failure, { json });
  if (json) {
    await printJson(surface, pruned.value);
    return exitCodes.done;
  }
  const removed = known.filter(({ id }) => pruned.value.removed.includes(id)).toSorted(byAge);
  if (removed.length > 0) await printShown(surface, renderTable(removed, columns, surface.stdout));
  const { wrap } = viewOn(surface.stdout);
  const verb = flags.dryRun === true ? "would be removed" : "removed";
  await printShown(
    surface,
    lines([summaryLine(removed, pruned.value, verb), ...whyMore(pruned.value, limits)].map(wrap)),
  );
  return exitCodes.done;
}

interface Limits {
  readonly olderThanMs?: number;
  readonly maxBytes?: number;
}

function limitsOf({ olderThan, maxSize }: PruneFlags, storeBytes: number): Limits {
  if (olderThan === undefined && maxSize === undefined) return { maxBytes: storeBytes };
  return {
    olderThanMs: olderThan,
    maxBytes: maxSize,
  };
}

const columns: readonly Column<SessionSummary>[] = [
  { title: "SESSION", text: ({ id }) => id, tone: () => "strong" },
  { title: "LAST", text: ({ updatedAt }) => dateText(updatedAt) },
  { title: "SIZE", align: "right", spare: true, text: ({ bytes }) => bytesText(bytes) },
  { title: "TASK", text: (session) => oneLine(taskText(session), longestTask) },
  { title: "WORKSPACE", text: ({ workspace }) => workspace },
];

function summaryLine(removed: readonly SessionSummary[], { freedBytes, keptBytes }: PruneReport, verb: string): Shown {
  const directories = new Set(removed.map(({ workspace }) => workspace)).size;
  const of = directories > 1 ? ` of ${directories} directories` : "";
  return say`${counted(removed.length, "session")}${of} ${verb}, ${bytesText(freedBytes)} freed, ${bytesText(keptBytes)} kept`;
}

function whyMore({ keptBytes, spared }: PruneReport, { maxBytes }: Limits): readonly Shown[] {
  if (maxBytes === undefined || keptBytes <= maxBytes) return [];
  const { live, unreadable, workspaceDataBytes, recentBytes } = spared;
  const reasons = [
    ...(workspaceDataBytes > 0
      ? [
          `${bytesText(workspaceDataBytes)} are kept contents of files and menus of directories that still have a session`,
        ]
      : []),
    ...(recentBytes > 0 ? [`${bytesText(recentBytes)} are output that a session may still refer to`] : []),
    ...(live > 0 ? [`${counted(live, "session")} in use`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, "session")} that cannot be read`] : []),
  ];
  if (reasons.length === 0) return [];
  return [say`More than ${bytesText(maxBytes)} are kept, which the limit does not reach: ${reasons.join("; ")}.`];
}
