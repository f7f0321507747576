import { type Command, InvalidArgumentError, Option } from "commander";
import { nearest } from "../../base/nearest.ts";
import { type PruneReport, type ReplayView, replayViews } from "../../contract/app/archive.ts";
import { ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { byAge, isEmpty, sessionArgument } from "../find-session.ts";
import { type CommandContext, type CommonOptions, collect, cwdOption, examples, jsonOption } from "../flags.ts";
import { eventTypes, isEventType, renderEvent } from "../render/event.ts";
import { renderCall, renderReplayEntry, renderState, renderSummary, taskText } from "../render/session.ts";
import { lines, painter, Shown, say } from "../render/shown.ts";
import { bytesText, type Column, counted, dateText, oneLine, renderTable } from "../render/table.ts";
import { renderFork } from "../render/undo.ts";
import { viewOn } from "../render/wrap.ts";
import {
  checkChain,
  type Ended,
  endsWithOne,
  exitCodes,
  mistake,
  printJson,
  printNotice,
  printShown,
  reportFailure,
} from "../report.ts";
import type { Surface } from "../surface.ts";
import { type ArchiveRun, onArchive, onSession } from "../with-app.ts";
import { byteAmount, duration, wholeNumber } from "./sessions/amount.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Read and manage the log of past sessions. No workspace is changed.");
  declareList(command.command("list"), context);
  declareShow(command.command("show"), context);
  declareEvents(command.command("events"), context);
  declareReplay(command.command("replay"), context);
  declareFork(command.command("fork"), context);
  declareExport(command.command("export"), context);
  declareImport(command.command("import"), context);
  declarePrune(command.command("prune"), context);
}

type SessionColumn = Column<SessionSummary>;

const id: SessionColumn = { title: "SESSION", text: (session) => session.id, tone: () => "strong" };
const last: SessionColumn = { title: "LAST", text: ({ updatedAt }) => dateText(updatedAt) };
const size: SessionColumn = { title: "SIZE", align: "right", spare: true, text: ({ bytes }) => bytesText(bytes) };
const facts: readonly SessionColumn[] = [
  id,
  last,
  { title: "STATUS", spare: true, text: (session) => session.status },
  { title: "INTENTS", align: "right", spare: true, text: (session) => String(session.intents) },
  { title: "CHANGED", align: "right", spare: true, text: ({ changed }) => (changed === 0 ? "" : String(changed)) },
  { title: "EVENTS", align: "right", spare: true, text: (session) => String(session.events) },
  size,
];

const longestTask = 48;
const shortTask: SessionColumn = { title: "TASK", text: (session) => oneLine(taskText(session), longestTask) };
const workspace: SessionColumn = { title: "WORKSPACE", text: (session) => session.workspace };

const usualLimit = 20;

interface ListFlags extends CommonOptions {
  readonly limit?: number;
  readonly all?: boolean;
}

function declareList(command: Command, context: CommandContext): void {
  command
    .summary("list the latest sessions of this directory")
    .description(
      "List the latest sessions of this directory with their tasks and the number of changed files, the latest last. Sessions without a task or call are omitted. With --json: all sessions of all directories, unless --limit is given.",
    )
    .option("--all", "include other directories and empty sessions")
    .option("--limit <n>", "at most this many of the latest sessions; 20 without --json", wholeNumber)
    .option(...jsonOption)
    .option(...cwdOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions list --all", "List sessions of all directories:"],
        ["gauntlet sessions list --json", "For a program:"],
      ),
    )
    .action(onArchive(context, (run, flags: ListFlags) => list(run, flags)));
}

async function list({ app, archive, surface, json, show }: ArchiveRun, { all, limit }: ListFlags): Promise<Ended> {
  const known = archive.list().toSorted(byAge);
  if (json) return show(ok(known.slice(-(limit ?? known.length))), () => lines([]));
  const ofHere = all === true ? known : known.filter((session) => session.workspace === app.workspace);
  const here = all === true ? known : ofHere.filter((session) => !isEmpty(session));
  const sessions = here.slice(-(limit ?? usualLimit));
  const columns = all === true ? [...facts, shortTask, workspace] : [...facts, { title: "TASK", text: taskText }];
  if (sessions.length > 0) await printShown(surface, renderTable(sessions, columns, surface.stdout));
  const earlier = here.length - sessions.length;
  const empty = ofHere.length - here.length;
  const elsewhere = known.length - ofHere.length;
  const hints = [
    earlier > 0 && `${counted(earlier, "earlier session")} not shown; --limit ${here.length} shows all`,
    ofHere.length === 0 && "no session in this directory yet",
    empty > 0 && `${counted(empty, "session")} without a task or call omitted; --all shows them`,
    elsewhere > 0 && `${counted(elsewhere, "session")} in other directories; --all shows them`,
  ];
  const paint = painter(surface.stderr);
  for (const hint of hints) if (hint !== false) await printNotice(surface, paint("quiet", hint));
  return exitCodes.done;
}

