import type { Permit } from "./verdict.ts";

/** What a call does with its session: a tool declares it, and its permit has to name it before that part is reached. */
export const sessionEffects = {
  readOutput: (job: string) => `read the output of ${job}`,
  stopJob: (job: string) => `stop ${job}`,
  readArtifact: (artifact: string) => `read artifact ${artifact}`,
  listSkills: "list skills",
  readSkill: (skill: string) => `read the skill ${skill}`,
  followSkill: (skill: string) => `follow the skill ${skill}`,
  loadTools: "load tools",
} as const;

/** Word for word: what is like it was not agreed to. */
export function permitsSession({ effects }: Pick<Permit, "effects">, what: string): boolean {
  return effects.some((effect) => effect.op === "session" && effect.what === what);
}
