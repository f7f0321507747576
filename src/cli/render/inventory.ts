import type { DoctorCheck } from "../../contract/app/app.ts";
import type { ListedSkill, SkillSurvey, SkillText } from "../../contract/app/skill.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { below, block, lines, type Shown, say, type Tone } from "./shown.ts";
import { counted } from "./table.ts";
import type { View } from "./wrap.ts";

export function renderSurvey({ skills, unread }: SkillSurvey, view: View): Shown {
  const { paint, line } = view;
  if (skills.length + unread.length === 0) {
    return lines([
      line`No skills found. A skill is a folder with a SKILL.md in .agents/skills or .claude/skills, here or in your home directory.`,
    ]);
  }
  return lines([
    ...skills.flatMap((skill) => rows(skill, view)),
    ...unread.map(({ directory, why }) => line`${paint("warning", "not read")}  ${directory}: ${why}`),
    say`${paint("quiet", `${counted(skills.length, "skill")}; \`gauntlet skills show NAME\` shows one`)}`,
  ]);
}

export function renderSkills(skills: readonly ListedSkill[], view: View): Shown {
  return lines(skills.flatMap((skill) => rows(skill, view)));
}

function rows(skill: ListedSkill, { paint, line }: View): readonly (Shown | undefined)[] {
  const { name, description, directory, allowedTools, scripts, trusted, refused, warnings } = skill;
  const mark = trusted || scripts.length === 0 ? paint("good", "✓") : paint("warning", "-");
  return [
    line`${mark} ${paint("strong", name)}  ${description}`,
    line`  ${paint("quiet", `${trustText(skill)}, in ${directory}`)}`,
    allowedTools && line`  ${paint("quiet", "restricts tools to:")} ${namesText(allowedTools)}`,
    scripts.length === 0 ? undefined : line`  ${paint("quiet", "scripts:")} ${scripts.join(", ")}`,
    refused === undefined ? undefined : line`  ${paint("bad", "can never be trusted:")} ${refused}`,
    needsReview(skill) ? say`  ${paint("quiet", "review:")} gauntlet trust` : undefined,
    ...warnings.map((warning) => line`  ${paint("warning", "warning:")} ${warning}`),
  ];
}

function needsReview({ trusted, refused, scripts }: ListedSkill): boolean {
  return !trusted && refused === undefined && scripts.length > 0;
}

export function renderSkill(skill: ListedSkill, { file, text }: SkillText, { paint, line, row, label }: View): Shown {
  const { name, description, directory, hash, allowedTools, compatibility, files, scripts, refused, warnings } = skill;
  const tools = allowedTools === undefined ? "not restricted" : `restricted to ${namesText(allowedTools)}`;
  return lines([
    say`${paint("strong", name)}`,
    line`${description}`,
    say``,
    row("origin", trustText(skill)),
    row("", refused && `can never be trusted: ${refused}`),
    row("review", needsReview(skill) ? "gauntlet trust" : undefined),
    say`${label("folder")}${directory}`,
    say`${label("hash")}${hash}`,
    row("tools", tools),
    row("needs", compatibility),
    row("scripts", namesText(scripts)),
    row("other files", namesText(files.filter((one) => !scripts.includes(one)))),
    ...warnings.map((warning) => row("warning", warning)),
    label(file),
    block(text.trimEnd()),
  ]);
}

function namesText(names: readonly string[]): string {
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
      check.fix === undefined ? undefined : say`  ${" ".repeat(width)}  ${paint("quiet", "fix:")} ${check.fix}`,
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