function declareShow(command: Command, context: CommandContext): void {
  command
    .summary("show the calls and state of a session")
    .description("Show one session: a line for each call, and the state after the last event.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions show ses_…", "Show what happened:"]))
    .action(onSession(context, showSession));
}

async function showSession({ archive, surface, json, show }: ArchiveRun, id: SessionId): Promise<Ended> {
  const replay = archive.replay(id);
  if (!replay.ok) return replay;
  const summary = archive.list().find((session) => session.id === id);
  const { state } = replay.value;
  if (json) return show(ok({ summary, state }), () => lines([]));
  const calls = archive.events(id, { types: ["tool_intent.proposed", "tool.observed"] });
  if (!calls.ok) return calls;
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

function declareEvents(command: Command, context: CommandContext): void {
  command
    .summary("list the events of a session")
    .description(
      `List the events of a session in order: a timeline, or the events as JSON lines with --json. ${endsWithOne}`,
    )
    .argument("<session>", sessionArgument)
    .option("--from <seq>", "start at this event", wholeNumber)
    .option("--limit <n>", "at most this many", wholeNumber)
    .option("--type <type>", "only this type, for example permission.decided; repeatable", collect)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions events ses_… --type permission.decided", "List decisions:"]))
    .action(
      onSession(context, async ({ archive, surface, json }, id, { from, limit, type: types }: EventsFlags) => {
        const unknown = types?.find((type) => !isEventType(type));
        if (unknown !== undefined) return noSuchType(unknown);
        const events = archive.events(id, { from, limit, types });
        if (!events.ok) return events;
        const code = await checkChain(surface, archive, id);
        const paint = painter(surface.stdout);
        for (const event of events.value) {
          if (json) await printJson(surface, event);
          else await printShown(surface, lines([renderEvent(event, paint)]));
        }
        return code;
      }),
    );
}

function noSuchType(type: string): Ended {
  const meant = nearest(type, eventTypes);
  const recovery = meant.length === 0 ? `Types are ${eventTypes.join(", ")}.` : `Did you mean ${meant.join(" or ")}?`;
  return mistake(`There is no event type ${type}.`, recovery);
}

interface ReplayFlags extends CommonOptions {
  readonly view: ReplayView;
  readonly step?: boolean;
  readonly turn?: string;
}

function declareReplay(command: Command, context: CommandContext): void {
  command
    .summary("replay a session from the log")
    .description(
      "Replay a session from the log: the conversation, the exact input of the model, or the reasons for each " +
        `call. Nothing is run or changed. With --json: a JSON line for each entry. ${endsWithOne}`,
    )
    .argument("<session>", sessionArgument)
    .addOption(new Option("--view <view>", "what to show").choices(replayViews).default("conversation"))
    .option("--turn <id>", "only this turn")
    .option("--step", "wait for Enter after each entry, on a terminal")
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions replay latest --step", "Step through a session:"],
        ["gauntlet sessions replay latest --view input --turn turn_…", "Show what was sent to the model:"],
        ["gauntlet sessions replay ses_… --view audit", "Show every call with its reasons:"],
      ),
    )
    .action(
      onSession(context, async ({ app, archive, surface, json }, id, { view, turn, step }: ReplayFlags) => {
        const entries = app.replay(id, { view, turn });
        if (!entries.ok) return entries;
        const code = await checkChain(surface, archive, id);
        let shown = 0;
        for (const entry of entries.value) {
          if (!entry.ok) return entry;
          if (step === true && !json && shown > 0 && !(await wantsMore(surface))) return code;
          if (json) await printJson(surface, entry.value);
          else await printShown(surface, renderReplayEntry(entry.value, viewOn(surface.stdout)));
          shown += 1;
        }
        return code;
      }),
    );
}

async function wantsMore({ question }: Surface): Promise<boolean> {
  if (question === undefined) return true;
  const answer = await question("── Enter: next, q: quit ── ", new AbortController().signal);
  return answer !== undefined && answer.trim().toLowerCase() !== "q";
}

interface ForkFlags extends CommonOptions {
  readonly at?: number | string;
}

function declareFork(command: Command, context: CommandContext): void {
  command
    .summary("start a new session from a point of this one")
    .description(
      "Start a new session from a point of this one, which is not changed. Files are not reverted, and approvals of " +
        "the original session do not apply to the new one.",
    )
    .argument("<session>", sessionArgument)
    .option("--at <event>", "the last event to include, by number or id; by default the latest", eventName)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet sessions fork latest", "Try another approach from here:"],
        ["gauntlet sessions fork ses_… --at 120", "Continue from an earlier point:"],
      ),
    )
    .action(
      onSession(context, async ({ archive, show }, id, { at }: ForkFlags) => show(archive.fork(id, at), renderFork)),
    );
}

