import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { SkillFacts, SkillLibrary } from "../../contract/app/skill.ts";
import { type Failure, fail } from "../../contract/codes.ts";
import type { Effect, EffectReport } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import type { ContentDraft, Summary, VisibilityContext } from "../../contract/tool.ts";
import { sessionEffects } from "../../contract/verdict.ts";

export const skillName = lazy(() => z.string().min(1).max(200).describe("Name of the skill"));

export function skillsVisible({ hasSkills }: VisibilityContext) {
  return hasSkills === true
    ? ({ visible: true } as const)
    : ({ visible: false, reason: "there are no skills here" } as const);
}

/** A skill of the project is read like any of its files; the user's own skills are always readable. */
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

/** Each with the call that reads it. A skill without scripts needs no trust. */
export function skillsSummary(skills: readonly SkillFacts[], outOf: number): Omit<Summary, "title"> {
  const listed = skills.map(({ name, description, origin, trusted, scripts }) => {
    const trust = trusted || scripts.length > 0 ? { trusted } : {};
    return { name, description, origin, ...trust, next: { tool: "skills_read", input: { name } } };
  });
  return {
    summary: listed.length === 0 ? `None of ${outOf} skills.` : `${listed.length} of ${outOf} skills.`,
    model: listed.length === 0 ? [] : [{ format: "json", text: JSON.stringify(listed, null, 1) }],
    user: listed.map(({ name, description }) => `${name}: ${description}`).join("\n"),
    next: listed[0]?.next,
    data: { skills: listed.map(({ name }) => name) },
  };
}

export function labelled(texts: Readonly<Record<string, string>>): readonly ContentDraft[] {
  return Object.entries(texts).flatMap(([label, text]) => (text === "" ? [] : [{ format: "text", text, label }]));
}
