import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hashedContent } from "./skill-folder.ts";
import { lookAtUntrustedSkills } from "./untrusted-skills.ts";

const folder = ".claude/skills/a";
const skill = {
  [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n",
  [`${folder}/scripts/run.sh`]: "echo ran\n",
};

function projectWith(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(path.join(os.tmpdir(), "untrusted-skills-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (name: string) => path.join(root, name);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  const look = (trusted = new Set<string>()) => lookAtUntrustedSkills({ workspace: root, trusted });
  return { at, look };
}

test("a path leads into a skill by its name, by links and as another name of a file", () => {
  const { at, look } = projectWith({ ...skill, "copy.sh": "echo ran\n" });
  linkSync(at(`${folder}/scripts/run.sh`), at("hard.sh"));
  symlinkSync(at(folder), at("link"));
  const { leadsInto } = look();
  const inside = [folder, `${folder}/scripts/run.sh`, `${folder}/none.sh`, "link", "link/scripts/run.sh", "hard.sh"];
  expect(inside.map((name) => leadsInto(at(name)))).toEqual(inside.map(() => at(folder)));
  const outside = [".claude/skills", "copy.sh", "none.sh", "."];
  expect(outside.map((name) => leadsInto(at(name)))).toEqual(outside.map(() => undefined));
});

test("its entries are its folders and files", () => {
  const { at, look } = projectWith(skill);
  const names = [folder, `${folder}/SKILL.md`, `${folder}/scripts`, `${folder}/scripts/run.sh`];
  expect([...look().entries()].sort()).toEqual(names.map(at));
});

test("trust counts for the folder as it is", () => {
  const { at, look } = projectWith(skill);
  const content = hashedContent(at(folder));
  const found = (skills = look(new Set(content.ok ? [content.value.hash] : []))) => [
    skills.leadsInto(at(folder)),
    skills.entries().length,
  ];
  expect(found()).toEqual([undefined, 0]);
  writeFileSync(at(`${folder}/scripts/run.sh`), "echo other\n");
  expect(found()).toEqual([at(folder), 4]);
});

test("there is none where there is no place for skills", () => {
  const { at, look } = projectWith({ "src/a.js": "1\n" });
  const { some, entries, leadsInto } = look();
  expect([some, entries(), leadsInto(at("src/a.js"))]).toEqual([false, [], undefined]);
});
