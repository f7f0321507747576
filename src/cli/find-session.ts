import type { Archive } from "../contract/archive.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import type { SessionSummary } from "../contract/store.ts";

/** What is said wherever a session id is expected. */
export const sessionArgument = "id of the session, the beginning of one, or latest";

const whole = /^ses_[0-9a-f]{32}$/;
const mostNamed = 5;

/**
 * The session that a person means: its id, the beginning of one, with or without `ses_`, or `latest`. What
 * fits nothing is handed on as it is: whoever looks it up says that it does not exist.
 */
export function findSession(
  archive: Pick<Archive, "list">,
  reference: string,
  among: (session: SessionSummary) => boolean = () => true,
): Outcome<SessionId> {
  if (isSessionId(reference)) return ok(reference);
  const sessions = archive.list().filter(among).toSorted(byAge);
  if (reference === "latest") {
    const last = sessions.at(-1);
    return last === undefined ? fail("bad_request", "There is no session yet.", listThem) : ok(last.id);
  }
  const fitting = sessions.filter(({ id }) => id.startsWith(reference) || id.startsWith(`ses_${reference}`));
  const [only, ...others] = fitting.some(({ id }) => id === reference) ? [] : fitting.map(({ id }) => id);
  if (only === undefined) return ok(reference);
  if (others.length === 0) return ok(only);
  const named = [only, ...others].slice(-mostNamed).join(", ");
  return fail("bad_request", `${reference} is the beginning of ${others.length + 1} sessions: … ${named}.`, listThem);
}

/** Nothing has to be looked up. */
export function isSessionId(reference: string): boolean {
  return whole.test(reference);
}

const listThem = { recovery: "`gauntlet sessions list` names them." };

/** The latest last. */
export function byAge(a: SessionSummary, b: SessionSummary): number {
  return a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0;
}
