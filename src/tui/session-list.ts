import { byAge, findConversation, isEmpty } from "../cli/find-session.ts";
import { counted, dateText, oneLine } from "../cli/render/table.ts";
import type { App } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { SessionSummary } from "../contract/store.ts";

export const mostListed = 10;

type Project = Pick<App, "workspace" | "archive">;

export interface SessionList {
  readonly ids: readonly SessionId[];
  readonly text: string;
}

export function sessionsHere(app: Project): readonly SessionSummary[] {
  const archive = app.archive();
  if (!archive.ok) return [];
  const here = archive.value.list().filter(({ workspace }) => workspace === app.workspace);
  return here.toSorted(byAge).toReversed();
}

function known(app: Project): number {
  const archive = app.archive();
  return archive.ok ? archive.value.list().length : 0;
}

export function listSessions(app: Project, current: SessionId | undefined): SessionList {
  const all = sessionsHere(app);
  const worth = all.filter((session) => session.id === current || !isEmpty(session));
  const listed = worth.slice(0, mostListed);
  const rows = listed.map((session, index) => sessionRow(session, { number: index + 1, current })).toReversed();
  const earlier = worth.length - listed.length;
  const empty = all.length - worth.length;
  const command = "gauntlet sessions list";
  const hints = [
    ...(earlier > 0 ? [`${counted(earlier, "earlier session")} not shown: ${command} --limit ${worth.length}`] : []),
    ...(empty > 0
      ? [`${counted(empty, "session")} without a task or a call hidden: ${command} --all --limit ${known(app)}`]
      : []),
    ...(listed.some(({ id }) => id !== current) ? ["To resume one: /resume with its number"] : []),
  ];
  return { ids: listed.map(({ id }) => id), text: [...rows, ...hints].join("\n") || "No sessions yet." };
}

function sessionRow(
  { id, updatedAt, intents, task, imported }: SessionSummary,
  { number, current }: { readonly number: number; readonly current: SessionId | undefined },
): string {
  const about = task === "" ? `(${counted(intents, "call")}, no task)` : oneLine(task, 60);
  const origin = imported ? "imported: " : "";
  return `${String(number).padStart(2)}  ${id}  ${dateText(updatedAt)}  ${origin}${about}${id === current ? "  (current)" : ""}`;
}

export function findMeant(
  app: Project,
  reference: string,
  { current, list }: { readonly current: SessionId | undefined; readonly list: () => SessionList },
): Outcome<SessionId> {
  if (isNumber(reference)) {
    const id = list().ids[Number(reference) - 1];
    if (id !== undefined) return ok(id);
    return fail("bad_request", `No session has the number ${reference}. To list them: /sessions`);
  }
  const archive = app.archive();
  if (!archive.ok) return archive;
  const another = ({ id, workspace }: SessionSummary) => workspace === app.workspace && id !== current;
  return findConversation(archive.value, reference, reference === "latest" ? another : () => true);
}

function isNumber(reference: string): boolean {
  return /^[1-9]\d{0,3}$/.test(reference);
}
