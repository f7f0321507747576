import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { SkillFacts, SkillLibrary } from "../../contract/app/skill.ts";
import { type Failure, fail } from "../../contract/codes.ts";
import type { Effect, EffectReport } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import type { Summary, VisibilityContext } from "../../contract/tool.ts";
import { sessionEffects } from "../../contract/verdict.ts";

export const skillName = lazy(() => z.string().min(1).max(200).describe("Name of the skill"));

export function skillsVisible({ hasSkills }: VisibilityContext) {
  return hasSkills === true
    ? ({ visible: true } as const)
    : ({ visible: false, reason: "there are no skills here" } as const);
}

/** A skill of the project is read like any file of it; the person's own were put there to be read. */
export async function readsSkill(name: string, file: string, view: EffectView): Promise<EffectReport> {
  const skill = await view.skills?.find(name);
  const about: Effect = { op: "session", what: sessionEffects.readSkill(name) };
  if (skill?.origin !== "project") return { effects: [about] };
  const path = view.resolve(`${skill.directory}/${file}`);
  if (!path.ok) return { effects: [{ op: "unknown", why: path.failure.message }] };
  return { effects: [about, { op: "read", path: path.value, scope: "file" }] };
}

export async function noSuchSkill(name: string, skills: SkillLibrary): Promise<{ ok: false; failure: Failure }> {
  const names = (await skills.list()).map((skill) => skill.name);
  return fail("runtime_precondition_failed", `There is no skill named ${JSON.stringify(name)}.`, {
    recovery: names.length === 0 ? "There are none." : `There are: ${names.slice(0, 30).join(", ")}.`,
    happened: "nothing",
  });
}

/** One skill as lists show it, with the call that reads it. Without scripts there is nothing to trust. */
export function listed({ name, description, origin, trusted, scripts }: SkillFacts) {
  const trust = trusted || scripts.length > 0 ? { trusted } : {};
  return { name, description, origin, ...trust, next: { tool: "skills_read", input: { name } } };
}

export function skillsSummary(title: string, skills: readonly ReturnType<typeof listed>[], outOf: number): Summary {
  const [first] = skills;
  return {
    title,
    summary: skills.length === 0 ? `None of ${outOf} skills.` : `${skills.length} of ${outOf} skills.`,
    model: skills.length === 0 ? [] : [{ format: "json", text: JSON.stringify(skills, null, 1) }],
    user: skills.map(({ name, description }) => `${name}: ${description}`).join("\n"),
    next: first?.next,
    data: { skills: skills.map(({ name }) => name) },
  };
}
