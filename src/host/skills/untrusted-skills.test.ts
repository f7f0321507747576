import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hashFile } from "../hash-file.ts";
import { type LookLimits, type LookMeans, lookMeans } from "./look-limits.ts";
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
  const look = (limits: Partial<LookLimits> = {}, means: Partial<LookMeans> = {}) =>
    lookAtUntrustedSkills(
      { workspace: root, trusted: new Set() },
      { ...lookMeans, limits: { ...lookMeans.limits, ...limits }, ...means },
    );
  return { at, look };
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
    const skills = look({ entries: 2 });
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
    expect([look({ entries: 10 }).copiedFrom(at("lib"))?.certain, look({ entries: 20 }).copiedFrom(at("lib"))]).toEqual(
      [false, undefined],
    );
    const words = projectWith({ [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n", ...more });
    expect(words.look({ entries: 10 }).copiedFrom(words.at("lib"))).toBeUndefined();
  });
});

describe("one look", () => {
  const pad = (at: number) => String(at).padStart(4, "0");
  const crowd = (count: number) => ({
    [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n",
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/scripts/${at}.js`, pad(at)])),
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/${at}.js`, pad(at + count)])),
  });

  /** Files as they are read, and a clock that goes on by a second with each. */
  function counted() {
    const reads: string[] = [];
    const digest = (file: string) => {
      reads.push(file);
      return hashFile(file);
    };
    return { reads, means: { digest, now: () => reads.length * 1_000 } };
  }

  test("reads each file once, however many have its size, and whatever is asked", () => {
    const { at, look } = projectWith(crowd(100));
    const { reads, means } = counted();
    const skills = look({ milliseconds: 1_000_000 }, means);
    expect([skills.copiedFrom(at("src")), skills.copiedFrom(at("src/7.js"))]).toEqual([undefined, undefined]);
    expect(skills.copiedFrom(at("src"))).toBeUndefined();
    expect(reads.length).toBe(200);
    expect(new Set(reads).size).toBe(200);
  });

  test("reads nothing where no size is the same", () => {
    const { at, look } = projectWith({ ...skill, "src/a.js": "console.log('of another length')\n" });
    const { reads, means } = counted();
    expect(look({}, means).copiedFrom(at("src"))).toBeUndefined();
    expect(reads).toEqual([]);
  });

  test.each([
    ["bytes", { bytes: 400, milliseconds: 1_000_000 }],
    ["time", { milliseconds: 100_000 }],
  ])("ends where there is no more %s for it, and says that it cannot tell", (_what, limits) => {
    const { at, look } = projectWith(crowd(100));
    const { reads, means } = counted();
    const skills = look(limits, means);
    expect([skills.copiedFrom(at("src"))?.certain, skills.copiedFrom(at("src/7.js"))?.certain]).toEqual([false, false]);
    expect(reads.length).toBeLessThanOrEqual(101);
  });

  test("names one of many that are the same, and none that nobody runs", () => {
    const same = "the same\n";
    const { at, look } = projectWith({
      [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n",
      ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${folder}/text/${index}.txt`, same])),
      ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`notes/${index}.txt`, same])),
      "code/a.js": same,
    });
    const { copiedFrom } = look();
    expect([copiedFrom(at("notes")), copiedFrom(at("code"))?.certain, copiedFrom(at("notes/1.txt"))?.certain]).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  test("is none where there is no place for skills", () => {
    const { look } = projectWith({ "src/a.js": "1\n" });
    const { some, files } = look();
    expect([some, files()]).toEqual([false, []]);
  });

  test("tells names that fall apart", () => {
    const { at, look } = projectWith({ ...skill, "plain/a.js": "", "blank/x/a b.js": "", "star/*.js": "" });
    const { fallsApart } = look();
    expect(["plain", "blank", "star", "none"].map((name) => fallsApart(at(name)))).toEqual([false, true, true, true]);
    expect(look({ entries: 0 }).fallsApart(at("plain"))).toBe(true);
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