function eventName(text: string): number | string {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  if (/^evt_\S+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected the number of an event, or its id.");
}

function declareExport(command: Command, context: CommandContext): void {
  command
    .summary("export a session as JSON lines")
    .description("Write a session as JSON lines to standard output: a header, every event, every artifact.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions export ses_… > session.jsonl", "Export to a file:"]))
    .action(
      onSession(context, async ({ archive, surface }, id) => {
        const exported = archive.export(id);
        // A failure goes to standard error only: standard output is the export.
        if (!exported.ok) return reportFailure(surface, exported.failure, { json: false });
        for (const line of exported.value) await surface.stdout.write(line.endsWith("\n") ? line : `${line}\n`);
        return exitCodes.done;
      }),
    );
}

function declareImport(command: Command, context: CommandContext): void {
  command
    .summary("import an exported session")
    .description("Import an exported session. Its hash chain is verified first; nothing is stored if it is damaged.")
    .argument("[file]", "file that `sessions export` wrote; by default standard input")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions import session.jsonl", "Import a file:"]))
    .action(
      onArchive(context, async ({ archive, surface, show }, file: string | undefined) => {
        const source = surface.lines(file);
        if (!source.ok) return source;
        return show(
          archive.import(source.value),
          (session) => lines([say`${session}`]),
          (session) => ({ session }),
        );
      }),
    );
}

interface PruneFlags extends CommonOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
}

function declarePrune(command: Command, context: CommandContext): void {
  command
    .summary("remove old sessions of all directories")
    .description(
      "Remove old sessions of all directories with the data that only they use: tool output and, for a directory without a session, kept file contents and its tool list. Without a flag, sessions and output are kept below limits.storeBytes of the settings.",
    )
    .option("--older-than <age>", "remove sessions whose last event is older, for example 30d, 12h", duration)
    .option(
      "--max-size <size>",
      "remove the oldest sessions until the rest is smaller than this, for example 500MiB",
      byteAmount,
    )
    .option("--dry-run", "only show what would be removed")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions prune --older-than 30d --dry-run", "Show what would go:"]))
    .action(onArchive(context, (run, flags: PruneFlags) => prune(run, flags)));
}

async function prune({ app, archive, surface, show }: ArchiveRun, flags: PruneFlags): Promise<Ended> {
  const { olderThan: olderThanMs, maxSize, dryRun = false } = flags;
  const settings = app.settings({});
  if (!settings.ok) return settings;
  const maxBytes = maxSize ?? (olderThanMs === undefined ? settings.value.limits.storeBytes : undefined);
  const known = archive.list();
  return show(archive.prune({ olderThanMs, maxBytes, dryRun }), (report, { wrap }) => {
    const removed = known.filter((session) => report.removed.includes(session.id)).toSorted(byAge);
    const columns = [id, last, size, shortTask, workspace];
    const verb = dryRun ? "would be removed" : "removed";
    const rows = [summaryLine(removed, report, verb), ...whyMore(report, maxBytes)].map(wrap);
    const table = removed.length === 0 ? "" : renderTable(removed, columns, surface.stdout).text;
    return new Shown(`${table}${lines(rows).text}`);
  });
}

function summaryLine(removed: readonly SessionSummary[], { freedBytes, keptBytes }: PruneReport, verb: string): Shown {
  const directories = new Set(removed.map((session) => session.workspace)).size;
  const of = directories > 1 ? ` of ${directories} directories` : "";
  return say`${counted(removed.length, "session")}${of} ${verb}, ${bytesText(freedBytes)} freed, ${bytesText(keptBytes)} kept`;
}

function whyMore({ keptBytes, spared }: PruneReport, maxBytes: number | undefined): readonly Shown[] {
  if (maxBytes === undefined || keptBytes <= maxBytes) return [];
  const { live, unreadable, workspaceDataBytes, recentBytes } = spared;
  const reasons = [
    workspaceDataBytes > 0 &&
      `${bytesText(workspaceDataBytes)} of file contents and tool lists of directories that still have a session`,
    recentBytes > 0 && `${bytesText(recentBytes)} of output that a session may still refer to`,
    live > 0 && `${counted(live, "session")} in use`,
    unreadable > 0 && `${counted(unreadable, "session")} that cannot be read`,
  ].filter((reason) => reason !== false);
  if (reasons.length === 0) return [];
  return [say`More than the limit of ${bytesText(maxBytes)} is kept: ${reasons.join("; ")}.`];
}
