import { sha256 } from "../../base/digest.ts";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { ChangedFile, FileWrite, ToolContext } from "../../contract/ports.ts";
import { diffFileMarked, type FileDiff } from "./file-diff.ts";
import { countLines } from "./lines.ts";
import type { PlannedChange } from "./planned-change.ts";
import type { TextStyle } from "./text-file.ts";

/** What became of one file. */
export interface FileChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "unchanged";
  readonly diff: FileDiff;
  /** Of the file as it is now; absent once deleted. */
  readonly now?: TextStyle & { readonly hash: string; readonly bytes: number; readonly lines: number };
  /** Where a deleted file waits. */
  readonly trash?: string;
}

/**
 * All or nothing. The port checks every expected hash again before it replaces the first file; deletions come
 * last, and when one of them fails what was written is put back.
 */
export async function applyChanges(
  changes: readonly PlannedChange[],
  context: ToolContext,
): Promise<Outcome<readonly FileChange[]>> {
  const differing = changes.filter((change) => !isUnchanged(change));
  const writes = differing.flatMap(writeOf);
  const written = writes.length === 0 ? ok([]) : await context.files.write(writes);
  if (!written.ok) return written;

  const trashed = new Map<string, ChangedFile>();
  for (const change of differing.filter((candidate) => candidate.after === undefined)) {
    const outcome = await context.files.trash(change.path);
    if (!outcome.ok) return { ok: false, failure: await putBack(differing, trashed, outcome.failure, context) };
    trashed.set(change.path, outcome.value);
    context.session.forgetBaseline(change.path);
  }
  const stats = new Map(written.value.map((file) => [file.path, file]));
  return ok(
    changes.map((change) => {
      const seen = stats.get(change.path);
      if (seen !== undefined) refreshBaseline(change, seen, context);
      return fileChange(change, trashed.get(change.path)?.to, context.secretsIn);
    }),
  );
}

function isUnchanged({ before, after }: PlannedChange): boolean {
  return before !== undefined && after !== undefined && before.hash === sha256(after.bytes);
}

function writeOf({ path, before, after }: PlannedChange): FileWrite[] {
  if (after === undefined) return [];
  return [{ path, content: after.bytes, expect: before === undefined ? "absent" : { hash: before.hash } }];
}

/** Our own write is known to the session: the next change needs no new read, an outside change still counts as stale. */
function refreshBaseline({ path, after, read }: PlannedChange, seen: ChangedFile, context: ToolContext): void {
  if (after === undefined) return;
  context.session.recordBaseline({
    path,
    hash: sha256(after.bytes),
    size: after.bytes.length,
    mtimeMs: seen.stat?.mtimeMs ?? context.clock.now(),
    lines: { ...read, total: countLines(after.file.text) },
  });
}

function fileChange(change: PlannedChange, trash: string | undefined, secretsIn: ToolContext["secretsIn"]): FileChange {
  const { before, after, shown } = change;
  return {
    path: shown,
    change: isUnchanged(change)
      ? "unchanged"
      : before === undefined
        ? "created"
        : after === undefined
          ? "deleted"
          : "modified",
    diff: diffFileMarked(shown, before?.text, after?.file.text, secretsIn),
    ...(trash === undefined ? {} : { trash }),
    ...(after === undefined
      ? {}
      : {
          now: {
            encoding: after.file.encoding,
            bom: after.file.bom,
            eol: after.file.eol,
            hash: sha256(after.bytes),
            bytes: after.bytes.length,
            lines: countLines(after.file.text),
          },
        }),
  };
}

async function putBack(
  changes: readonly PlannedChange[],
  trashed: ReadonlyMap<string, ChangedFile>,
  failure: Failure,
  context: ToolContext,
): Promise<Failure> {
  const back = changes.flatMap(({ path, before, after }): FileWrite[] => {
    if (before === undefined) return [];
    if (after !== undefined) return [{ path, content: before.bytes, expect: { hash: sha256(after.bytes) } }];
    return trashed.has(path) ? [{ path, content: before.bytes, expect: "absent" }] : [];
  });
  const restored = back.length === 0 || (await context.files.write(back)).ok;
  const left = changes.filter(({ path, before, after }) =>
    restored ? before === undefined : after !== undefined || trashed.has(path),
  );
  if (left.length === 0) return { ...failure, happened: "nothing" };
  const paths = left.map(({ shown }) => shown).join(", ");
  return { ...failure, happened: "partly", message: `${failure.message} Left changed: ${paths}.` };
}
