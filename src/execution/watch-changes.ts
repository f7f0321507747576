import type { ChangedFile } from "../contract/changes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { WorkspaceScan } from "../contract/ports.ts";
import type { Journal } from "./journal.ts";

export interface ChangeWatching {
  readonly scan: WorkspaceScan;
  readonly notable: (change: ChangedFile) => string | undefined;
  readonly recorded: () => ReadonlyMap<string, string | null>;
}

export interface Watched {
  readonly roots: readonly string[];
  readonly withheld?: (path: string) => boolean;
}

export function watchChanges(
  { scan, notable, recorded }: ChangeWatching,
  { roots, withheld = () => false }: Watched,
): () => readonly ChangedFile[] {
  if (roots.length === 0) return () => [];
  const before = scan.snapshot(roots);
  const earlier = new Map(recorded());
  return () => {
    const others = new Map([...recorded()].filter(([path, hash]) => earlier.get(path) !== hash));
    return (
      scan
        .changes(before, roots)
        // A file with several names may have been changed under another one.
        .filter(({ path, to = path, stat }) => stat !== undefined || !(withheld(path) || withheld(to)))
        .filter(({ path, to = path }) => !isAmong(path, others) && !isAmong(to, others))
        .map((change) => {
          const why = notable(change);
          return why === undefined ? change : { ...change, notable: why };
        })
    );
  };
}

function isAmong(path: string, recorded: ReadonlyMap<string, string | null>): boolean {
  if (recorded.has(path)) return true;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (recorded.get(path.slice(0, end)) === null) return true;
  return false;
}

export function recordChanges(
  { journal, invocationId }: { readonly journal: Journal; readonly invocationId: string },
  changed: readonly ChangedFile[],
  seenBy: "scan" | "transaction" = "scan",
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
  for (const fact of changeFacts(invocationId, changed, seenBy)) journal.facts.push(fact);
}

export function changeFacts(
  invocationId: string,
  changed: readonly ChangedFile[],
  seenBy: "scan" | "transaction" = "scan",
): readonly EventDraft[] {
  return changed.map((found) => {
    const { path, change, before, after, to, was, is, kept, image } = found;
    const facts = defined({ to, before, after, was, is, kept });
    const artifacts = image === undefined ? {} : { artifacts: [image] };
    return { type: "file.changed", data: { invocationId, path, change, seenBy, ...facts, ...artifacts } };
  });
}

function defined<Facts extends object>(facts: Facts): { [Name in keyof Facts]?: NonNullable<Facts[Name]> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as never;
}
