import type { SessionInfo } from "@agentclientprotocol/sdk";
import type { App } from "../contract/app.ts";
import type { Archive } from "../contract/archive.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

const page = 50;
const longestTitle = 100;

/** Newest first, with what each was about. */
export function listSessions(
  app: App,
  asked: { readonly cwd?: string | null; readonly cursor?: string | null },
): Outcome<{ sessions: SessionInfo[]; nextCursor?: string }> {
  const archive = app.archive();
  if (!archive.ok) return archive;
  const start = Number(asked.cursor ?? 0);
  if (!Number.isSafeInteger(start) || start < 0)
    return fail("bad_request", "That is no cursor of ours.", { field: "cursor" });
  const { cwd } = asked;
  const all = archive.value
    .list()
    // What cannot be gone on in is of no use to an editor.
    .filter(
      ({ workspace, imported }) => !imported && (cwd === undefined || cwd === null || workspace === app.workspace),
    )
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const sessions = all.slice(start, start + page).map(({ id, workspace, updatedAt }) => {
    const title = titleOf(archive.value, id);
    return { sessionId: id, cwd: workspace, updatedAt, ...(title === undefined ? {} : { title }) };
  });
  const more = start + page < all.length;
  return ok({ sessions, ...(more ? { nextCursor: String(start + page) } : {}) });
}

/** The first thing that it was asked for. */
function titleOf(archive: Archive, id: string): string | undefined {
  const events = archive.events(id, { types: ["run.started"], limit: 1 });
  if (!events.ok) return undefined;
  for (const event of events.value) {
    if (event.type === "run.started") return event.data.goal.replace(/\s+/g, " ").slice(0, longestTitle);
  }
  return undefined;
}
