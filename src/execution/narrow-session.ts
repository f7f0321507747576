import type { SkillFacts, SkillLibrary } from "../contract/app/skill.ts";
import type { ArtifactStore } from "../contract/artifact.ts";
import type { Jobs, ToolContext } from "../contract/ports.ts";
import type { Permit } from "../contract/verdict.ts";
import { permitsSession, sessionEffects } from "../contract/verdict.ts";
import { type Journal, notPermitted } from "./journal.ts";
import { callEnded } from "./while-running.ts";

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
