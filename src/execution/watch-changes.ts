import type { ArtifactStore } from "../contract/artifact.ts";
import type { EventDraft } from "../contract/events/index.ts";
import { isExcepted, type PathException } from "../contract/path-scope.ts";
import type { ChangedFile, ContentKeeper, NamedPlace, WorkspaceScan } from "../contract/ports.ts";
import type { Journal } from "./journal.ts";

export interface ChangeWatching {
  readonly invocationId: string;
  readonly scan: WorkspaceScan;
  readonly contents: ContentKeeper;
  readonly artifacts: Pick<ArtifactStore, "put">;
  /** Why a person should know of this change. */
  readonly notable: (change: ChangedFile) => string | undefined;
  /** Nobody may read what is there. */
  readonly closed: (path: string) => boolean;
  /** What the session has on record by now: the latest hash of every path, empty where it is unknown. */
  readonly recorded: () => ReadonlyMap<string, string | null>;
  /** Whether the call said that it would change this. */
  readonly declares: (change: ChangedFile, isNew: (path: string) => boolean) => boolean;
  /** Where it said so. */
  readonly named: readonly NamedPlace[];
  /** Removes a link among git's own files: the next git of the person would write through it. False if it is none. */
  readonly dropLink: (path: string) => boolean;
}

export interface Watched {
  readonly roots: readonly string[];
  readonly masked: readonly PathException[];
  /** What runs cannot have changed this. */
  readonly withheld?: (path: string) => boolean;
}

/**
 * Looks before something runs that may write there; the answer tells what is different when it is called, and whose
 * that is. What other calls of the session have on record is theirs.
 */
export async function watchChanges(
  {
    scan,
    contents,
    artifacts,
    notable,
    recorded,
    declares,
    named,
    invocationId,
    dropLink,
    ...watching
  }: ChangeWatching,
  { roots, masked, withheld = () => false }: Watched,
): Promise<() => readonly ChangedFile[]> {
  if (roots.length === 0) return () => [];
  const before = scan.snapshot(roots);
  const closed = (path: string) => watching.closed(path) || isExcepted(path, masked);
  const under = named.length === 0 ? {} : { named: { call: invocationId, places: named } };
  const kept = await contents.keep(before, { roots, closed, ...under });
  const earlier = new Map(recorded());
  return () => {
    const found = scan.changes(before, roots);
    const dropped = found.flatMap(({ path, to = path, change }) => (change !== "deleted" && dropLink(to) ? [to] : []));
    const lasting = dropped.length === 0 ? found : scan.changes(before, roots);
    // One that has more names may have been changed under another one.
    const possible = lasting.filter(
      ({ path, to = path, stat }) => stat !== undefined || !(withheld(path) || withheld(to)),
    );
    const described = kept.describe(possible, (content) => artifacts.put("before", content));
    const changes = attributed(beyond(described, changedBetween(earlier, recorded())), declares).map((change) => {
      const why = dropped.includes(change.path) ? droppedLink : notable(change);
      return why === undefined ? change : { ...change, notable: why };
    });
    const gone = dropped.filter((link) => !changes.some(({ path }) => path === link));
    return [
      ...changes,
      ...gone.map((path) => ({ path, change: "created", removed: true, notable: droppedLink }) as const),
    ];
  };
}

const droppedLink = "a link among git's own files, which git would write through: it was removed";

/** With whose they are. */
export function attributed(
  changes: readonly ChangedFile[],
  declares: ChangeWatching["declares"],
): readonly ChangedFile[] {
  const created = new Set(changes.flatMap(({ path, change }) => (change === "created" ? [path] : [])));
  return changes.map((change) => {
    const isOfCall = declares(change, (path) => created.has(path));
    return { ...change, attribution: isOfCall ? "call" : "while_running" };
  });
}

type Recorded = ReadonlyMap<string, string | null>;

function changedBetween(earlier: Recorded, now: Recorded): Recorded {
  return new Map([...now].filter(([path, hash]) => earlier.get(path) !== hash));
}

/** The same changes without what others have on record: each goes from there on, or is none. */
function beyond(changes: readonly ChangedFile[], recorded: Recorded): readonly ChangedFile[] {
  return recorded.size === 0 ? changes : changes.flatMap((change) => rest(change, recorded));
}

function rest(change: ChangedFile, recorded: Recorded): readonly ChangedFile[] {
  const { path, to, was, is, before, after, image, unkept, stat: _, ...facts } = change;
  if (change.change === "moved" && to !== undefined) {
    const gone = recordOf(path, recorded);
    // A tool carried it there.
    if (gone === null) return [];
    if (gone === undefined && recordOf(to, recorded) === undefined) return [change];
    const left: ChangedFile = { ...facts, path, change: "deleted", ...defined({ was, before, image, unkept }) };
    const arrived: ChangedFile = { ...facts, path: to, change: "created", ...defined({ is, after }) };
    return [left, arrived].flatMap((one) => rest(one, recorded));
  }
  const record = recordOf(path, recorded);
  if (record === undefined) return [change];
  // What is unknown cannot be told apart from what is there.
  if (record === "") return [];
  const isGone = change.change === "deleted";
  if (record === null) return isGone ? [] : [{ ...facts, path, change: "created", ...defined({ is, after }) }];
  if (!isGone && record === after) return [];
  const stood = was ?? is;
  const now = isGone ? {} : defined({ is, after });
  return [
    { ...facts, path, change: isGone ? "deleted" : "modified", before: record, ...defined({ was: stood }), ...now },
  ];
}

/** Of the path itself, or of a directory that was carried away with all that lay in it. */
function recordOf(path: string, recorded: Recorded): string | null | undefined {
  const own = recorded.get(path);
  if (own !== undefined) return own;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = recorded.get(path.slice(0, end));
    if (above !== undefined) return above === null ? null : undefined;
  }
  return undefined;
}

function defined<Facts extends object>(facts: Facts): { [Name in keyof Facts]?: NonNullable<Facts[Name]> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as never;
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
  const lasting = changed.filter(({ removed }) => removed === undefined);
  return lasting.map((found) => {
    const { path, change, before, after, to, was, is, unkept, image, attribution } = found;
    const facts = defined({ attribution, to, before, after, was, is, unkept });
    const artifacts = image === undefined ? {} : { artifacts: [image] };
    return { type: "file.changed", data: { invocationId, path, change, seenBy: "scan", ...facts, ...artifacts } };
  });
}
