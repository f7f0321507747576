import { linkSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fail, type Outcome } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { temporaryName } from "../artifacts/artifact-file.ts";
import { sessionPath } from "../layout.ts";
import { isAlreadyThere, isDuplicate, logFailure, removeFile } from "../log-failure.ts";
import { createPrivateFile, openForWriting } from "../store/database.ts";
import type { StoreParts } from "../store/open-session.ts";

/** Fills a file under a temporary name and renames it to the session's name at the end. */
export function buildSession<Made extends { readonly id: SessionId }>(
  { layout, process, sync }: Pick<StoreParts, "layout" | "process" | "sync">,
  doing: string,
  fill: (database: DatabaseSync) => Outcome<Made>,
): Outcome<Made> {
  const temporary = join(layout.sessions, temporaryName(process));
  let database: DatabaseSync | undefined;
  let made: Outcome<Made> | undefined;
  try {
    createPrivateFile(temporary);
    database = openForWriting(temporary, { sync, busyMs: 1_000 });
    made = fill(database);
    database.close();
    if (made.ok) linkSync(temporary, sessionPath(layout, made.value.id));
    return made;
  } catch (error) {
    if (isAlreadyThere(error) && made?.ok === true) return alreadyThere(made.value.id);
    if (isDuplicate(error)) return fail("bad_request", "An intent id is used twice in this session.");
    return logFailure(error, doing, temporary);
  } finally {
    if (database?.isOpen) database.close();
    for (const suffix of ["", "-wal", "-shm"]) removeFile(temporary + suffix);
  }
}

export function alreadyThere(id: SessionId): Outcome<never> {
  return fail("bad_request", `Session ${id} is already in this store.`, {
    recovery: "Import it into another store; sessions are never merged or replaced.",
  });
}
