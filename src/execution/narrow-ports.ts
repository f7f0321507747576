import { sha256 } from "../base/digest.ts";
import type { SkillFacts, SkillLibrary } from "../contract/app/skill.ts";
import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import { type FileEffect, isExcepted, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Files, FileWrite, Jobs, ToolContext } from "../contract/ports.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import { type CallUnderWay, requestEffects, type Servers } from "../contract/server/server.ts";
import { type Permit, permitsSession, sessionEffects } from "../contract/verdict.ts";
import { callEnded, happenedSoFar, type Journal, notPermitted } from "./journal.ts";
import { type ChangeWatching, recordChanges, watchChanges } from "./watch-command.ts";

/** The limits of the ports of one running call, and their journal. */
export interface RunningCall {
  readonly permit: Permit;
  readonly journal: Journal;
  readonly invocationId: string;
  readonly artifacts: ArtifactStore;
  readonly record: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}

interface FileNarrowing extends RunningCall {
  readonly files: Files;
}

export function narrowFiles(narrowing: FileNarrowing): Files {
  const { files, permit, journal } = narrowing;
  const permits = (path: string, ...ops: FileEffect["op"][]) => ops.some((op) => permitsFile(permit, op, path));
  const refused = (path: string, what: string, ...ops: FileEffect["op"][]) => {
    if (isExcepted(path, permit.exceptions))
      return fail("effect_not_permitted", `${path} is closed by policy.`, { happened: "nothing" });
    return permits(path, ...ops) ? undefined : notPermitted(journal, `${what} ${path}`);
  };
  const changed = (outcome: Outcome<ChangedFile>) => {
    if (outcome.ok) noteChange(narrowing, outcome.value);
    return outcome;
  };
  return {
    async read(path, options) {
      const refusal = refused(path, "Reading", "read");
      if (refusal !== undefined) return refusal;
      const content = await files.read(path, options);
      if (content.ok) journal.seen.push({ op: "read", target: path });
      return content;
    },
    stat: async (path) => refused(path, "Inspecting", "read", "list", "write", "delete") ?? files.stat(path),
    list: async (path) => refused(path, "Listing", "list", "read") ?? files.list(path),
    async write(writes) {
      const outside = writes.find(({ path }) => !permits(path, "write"));
      if (outside !== undefined) return notPermitted(journal, `Writing ${outside.path}`);
      const images = await keepImages(narrowing, writes);
      if (!images.ok) return notBegun(journal, images.failure);
      const planned = writes.length > 1 ? narrowing.record([plannedEvent(narrowing, writes)]) : ok(undefined);
      if (!planned.ok) return notBegun(journal, planned.failure);
      const written = await files.write(writes);
      if (written.ok) for (const change of written.value) noteChange(narrowing, change, images.value.get(change.path));
      return written;
    },
    async move(from, to) {
      if (!permits(from, "delete")) return notPermitted(journal, `Moving ${from} away`);
      if (!permits(to, "write")) return notPermitted(journal, `Moving to ${to}`);
      return changed(await files.move(from, to));
    },
    async trash(path) {
      return permits(path, "delete") ? changed(await files.trash(path)) : notPermitted(journal, `Deleting ${path}`);
    },
  };
}

function notBegun(journal: Journal, failure: Failure): Outcome<never> {
  return { ok: false, failure: { happened: happenedSoFar(journal), ...failure } };
}

type Images = ReadonlyMap<string, ArtifactRef[]>;

