import type { SessionInfo } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { App } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionSummary } from "../contract/store.ts";

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
  const isWanted = ({ task, imported, workspace }: SessionSummary) =>
    // What cannot be gone on in is of no use to an editor, nor is what nobody ever asked anything.
    !imported && task !== "" && (cwd === undefined || cwd === null || workspace === app.workspace);
  const all = archive.value.list().filter(isWanted);
  const sessions = all.slice(start, start + page).map(({ id, workspace, task, updatedAt }) => {
    return { sessionId: id, cwd: workspace, updatedAt, title: visibleText(task).slice(0, longestTitle).toWellFormed() };
  });
  const more = start + page < all.length;
  return ok({ sessions, ...(more ? { nextCursor: String(start + page) } : {}) });
}
