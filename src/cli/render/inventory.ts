import type { DoctorCheck } from "../../contract/app/app.ts";
import type { ListedSkill, SkillSurvey, SkillText } from "../../contract/app/skill.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { below, block, labeller, lines, type Shown, say, type Tone } from "./shown.ts";
import { counted } from "./table.ts";
import type { View } from "./wrap.ts";

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

const marks: Readonly<Record<DoctorCheck["state"], readonly [Tone, string]>> = {
  ok: ["good", "✓"],
  absent: ["quiet", "-"],
  warning: ["warning", "!"],
  missing: ["bad", "✗"],
};

export function renderChecks(checks: readonly DoctorCheck[], { paint, wrap }: View): Shown {
  const width = Math.max(0, ...checks.map((check) => check.name.length));
  return lines(
    checks.flatMap((check) => [
      ...below(
        say`${paint(...marks[check.state])} ${paint("strong", check.name.padEnd(width))}  `,
        check.detail,
        width + 4,
      ).map(wrap),
      ...(check.fix === undefined ? [] : [say`  ${" ".repeat(width)}  ${paint("quiet", "mend it:")} ${check.fix}`]),
    ]),
  );
}

export function hiddenRows(
  menu: readonly MenuEntry[],
  { mostNamed }: { readonly mostNamed: number },
): readonly string[] {
  const hidden = menu.filter(({ visible }) => !visible);
  return [...Map.groupBy(hidden, reasonOf)].map(([reason, tools]) => {
    const named = tools.slice(0, mostNamed).map(({ name }) => name);
    const more = tools.length > mostNamed ? ` and ${tools.length - mostNamed} more` : "";
    return `hidden: ${named.join(", ")}${more} (${reason})`;
  });
}

function reasonOf({ name, hiddenBecause = "hidden" }: MenuEntry): string {
  if (hiddenBecause.startsWith(`${name} is `)) return hiddenBecause.slice(name.length + " is ".length);
  return hiddenBecause.startsWith(`${name} `) ? `it${hiddenBecause.slice(name.length)}` : hiddenBecause;
}
