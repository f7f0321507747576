import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lookAtUntrustedSkills } from "./untrusted-skills.ts";

const folder = ".claude/skills/a";

function projectWith(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(path.join(os.tmpdir(), "untrusted-skills-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (name: string) => path.join(root, name);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  return { at, look: (most?: number) => lookAtUntrustedSkills({ workspace: root, trusted: new Set() }, most) };
}

const skill = {
  [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n",
  [`${folder}/scripts/run.sh`]: "echo ran\n",
  [`${folder}/LICENSE`]: "Do as you like.\n",
};
const copy = skill[`${folder}/scripts/run.sh`] ?? "";

describe("a copy of what nobody trusts", () => {
  test("is found by its path, by links, as a module and below a directory", () => {
    const { at, look } = projectWith({
      ...skill,
      "copy.sh": copy,
      "other.sh": "echo else\n",
      "lib/deep/tool.py": copy,
      "lib/other.py": "1\n",
      "plain/LICENSE": "Do as you like.\n",
      "built/Makefile": "Do as you like.\n",
      "installed/node_modules/x/x.js": copy,
    });
    symlinkSync("copy.sh", at("link.sh"));
    mkdirSync(at("links"));
    symlinkSync("../lib", at("links/lib"));
    mkdirSync(at("round"));
    symlinkSync(".", at("round/again"));
    symlinkSync("..", at("round/up"));
    mkdirSync(at("into"));
    symlinkSync(at(folder), at("into/skill"));
    const skills = look();
    const names =
      "copy.sh copy link.sh lib/deep/tool lib/deep lib links built into . plain round other.sh installed none";
    const run = { file: at(`${folder}/scripts/run.sh`), certain: true };
    expect(Object.fromEntries(names.split(" ").map((name) => [name, skills.copiedFrom(at(name))]))).toEqual({
      "copy.sh": run,
      copy: run,
      "link.sh": run,
      "lib/deep/tool": run,
      "lib/deep": run,
      lib: run,
      links: run,
      built: { file: at(`${folder}/LICENSE`), certain: true },
      into: { file: at(folder), certain: true },
      ".": undefined,
      plain: undefined,
      round: undefined,
      "other.sh": undefined,
      installed: undefined,
      none: undefined,
    });
  });

  test("is found in the directory that a program starts in, where it is read unnamed", () => {
    const { at, look } = projectWith({ ...skill, "a/Makefile": copy, "b/copy.sh": copy });
    const { copiedInto } = look();
    expect([copiedInto(at("a"))?.certain, copiedInto(at("b")), copiedInto(at("none"))]).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  test("is found for a skill that is too large to be trusted", () => {
    const { at, look } = projectWith({ ...skill, "copy.sh": copy });
    for (let file = 0; file < 600; file++) writeFileSync(at(`${folder}/${file}.txt`), `${file} of them\n`);
    cpSync(at("copy.sh"), at("again.sh"));
    expect(look().copiedFrom(at("again.sh"))).toEqual({ file: at(`${folder}/scripts/run.sh`), certain: true });
  });

  test("may be any file of the workspace where the skill cannot be listed whole", () => {
    const { at, look } = projectWith({ ...skill, "other.sh": "echo else\n", "lib/a.py": "1\n" });
    const skills = look(2);
    const uncertain = { file: at(folder), certain: false };
    expect(["other.sh", "other", "lib", "none"].map((name) => skills.copiedFrom(at(name)))).toEqual([
      uncertain,
      uncertain,
      uncertain,
      undefined,
    ]);
    expect(skills.copiedFrom(process.execPath)).toBeUndefined();
  });

  test("may lie in a directory that holds more than can be looked at", () => {
    const more = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`lib/${at}.txt`, `${at}\n`]));
    const { at, look } = projectWith({ ...skill, ...more });
    expect([look(10).copiedFrom(at("lib"))?.certain, look(20).copiedFrom(at("lib"))]).toEqual([false, undefined]);
    const words = projectWith({ [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n", ...more });
    expect(words.look(10).copiedFrom(words.at("lib"))).toBeUndefined();
  });
});

test("a path where nothing is yet is like one of them by its last names", () => {
  const { at, look } = projectWith({ ...skill, "there/scripts/run.sh": "true\n" });
  const { namedLike } = look();
  const script = at(`${folder}/scripts/run.sh`);
  expect([
    namedLike(at("x/scripts/run.sh"), 2),
    namedLike(at("x/scripts/run"), 2),
    namedLike(at("x/skills/a"), 2),
    namedLike(at("x/run.sh"), 2),
    namedLike(at("x/run.sh"), 1),
    namedLike(at("x/a"), 1),
    namedLike(at("there/scripts/run.sh"), 2),
  ]).toEqual([script, script, at(folder), undefined, script, undefined, undefined]);
});
