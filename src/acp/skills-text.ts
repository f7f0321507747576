import { visibleText } from "../base/text.ts";
import type { ListedSkill, SkillSurvey } from "../contract/app/skill.ts";

/** The skills of a workspace in words for an editor, one in a line. */
export function skillsText({ skills, unread }: SkillSurvey): string {
  if (skills.length + unread.length === 0) return "There are no skills here.";
  return [
    ...skills.map(skillLine),
    ...unread.map(({ directory, why }) => inLine(`- not read: ${directory} (${why})`)),
  ].join("\n");
}

function skillLine({ name, description, origin, trusted, allowedTools, scripts }: ListedSkill): string {
  const facts = [
    origin === "user" ? "yours" : trusted ? "the project's, trusted" : notTrusted(scripts),
    ...(allowedTools === undefined ? [] : [`leaves only ${allowedTools.join(", ") || "no tools"}`]),
    ...(scripts.length === 0 ? [] : [`scripts: ${scripts.join(", ")}`]),
  ];
  return inLine(`- ${name}: ${description} (${facts.join("; ")})`);
}

function inLine(text: string): string {
  return visibleText(text).replace(/\r?\n/g, "\\n");
}

function notTrusted(scripts: readonly string[]): string {
  return scripts.length === 0 ? "the project's" : "the project's, not trusted (`gauntlet trust`)";
}
