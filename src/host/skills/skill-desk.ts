import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { nearest } from "../../contract/nearest.ts";
import type { ListedSkill, SkillDesk } from "../../contract/skill.ts";
import { createSkillLibrary, type SkillPlaces, surveySkills } from "./skill-library.ts";

export interface SkillDeskParts {
  /** As the settings are now. */
  places(): Outcome<SkillPlaces>;
  /** The same that a model searches with, best first. */
  rank(words: string, skills: readonly ListedSkill[]): readonly ListedSkill[];
}

export function createSkillDesk({ places, rank }: SkillDeskParts): SkillDesk {
  return {
    async survey() {
      const where = places();
      return where.ok ? ok(await surveySkills(where.value)) : where;
    },
    async search(words) {
      const where = places();
      return where.ok ? ok(rank(words, (await surveySkills(where.value)).skills)) : where;
    },
    async read(name, file) {
      const where = places();
      if (!where.ok) return where;
      const { skills } = await surveySkills(where.value);
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined) return noSuchSkill(name, skills);
      const content = await createSkillLibrary(where.value).read(skill, file);
      return content.ok ? ok({ skill, content: content.value }) : content;
    },
  };
}

function noSuchSkill(name: string, skills: readonly ListedSkill[]): Outcome<never> {
  const names = skills.map((skill) => skill.name);
  const meant = nearest(name, names);
  const hint = meant.length === 0 ? "`gauntlet skills list` names them." : `Did you mean ${meant.join(" or ")}?`;
  return fail("bad_request", `There is no skill named ${JSON.stringify(name)} here.`, { recovery: hint });
}
