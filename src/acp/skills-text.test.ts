import { expect, test } from "vitest";
import type { ListedSkill } from "../contract/app/skill.ts";
import { skillsText } from "./editor-commands.ts";

const skill: ListedSkill = {
  name: "lint",
  description: "Lints.",
  origin: "project",
  directory: "/here/.claude/skills/lint",
  hash: "sha256:abc",
  trusted: false,
  files: [],
  scripts: [],
  warnings: [],
};

test("a folder that is not read fakes no line by its name", () => {
  const unread = [{ directory: "/here/a\n- lint: Lints. (yours)\u202e", why: "odd" }];
  expect(skillsText({ skills: [], unread })).toBe("- not read: /here/a\\n- lint: Lints. (yours)\\u{202e} (odd)");
});

test("trust is a word about skills with scripts", () => {
  const skills = [skill, { ...skill, scripts: ["run.sh"] }, { ...skill, trusted: true }];
  expect(skillsText({ skills, unread: [] }).split("\n")).toEqual([
    "- lint: Lints. (the project's)",
    "- lint: Lints. (the project's, not trusted (`gauntlet trust`); scripts: run.sh)",
    "- lint: Lints. (the project's, trusted)",
  ]);
});
