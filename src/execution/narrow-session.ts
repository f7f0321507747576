import type { SkillFacts, SkillLibrary } from "../contract/app/skill.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import { fail } from "../contract/codes.ts";
import type { Jobs, ToolContext } from "../contract/ports.ts";
import type { ServerHost } from "../contract/server/admin.ts";
import { type CallUnderWay, requestEffects, type Servers } from "../contract/server/server.ts";
import { type Permit, permitsSession, sessionEffects } from "../contract/verdict.ts";
import { callEnded, type Journal, notPermitted } from "./journal.ts";
import { type ChangeWatching, recordChanges, watchChanges } from "./watch-command.ts";

export function narrowJobs(jobs: Jobs, permit: Permit, journal: Journal): Jobs {
  const maySee = (id: string) =>
    permitsSession(permit, sessionEffects.readOutput(id)) || permitsSession(permit, sessionEffects.stopJob(id));
  return {
    list: () => (journal.over ? [] : jobs.list().filter(({ id }) => maySee(id))),
    get: (id) => (maySee(id) && !journal.over ? jobs.get(id) : undefined),
    wait: async (id, timeoutMs) => (maySee(id) && !journal.over ? jobs.wait(id, timeoutMs) : undefined),
    async stop(id) {
      if (journal.over) return callEnded();
      return permitsSession(permit, sessionEffects.stopJob(id))
        ? jobs.stop(id)
        : notPermitted(journal, `Stopping ${id}`);
    },
  };
}

export function narrowArtifacts(
  artifacts: Pick<ArtifactStore, "size" | "read" | "put">,
  {
    permit,
    journal,
    invocationId,
  }: { readonly permit: Permit; readonly journal: Journal; readonly invocationId: string },
): ToolContext["artifacts"] {
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

export interface SkillReach {
  readonly permit: Permit;
  readonly journal: Journal;
  readonly isOpen: (skill: SkillFacts) => Promise<boolean>;
}

export function narrowSkills(skills: SkillLibrary, { permit, journal, isOpen }: SkillReach): SkillLibrary {
  const speaks = permit.effects.some(
    (effect) =>
      effect.op === "session" &&
      (effect.what === sessionEffects.listSkills || effect.what.startsWith(sessionEffects.readSkill(""))),
  );
  const maySee = () => speaks && !journal.over;
  const isShown = async (skill: SkillFacts) =>
    permitsSession(permit, sessionEffects.readSkill(skill.name)) || isOpen(skill);
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
      if (!permitsSession(permit, sessionEffects.readSkill(skill.name)))
        return notPermitted(journal, `Reading the skill ${skill.name}`);
      return skills.read(skill, file);
    },
    offers: () => [],
  };
}

export interface ServerNarrowing extends ChangeWatching {
  readonly permit: Permit;
  readonly journal: Journal;
  readonly invocationId: string;
  readonly underWay: CallUnderWay;
}

export function narrowServers(host: ServerHost | undefined, narrowing: ServerNarrowing): Servers {
  const { permit, journal, underWay } = narrowing;
  const allows = (server: string, tool: string) =>
    permit.effects.some((effect) => effect.op === "call" && effect.server === server && effect.tool === tool);
  const none = () => fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  const within = async <Value>(
    server: string,
    tool: string,
    use: (host: ServerHost) => Promise<Value>,
  ): Promise<Value | ReturnType<typeof callEnded>> => {
    if (journal.over) return callEnded();
    if (!allows(server, tool)) return notPermitted(journal, `Calling ${tool} of the server ${server}`);
    return host === undefined ? none() : use(host);
  };
  return {
    call: (request) =>
      within(request.server, request.tool, async (servers) => {
        const roots = servers.writes(request.server);
        if (roots.length === 0) return servers.call({ ...request, underWay });
        const changedSince = watchChanges(narrowing, { roots });
        const answer = await servers.call({ ...request, underWay });
        recordChanges(narrowing, changedSince());
        return answer;
      }),
    listResources: (server, signal) =>
      within(server, requestEffects.listResources, (servers) => servers.listResources(server, signal)),
    readResource: (server, uri, signal) =>
      within(server, requestEffects.readResource, (servers) => servers.readResource(server, uri, signal)),
    // A permit to read includes knowing that it changed.
    watchResource: (server, uri, signal) =>
      within(server, requestEffects.readResource, (servers) => servers.watchResource(server, uri, signal)),
    getPrompt: (server, wanted, signal) =>
      within(server, requestEffects.getPrompt, (servers) => servers.getPrompt(server, wanted, signal)),
    complete: (server, sought, signal) => {
      // A permit for the whole includes its completions.
      const whole = "prompt" in sought.of ? requestEffects.getPrompt : requestEffects.readResource;
      return within(server, whole, (servers) => servers.complete(server, sought, signal));
    },
  };
}
