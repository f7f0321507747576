import type { ListedSkill, SkillSurvey } from "../contract/skill.ts";
import { visibleText } from "../contract/visible-text.ts";

/** The skills of a workspace in words for an editor, one in a line. */
export function skillsText({ skills, unread }: SkillSurvey): string {
  if (skills.length + unread.length === 0) return "There are no skills here.";
  return [
    ...skills.map(skillLine),
    ...unread.map(({ directory, why }) => `- not read: ${visibleText(directory)} (${visibleText(why)})`),
  ].join("\n");
}

function skillLine({ name, description, origin, trusted, allowedTools, scripts }: ListedSkill): string {
  const facts = [
    origin === "user" ? "yours" : trusted ? "the project's, trusted" : "the project's, not trusted (`gauntlet trust`)",
    ...(allowedTools === undefined ? [] : [`leaves only ${allowedTools.join(", ") || "no tools"}`]),
    ...(scripts.length === 0 ? [] : [`scripts: ${scripts.join(", ")}`]),
  ];
  return visibleText(`- ${name}: ${description} (${facts.join("; ")})`).replace(/\r?\n/g, "\\n");
}
