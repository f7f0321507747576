import type { ChangedFile } from "../contract/changes.ts";
import type { Outcome } from "../contract/codes.ts";
import type { SeenEffect } from "../contract/effect.ts";
import type { EventData, EventDraft } from "../contract/events/index.ts";
import type { Clock } from "../contract/ids.ts";
import type { Connection, Connections } from "../contract/network.ts";
import type { Progress, WorkspaceScan } from "../contract/ports.ts";
import type { Journal } from "./journal.ts";

export interface ChangeWatching {
  readonly scan: WorkspaceScan;
  readonly notable: (change: ChangedFile) => string | undefined;
  readonly recorded: () => ReadonlyMap<string, string | null>;
}

export function watchChanges(
  { scan, notable, recorded }: ChangeWatching,
  {
    roots,
    withheld = () => false,
  }: { readonly roots: readonly string[]; readonly withheld?: (path: string) => boolean },
): () => readonly ChangedFile[] {
  if (roots.length === 0) return () => [];
  const before = scan.snapshot(roots);
  const earlier = new Map(recorded());
  return () => {
    const others = new Map([...recorded()].filter(([path, hash]) => earlier.get(path) !== hash));
    // A file with several hard links may have been changed under another name.
    const isOwn = ({ path, to = path, stat }: ChangedFile) =>
      (stat !== undefined || !(withheld(path) || withheld(to))) && !isAmong(path, others) && !isAmong(to, others);
    return scan
      .changes(before, roots)
      .filter(isOwn)
      .map((change) => {
        const why = notable(change);
        return why === undefined ? change : { ...change, notable: why };
      });
  };
}

function isAmong(path: string, recorded: ReadonlyMap<string, string | null>): boolean {
  if (recorded.has(path)) return true;
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (recorded.get(path.slice(0, end)) === null) return true;
  return false;
}

type SeenBy = EventData<"file.changed">["seenBy"];

export function recordChanges(
  { journal, invocationId }: { readonly journal: Journal; readonly invocationId: string },
  changed: readonly ChangedFile[],
  seenBy: SeenBy = "scan",
): void {
  for (const { change, path: target, notable, to } of changed) {
    const note = notable ?? (seenBy === "tool" && to !== undefined ? `now at ${to}` : undefined);
    journal.seen.push({ op: change === "deleted" ? "delete" : "write", target, change, ...(note && { note }) });
  }
  // One by one: a spread call would have too many arguments.
  for (const fact of changeFacts(invocationId, changed, seenBy)) journal.facts.push(fact);
}

export function changeFacts(
  invocationId: string,
  changed: readonly ChangedFile[],
  seenBy: SeenBy = "scan",
): readonly EventDraft[] {
  return changed.map(({ path, change, to, before, after, was, is, kept, image }) => {
    const artifacts = image && [image];
    const given = Object.entries({ to, before, after, was, is, kept, artifacts }).filter(([, value]) => value);
    return { type: "file.changed", data: { invocationId, path, change, seenBy, ...Object.fromEntries(given) } };
  });
}

export type ConnectionWatch = ReturnType<typeof watchConnections>;

const mostSeen = 100;
const mostUnreached = 20;

export function watchConnections(options: {
  readonly journal: Journal;
  readonly invocationId: string;
  readonly askHost: Connections["ask"];
  readonly record: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}) {
  const { journal, invocationId } = options;
  const seen = new Map<string, { readonly effect: SeenEffect; count: number }>();
  const unreached = new Set<string>();

  function remember({ host, port, outcome, reason }: Connection): void {
    const target = `${host}:${port}`;
    const key = `${target} ${outcome}`;
    const known = seen.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.effect.note = `${outcome}, ${known.count} times`;
    } else if (seen.size < mostSeen) {
      const effect: SeenEffect = { op: "connect", target, note: reason ? `${outcome}: ${reason}` : outcome };
      seen.set(key, { effect, count: 1 });
      if (!journal.over) journal.seen.push(effect);
    }
    if (outcome !== "connected" && unreached.size < mostUnreached) unreached.add(`${key}: ${reason}`);
  }

  return {
    connections: {
      ask: options.askHost,
      record(connection: Connection) {
        remember(connection);
        return options.record([{ type: "connection.made", data: { invocationId, ...connection } }]).ok;
      },
    },
    unreached: (): readonly string[] => [...unreached],
  };
}

const betweenMs = 1_000;
const tailBytes = 8 * 1_024;
const newline = 10;

export function createProgressReporter(options: {
  readonly clock: Pick<Clock, "now">;
  readonly startedAt: number;
  readonly progress: (update: Progress) => void;
}): { printed(chunk: Uint8Array): void; end(): void } {
  const { clock, startedAt, progress } = options;
  let toldAt = startedAt;
  let bytes = 0;
  let tail = Buffer.alloc(0);
  let later: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(later);
    later = undefined;
    toldAt = clock.now();
    const seconds = Math.round((toldAt - startedAt) / 1_000);
    const lines = wholeLines(tail, bytes > tail.length);
    const message = `running for ${seconds} s, ${bytes} bytes of output`;
    progress({ message, bytes, ...(lines !== "" && { tail: lines }) });
  };
  return {
    printed(chunk) {
      bytes += chunk.length;
      tail = Buffer.from(Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes));
      const since = clock.now() - toldAt;
      if (since >= betweenMs) tell();
      else later ??= setTimeout(tell, betweenMs - since).unref();
    },
    end: () => clearTimeout(later),
  };
}

/** Half a line may contain half a secret, which redaction would not recognise. */
function wholeLines(tail: Buffer, isCut: boolean): string {
  const from = isCut ? tail.indexOf(newline) + 1 : 0;
  const to = tail.lastIndexOf(newline);
  return to < from ? "" : tail.toString("utf8", from, to);
}
