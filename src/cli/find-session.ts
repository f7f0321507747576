import type { App } from "../contract/app/app.ts";
import type { Archive } from "../contract/app/archive.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { SessionSummary } from "../contract/store.ts";
import { counted, dateText, oneLine } from "./render/table.ts";
import { mistake } from "./report.ts";

export const sessionArgument = "id of the session, the start of an id, or latest: the latest of this directory";

const whole = /^ses_[0-9a-f]{32}$/;
const mostNamed = 5;

export function findSession(
  archive: Pick<Archive, "list">,
  reference: string,
  among: (session: SessionSummary) => boolean = () => true,
): Outcome<SessionId> {
  if (isSessionId(reference)) return ok(reference);
  const sessions = archive.list().filter(among).toSorted(byAge);
  if (reference === "latest") {
    const last = sessions.findLast(isOwn);
    if (last !== undefined) return ok(last.id);
    return mistake(
      sessions.length === 0 ? "There is no session." : "There are only imported sessions.",
      "`gauntlet` starts a session.",
    );
  }
  const fitting = sessions.filter(({ id }) => id.startsWith(reference) || id.startsWith(`ses_${reference}`));
  const [only, ...others] = fitting.some(({ id }) => id === reference) ? [] : fitting.map(({ id }) => id);
  if (only === undefined) return ok(reference);
  if (others.length === 0) return ok(only);
  return mistake(`${reference} matches ${others.length + 1} sessions.`, tellApart(fitting));
}

export function findRecorded(
  archive: Pick<Archive, "list">,
  reference: string,
  { workspace }: Pick<App, "workspace">,
): Outcome<SessionId> {
  if (reference !== "latest") return findSession(archive, reference);
  const found = findSession(archive, reference, (one) => one.workspace === workspace && !isEmpty(one));
  if (found.ok) return found;
  return mistake(`There is no session in ${workspace}.`, "`gauntlet sessions list --all` lists all directories.");
}

export function findConversation(
  archive: Pick<Archive, "list">,
  reference: string,
  among: (session: SessionSummary) => boolean,
): Outcome<SessionId> {
  if (reference !== "latest") return findSession(archive, reference, among);
  const found = findSession(archive, reference, (session) => among(session) && hasTask(session));
  if (found.ok) return found;
  const without = archive.list().filter((session) => among(session) && isOwn(session)).length;
  const others =
    without === 0 ? "" : ` \`gauntlet sessions list --all\` lists ${counted(without, "session")} without a task.`;
  return mistake("There is no session with a task in this directory.", `Start one: gauntlet run '<task>'.${others}`);
}

function isOwn({ imported }: SessionSummary): boolean {
  return !imported;
}

export function hasTask({ task }: SessionSummary): boolean {
  return task !== "";
}

export function isEmpty({ task, intents, status }: SessionSummary): boolean {
  return task === "" && intents === 0 && status !== "damaged";
}

function tellApart(sessions: readonly SessionSummary[]): string {
  const latest = sessions.toReversed();
  const rows = latest
    .slice(0, mostNamed)
    .map((session) => `${shortest(session, sessions)} (${dateText(session.updatedAt)}, ${taskOf(session)})`);
  const more = latest.length > mostNamed ? `, and ${latest.length - mostNamed} earlier ones` : "";
  return `Choose one, latest first: ${rows.join("; ")}${more}.`;
}

function shortest({ id }: SessionSummary, sessions: readonly SessionSummary[]): string {
  for (let length = "ses_".length + 1; length < id.length; length += 1) {
    const beginning = id.slice(0, length);
    if (sessions.every((other) => other.id === id || !other.id.startsWith(beginning))) return beginning;
  }
  return id;
}

const longestTask = 40;

function taskOf(session: SessionSummary): string {
  const task = hasTask(session) ? oneLine(session.task, longestTask) : "no task";
  return session.imported ? `imported, ${task}` : task;
}

export function isSessionId(reference: string): boolean {
  return whole.test(reference);
}

export function byAge(a: SessionSummary, b: SessionSummary): number {
  return a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0;
}
