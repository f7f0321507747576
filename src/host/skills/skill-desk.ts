import path from "node:path";
import { nearest } from "../../base/nearest.ts";
import type { ListedSkill, SkillDesk, SkillSurvey } from "../../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { createSkillLibrary, type SurveyPlaces, surveySkills } from "./skill-library.ts";

export interface SkillDeskParts {
  /** As the settings are now. */
  places(): Outcome<SurveyPlaces>;
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
      const { skills, unread } = await surveySkills(where.value);
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined) {
        const folder = unread.find(({ directory }) => path.basename(directory) === name);
        return folder === undefined ? noSuchSkill(name, skills) : notRead(name, folder);
      }
      const content = await createSkillLibrary(where.value).read(skill, file);
      if (content.ok) return ok({ skill, content: content.value });
      // A name that was typed wrong, as that of a skill.
      const isThere = file === undefined || skill.files.includes(path.normalize(file));
      return isThere ? content : { ok: false, failure: { ...content.failure, code: "bad_request" } };
    },
  };
}

function notRead(name: string, { directory, why }: SkillSurvey["unread"][number]): Outcome<never> {
  return fail("bad_request", `The skill ${JSON.stringify(name)} is there, but no session reads it: ${why}`, {
    recovery: `Look at ${path.join(directory, "SKILL.md")}.`,
  });
}

function noSuchSkill(name: string, skills: readonly ListedSkill[]): Outcome<never> {
  const names = skills.map((skill) => skill.name);
  const meant = nearest(name, names);
  const hint = meant.length === 0 ? "`gauntlet skills list` names them." : `Did you mean ${meant.join(" or ")}?`;
  return fail("bad_request", `There is no skill named ${JSON.stringify(name)} here.`, { recovery: hint });
}
