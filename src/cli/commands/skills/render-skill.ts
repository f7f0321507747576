import type { ListedSkill, SkillSurvey, SkillText } from "../../../contract/app/skill.ts";
import { block, labeller, lines, type Shown, say } from "../../render/shown.ts";
import { counted } from "../../render/table.ts";
import type { View } from "../../render/wrap.ts";

export function renderSurvey({ skills, unread }: SkillSurvey, view: View): Shown {
  const { paint, wrap } = view;
  if (skills.length + unread.length === 0) {
    return lines([
      wrap(
        say`There are no skills here. One is a folder with a SKILL.md in .agents/skills or .claude/skills, here or in your home directory.`,
      ),
    ]);
  }
  return lines([
    ...skills.flatMap((skill) => rows(skill, view)),
    ...unread.map(({ directory, why }) => wrap(say`${paint("warning", "not read")}  ${directory}: ${why}`)),
    say`${paint("quiet", `${counted(skills.length, "skill")}; \`gauntlet skills show NAME\` shows one`)}`,
  ]);
}

export function renderSkills(skills: readonly ListedSkill[], view: View): Shown {
  return lines(skills.flatMap((skill) => rows(skill, view)));
}

function rows(skill: ListedSkill, { paint, wrap }: View): readonly Shown[] {
  const { name, description, directory, allowedTools, scripts, trusted, refused, warnings } = skill;
  return [
    wrap(
      say`${trusted || scripts.length === 0 ? paint("good", "✓") : paint("warning", "-")} ${paint("strong", name)}  ${description}`,
    ),
    wrap(say`  ${paint("quiet", `${trustText(skill)}, in ${directory}`)}`),
    ...(allowedTools === undefined ? [] : [wrap(say`  ${paint("quiet", "leaves only:")} ${toolsText(allowedTools)}`)]),
    ...(scripts.length === 0 ? [] : [wrap(say`  ${paint("quiet", "scripts:")} ${scripts.join(", ")}`)]),
    ...(refused === undefined ? [] : [wrap(say`  ${paint("bad", "can never be trusted:")} ${refused}`)]),
    ...(trusted || refused !== undefined || scripts.length === 0
      ? []
      : [say`  ${paint("quiet", "decide:")} gauntlet trust`]),
    ...warnings.map((warning) => wrap(say`  ${paint("warning", "odd:")} ${warning}`)),
  ];
}

export function renderSkill(skill: ListedSkill, { file, text }: SkillText, { paint, wrap }: View): Shown {
  const label = labeller(paint);
  const { name, description, directory, hash, allowedTools, compatibility, files, scripts, refused, warnings } = skill;
  const listed = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
  return lines([
    say`${paint("strong", name)}`,
    wrap(say`${description}`),
    say``,
    wrap(say`${label("origin")}${trustText(skill)}`),
    ...(refused === undefined ? [] : [wrap(say`${label("")}can never be trusted: ${refused}`)]),
    ...(skill.trusted || refused !== undefined || scripts.length === 0 ? [] : [say`${label("decide")}gauntlet trust`]),
    say`${label("folder")}${directory}`,
    say`${label("hash")}${hash}`,
    wrap(
      say`${label("tools")}${allowedTools === undefined ? "all, as the mode and the rules have them" : `only ${toolsText(allowedTools)}, while it is followed`}`,
    ),
    ...(compatibility === undefined ? [] : [wrap(say`${label("needs")}${compatibility}`)]),
    wrap(say`${label("scripts")}${listed(scripts)}`),
    wrap(say`${label("other files")}${listed(files.filter((one) => !scripts.includes(one)))}`),
    ...warnings.map((warning) => wrap(say`${label("odd")}${warning}`)),
    say`${label(file)}`,
    block(text.trimEnd()),
  ]);
}

function toolsText(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

function trustText({ origin, trusted, scripts, changed }: ListedSkill): string {
  if (origin === "user") return "yours";
  if (trusted) return "the project's, trusted";
  return scripts.length === 0
    ? "the project's; it has no scripts, so it needs no trust"
    : `the project's, ${changed ? "changed since it was trusted" : "not trusted"}: its scripts do not run`;
}
