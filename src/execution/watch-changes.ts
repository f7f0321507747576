import type { ArtifactStore } from "../contract/artifact.ts";
import type { EventDraft } from "../contract/events/index.ts";
import { isExcepted, type PathException } from "../contract/path-scope.ts";
import type { ChangedFile, ContentKeeper, WorkspaceScan } from "../contract/ports.ts";
import type { Journal } from "./journal.ts";

export interface ChangeWatching {
  readonly scan: WorkspaceScan;
  readonly contents: ContentKeeper;
  readonly artifacts: Pick<ArtifactStore, "put">;
  /** Why a person should know of this change. */
  readonly notable: (change: ChangedFile) => string | undefined;
  /** Nobody may read what is there. */
  readonly closed: (path: string) => boolean;
}

/** Looks before something runs that may write there; the answer tells what is different when it is called. */
export async function watchChanges(
  { scan, contents, artifacts, notable, ...watching }: ChangeWatching,
  { roots, masked }: { readonly roots: readonly string[]; readonly masked: readonly PathException[] },
): Promise<() => readonly ChangedFile[]> {
  if (roots.length === 0) return () => [];
  const before = scan.snapshot(roots);
  const closed = (path: string) => watching.closed(path) || isExcepted(path, masked);
  const kept = await contents.keep(before, { roots, closed });
  const describe = (changes: readonly ChangedFile[]) =>
    kept.describe(changes, (content) => artifacts.put("before", content));
  return () =>
    describe(scan.changes(before, roots)).map((change) => {
      const why = notable(change);
      return why === undefined ? change : { ...change, notable: why };
    });
}

/** What a scan found, as facts of the invocation that it happened in. */
export function recordChanges(
  { journal, invocationId }: { readonly journal: Journal; readonly invocationId: string },
  changed: readonly ChangedFile[],
): void {
  for (const change of changed) {
    journal.seen.push({
      op: change.change === "deleted" ? "delete" : "write",
      target: change.path,
      change: change.change,
      ...(change.notable === undefined ? {} : { note: change.notable }),
    });
  }
  // One by one: there may be more of them than a call takes arguments.
  for (const fact of changeFacts(invocationId, changed)) journal.facts.push(fact);
}

export function changeFacts(invocationId: string, changed: readonly ChangedFile[]): readonly EventDraft[] {
  return changed.map((found) => {
    const { path, change, before, after, to, was, is, unkept, image } = found;
    const images = {
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(was === undefined ? {} : { was }),
      ...(is === undefined ? {} : { is }),
      ...(unkept === undefined ? {} : { unkept }),
      ...(image === undefined ? {} : { artifacts: [image] }),
    };
    const place = to === undefined ? {} : { to };
    return { type: "file.changed", data: { invocationId, path, change, seenBy: "scan", ...place, ...images } };
  });
}
