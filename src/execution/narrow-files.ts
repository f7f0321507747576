import { sha256 } from "../base/digest.ts";
import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import { isExcepted, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Files, FileWrite } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { happenedSoFar, type Journal, notPermitted } from "./journal.ts";

export interface FileNarrowing {
  readonly files: Files;
  readonly permit: Permit;
  readonly journal: Journal;
  readonly artifacts: ArtifactStore;
  readonly invocationId: string;
  readonly record: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}

export function narrowFiles(narrowing: FileNarrowing): Files {
  const { files, permit, journal } = narrowing;
  return {
    async read(path, options) {
      if (isExcepted(path, permit.exceptions)) return closed(path);
      if (!permitsFile(permit, "read", path)) return notPermitted(journal, `Reading ${path}`);
      const content = await files.read(path, options);
      if (content.ok) journal.seen.push({ op: "read", target: path });
      return content;
    },
    async stat(path) {
      if (isExcepted(path, permit.exceptions)) return closed(path);
      const named = (["read", "list", "write", "delete"] as const).some((op) => permitsFile(permit, op, path));
      return named ? files.stat(path) : notPermitted(journal, `Looking at ${path}`);
    },
    async list(path) {
      if (isExcepted(path, permit.exceptions)) return closed(path);
      const named = permitsFile(permit, "list", path) || permitsFile(permit, "read", path);
      return named ? files.list(path) : notPermitted(journal, `Listing ${path}`);
    },
    async write(writes) {
      const outside = writes.find((write) => !permitsFile(permit, "write", write.path));
      if (outside !== undefined) return notPermitted(journal, `Writing ${outside.path}`);
      const images = await keepImages(narrowing, writes);
      if (!images.ok) return notBegun(journal, images.failure);
      const planned = writes.length > 1 ? narrowing.record([plannedEvent(narrowing, writes)]) : ok(undefined);
      if (!planned.ok) return notBegun(journal, planned.failure);
      const changed = await files.write(writes);
      if (changed.ok) for (const change of changed.value) record(narrowing, change, images.value.get(change.path));
      return changed;
    },
    async move(from, to) {
      if (!permitsFile(permit, "delete", from)) return notPermitted(journal, `Moving ${from} away`);
      if (!permitsFile(permit, "write", to)) return notPermitted(journal, `Moving to ${to}`);
      const changed = await files.move(from, to);
      if (changed.ok) record(narrowing, changed.value);
      return changed;
    },
    async trash(path) {
      if (!permitsFile(permit, "delete", path)) return notPermitted(journal, `Deleting ${path}`);
      const changed = await files.trash(path);
      if (changed.ok) record(narrowing, changed.value);
      return changed;
    },
  };
}

function closed(path: string): Outcome<never> {
  return fail("effect_not_permitted", `${path} is closed by policy.`, { happened: "nothing" });
}

function notBegun(journal: Journal, failure: Failure): Outcome<never> {
  return { ok: false, failure: { happened: happenedSoFar(journal), ...failure } };
}

type Images = ReadonlyMap<string, readonly ArtifactRef[]>;

/** Before and after are kept before anything is written: a crash in between loses no content. */
async function keepImages({ files, artifacts }: FileNarrowing, writes: readonly FileWrite[]): Promise<Outcome<Images>> {
  const images = new Map<string, readonly ArtifactRef[]>();
  for (const { path, content, expect } of writes) {
    const kept: ArtifactRef[] = [];
    if (expect !== "absent") {
      const current = await files.read(path);
      if (!current.ok) return current;
      const before = artifacts.put("before", current.value.bytes);
      if (!before.ok) return before;
      kept.push(before.value);
    }
    const after = artifacts.put("after", content);
    if (!after.ok) return after;
    images.set(path, [...kept, after.value]);
  }
  return ok(images);
}

function plannedEvent({ invocationId }: FileNarrowing, writes: readonly FileWrite[]): EventDraft {
  const changes = writes.map(({ path, content, expect }) => ({
    path,
    ...(expect === "absent" ? {} : { before: expect.hash }),
    after: sha256(content),
  }));
  return { type: "file.change_planned", data: { invocationId, changes } };
}

function record({ journal, invocationId }: FileNarrowing, change: ChangedFile, images?: readonly ArtifactRef[]): void {
  const { path, made = [], to, before, after } = change;
  const common = { invocationId, seenBy: "tool" } as const;
  journal.seen.push({
    op: change.change === "deleted" ? "delete" : "write",
    target: path,
    change: change.change,
    ...(to === undefined ? {} : { note: `now at ${to}` }),
  });
  journal.artifacts.push(...(images ?? []));
  for (const { path, mode } of made) {
    const is = { kind: "directory", mode } as const;
    journal.facts.push({ type: "file.changed", data: { ...common, path, change: "created", is } });
  }
  const artifacts = images && [...images];
  journal.facts.push({
    type: "file.changed",
    data: { ...common, path, change: change.change, before, after, to, artifacts },
  });
}
