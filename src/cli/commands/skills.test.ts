import { describe, expect, test } from "vitest";
import { run } from "../../../test/support/surface.ts";
import type { ListedSkill } from "../../contract/app/skill.ts";
import { fail, ok } from "../../contract/codes.ts";

const release: ListedSkill = {
  name: "release",
  description: "Publishes a new version.",
  origin: "project",
  directory: "/here/.claude/skills/release",
  hash: "sha256:abc",
  trusted: false,
  allowedTools: ["Read", "Bash"],
  files: ["notes.md", "scripts/publish.sh"],
  scripts: ["scripts/publish.sh"],
  warnings: ['it calls itself "rel", and its folder counts'],
};
const review: ListedSkill = {
  name: "review",
  description: "Reviews a change.",
  origin: "user",
  directory: "/home/ada/.claude/skills/review",
  hash: "sha256:def",
  trusted: true,
  files: [],
  scripts: [],
  warnings: [],
};
const survey = {
  skills: [
    release,
    { ...release, name: "linked", warnings: [], refused: "its x is no file" },
    { ...release, name: "moved", warnings: [], changed: true as const },
    review,
  ],
  unread: [{ directory: "/here/.claude/skills/broken", why: "SKILL.md has no description." }],
};
const skills = {
  survey: async () => ok(survey),
  search: async (words: string) => ok(words === "look at it" ? [review] : []),
  read: async (name: string, file = "SKILL.md") =>
    name === "release"
      ? ok({ skill: release, content: { file, text: "1. Do it.\n" } })
      : fail("bad_request", `There is no skill named "${name}" here.`, { recovery: "Did you mean release?" }),
};
const app = { skills };

describe("gauntlet skills", () => {
  test("list says what each is for, whose it is, what it may and what of it runs", async () => {
    const { code, stdout } = await run(["skills", "list"], { app });
    expect(code).toBe(0);
    expect(stdout).toBe(`- release  Publishes a new version.
  the project's, not trusted: its scripts do not run, in /here/.claude/skills/release
  restricts tools to: Read, Bash
  scripts: scripts/publish.sh
  review: gauntlet trust
  warning: it calls itself "rel", and its folder counts
- linked  Publishes a new version.
  the project's, not trusted: its scripts do not run, in /here/.claude/skills/release
  restricts tools to: Read, Bash
  scripts: scripts/publish.sh
  can never be trusted: its x is no file
- moved  Publishes a new version.
  the project's, changed since it was trusted: its scripts do not run, in /here/.claude/skills/release
  restricts tools to: Read, Bash
  scripts: scripts/publish.sh
  review: gauntlet trust
✓ review  Reviews a change.
  yours, in /home/ada/.claude/skills/review
not read  /here/.claude/skills/broken: SKILL.md has no description.
4 skills; \`gauntlet skills show NAME\` shows one
`);
  });

  test("list says where one would lie when there are none", async () => {
    const none = { skills: { ...skills, survey: async () => ok({ skills: [], unread: [] }) } };
    const { stdout } = await run(["skills", "list"], { app: none });
    expect(stdout).toBe(
      "No skills found. A skill is a folder with a SKILL.md in .agents/skills or .claude/skills, here or in your home directory.\n",
    );
  });

  test("show gives the words that a model reads", async () => {
    expect((await run(["skills", "show", "release"], { app })).stdout).toBe(`release
Publishes a new version.

origin        the project's, not trusted: its scripts do not run
review        gauntlet trust
folder        /here/.claude/skills/release
hash          sha256:abc
tools         restricted to Read, Bash
scripts       scripts/publish.sh
other files   notes.md
warning       it calls itself "rel", and its folder counts
SKILL.md      
1. Do it.
`);
    const { stdout } = await run(["skills", "show", "release", "--file", "notes.md"], { app });
    expect(stdout).toMatch(/\nnotes\.md +\n1\. Do it\.\n$/);
  });

  test("search takes words without quotes, and says when nothing is found", async () => {
    expect((await run(["skills", "search", "look", "at", "it"], { app })).stdout).toMatch(/^✓ review {2}Reviews/);
    const { code, stdout } = await run(["skills", "search", "weather"], { app });
    expect([code, stdout]).toEqual([0, "No skill matches weather. `gauntlet skills list` lists all skills.\n"]);
  });

  test("gives programs all of it", async () => {
    const json = async (...argv: readonly string[]) =>
      JSON.parse((await run(["skills", ...argv, "--json"], { app })).stdout);
    expect(await json("list")).toEqual(survey);
    expect(await json("show", "release")).toEqual({ ...release, content: { file: "SKILL.md", text: "1. Do it.\n" } });
    expect(await json("search", "look", "at", "it")).toEqual([review]);
  });

  test("a name that no skill has ends as usage, with the one that was meant", async () => {
    const { code, stderr } = await run(["skills", "show", "relase"], { app });
    expect([code, stderr]).toEqual([2, 'gauntlet: There is no skill named "relase" here.\nDid you mean release?\n']);
  });

  test.each(["list", "show", "search"])("%s has examples in its help", async (name) => {
    expect((await run(["skills", name, "--help"], { app })).stdout).toContain("Examples:");
  });
});