/** The old and the new content are stored before anything is written: a crash in between loses nothing. */
async function keepImages({ files, artifacts }: FileNarrowing, writes: readonly FileWrite[]): Promise<Outcome<Images>> {
  const images = new Map<string, ArtifactRef[]>();
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

function plannedEvent({ invocationId }: RunningCall, writes: readonly FileWrite[]): EventDraft {
  const changes = writes.map(({ path, content, expect }) => ({
    path,
    before: expect === "absent" ? undefined : expect.hash,
    after: sha256(content),
  }));
  return { type: "file.change_planned", data: { invocationId, changes } };
}

function noteChange(call: RunningCall, changed: ChangedFile, artifacts?: ArtifactRef[]): void {
  const { journal, invocationId } = call;
  const { path: target, made = [], to, before, after, change } = changed;
  const op = change === "deleted" ? "delete" : "write";
  journal.seen.push({ op, target, change, ...(to !== undefined && { note: `now at ${to}` }) });
  journal.artifacts.push(...(artifacts ?? []));
  const common = { invocationId, seenBy: "tool" } as const;
  for (const { path, mode } of made) {
    const is = { kind: "directory", mode } as const;
    journal.facts.push({ type: "file.changed", data: { ...common, path, change: "created", is } });
  }
  const data = { ...common, path: target, change, before, after, to, artifacts };
  journal.facts.push({ type: "file.changed", data });
}

export function narrowJobs(jobs: Jobs, { permit, journal }: RunningCall): Jobs {
  const maySee = (id: string) =>
    !journal.over &&
    (permitsSession(permit, sessionEffects.readOutput(id)) || permitsSession(permit, sessionEffects.stopJob(id)));
  return {
    list: () => jobs.list().filter(({ id }) => maySee(id)),
    get: (id) => (maySee(id) ? jobs.get(id) : undefined),
    wait: async (id, timeoutMs) => (maySee(id) ? jobs.wait(id, timeoutMs) : undefined),
    async stop(id) {
      if (journal.over) return callEnded();
      const isPermitted = permitsSession(permit, sessionEffects.stopJob(id));
      return isPermitted ? jobs.stop(id) : notPermitted(journal, `Stopping ${id}`);
    },
  };
}

export function narrowArtifacts({ artifacts, permit, journal, invocationId }: RunningCall): ToolContext["artifacts"] {
  const seen = new Set<string>();
  return {
    size: (id) => artifacts.size(id),
    keep(content) {
      if (journal.over) return callEnded();
      const kept = artifacts.put("tool_output", content);
      if (kept.ok) journal.artifacts.push(kept.value);
      return kept;
    },
    read(id, range) {
      if (journal.over) return callEnded();
      if (!permitsSession(permit, sessionEffects.readArtifact(id)))
        return notPermitted(journal, `Reading artifact ${id}`);
      if (!seen.has(id)) journal.facts.push({ type: "artifact.read", data: { artifact: id, by: invocationId } });
      seen.add(id);
      return artifacts.read(id, range);
    },
  };
}

export function narrowSkills(
  skills: SkillLibrary,
  { permit, journal }: RunningCall,
  isOpen: (skill: SkillFacts) => Promise<boolean>,
): SkillLibrary {
  const speaks = permit.effects.some(
    (effect) =>
      effect.op === "session" &&
      (effect.what === sessionEffects.listSkills || effect.what.startsWith(sessionEffects.readSkill(""))),
  );
  const maySee = () => speaks && !journal.over;
  const mayRead = ({ name }: SkillFacts) => permitsSession(permit, sessionEffects.readSkill(name));
  const isShown = async (skill: SkillFacts) => mayRead(skill) || isOpen(skill);
  return {
    some: skills.some,
    async list() {
      const all = maySee() ? await skills.list() : [];
      const shown = await Promise.all(all.map(isShown));
      return all.filter((_, index) => shown[index]);
    },
    async find(name) {
      const skill = maySee() ? await skills.find(name) : undefined;
      return skill !== undefined && (await isShown(skill)) ? skill : undefined;
    },
    files: (skill) => (maySee() ? skills.files(skill) : []),
    async read(skill, file) {
      if (journal.over) return callEnded();
      return mayRead(skill) ? skills.read(skill, file) : notPermitted(journal, `Reading the skill ${skill.name}`);
    },
    offers: () => [],
  };
}

export function narrowServers(
  host: ServerHost | undefined,
  call: RunningCall & ChangeWatching & { readonly underWay: CallUnderWay },
): Servers {
  const { permit, journal, underWay } = call;
  const within = async <Value>(
    server: string,
    tool: string,
    use: (host: ServerHost) => Promise<Value>,
  ): Promise<Value | ReturnType<typeof fail>> => {
    if (journal.over) return callEnded();
    const isNamed = permit.effects.some((one) => one.op === "call" && one.server === server && one.tool === tool);
    if (!isNamed) return notPermitted(journal, `Calling ${tool} of the server ${server}`);
    if (host !== undefined) return use(host);
    return fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  };
  const { listResources, readResource, getPrompt } = requestEffects;
  return {
    call: (request) =>
      within(request.server, request.tool, async (servers) => {
        const changedSince = watchChanges(call, { roots: servers.writes(request.server) });
        const answer = await servers.call({ ...request, underWay });
        recordChanges(call, changedSince());
        return answer;
      }),
    listResources: (server, signal) =>
      within(server, listResources, (servers) => servers.listResources(server, signal)),
    readResource: (server, uri, signal) =>
      within(server, readResource, (servers) => servers.readResource(server, uri, signal)),
    // A permit to read a resource includes its change notices.
    watchResource: (server, uri, signal) =>
      within(server, readResource, (servers) => servers.watchResource(server, uri, signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, getPrompt, (servers) => servers.getPrompt(server, wanted, signal)),
    // A permit for a prompt or template includes its completions.
    complete: (server, sought, signal) =>
      within(server, "prompt" in sought.of ? getPrompt : readResource, (servers) =>
        servers.complete(server, sought, signal),
      ),
  };
}
