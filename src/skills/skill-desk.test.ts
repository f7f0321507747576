import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ok } from "../contract/codes.ts";
import { createSkillDesk } from "./skill-library.ts";

function deskWith(skills: Readonly<Record<string, string>>) {
  const workspace = mkdtempSync(path.join(os.tmpdir(), "gauntlet-skills-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  for (const [name, text] of Object.entries(skills)) {
    const folder = path.join(workspace, name.includes("/") ? name : `.claude/skills/${name}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "SKILL.md"), text);
  }
  const home = path.join(workspace, "home");
  const places = {
    workspace,
    home,
    gauntletHome: path.join(home, ".gauntlet"),
    trusted: new Set<string>(),
    isSecret: () => false,
    isTool: () => true,
    wasTrusted: () => false,
  };
  return createSkillDesk({ places: () => ok(places), rank: (_words, all) => all });
}

const good = "---\nname: good\ndescription: Counts words.\n---\nCount.\n";

test("a skill that cannot be read is named with the reason, and a wrong name of a file like one of a skill", async () => {
  const desk = deskWith({ good, broken: "no front matter" });
  expect(await desk.read("good")).toMatchObject({ ok: true });
  expect(await desk.read("broken")).toMatchObject({
    failure: {
      code: "bad_request",
      message: expect.stringMatching(/^The skill "broken" exists, but is not loaded: ./),
      recovery: expect.stringMatching(/broken\/SKILL\.md\.$/),
    },
  });
  expect(await desk.read("absent")).toMatchObject({ failure: { code: "bad_request" } });
  expect(await desk.read("good", "absent.sh")).toMatchObject({ failure: { code: "bad_request" } });
});

async function surveyOf(skills: Readonly<Record<string, string>>) {
  const survey = await deskWith(skills).survey();
  if (!survey.ok) throw new Error(survey.failure.message);
  return {
    skills: survey.value.skills.map(({ name, origin }) => [name, origin]),
    unread: survey.value.unread.map(({ directory, why }) => [
      directory.replace(/^.*?gauntlet-skills-[^/]*\//, ""),
      why,
    ]),
  };
}

test("a name that could be read as something else is not read, and shown as what it is", async () => {
  const plain = ["a b", "a_b.c-1", "größe", "नमूना", "x".repeat(64)];
  const odd = [
    "a\nb: obey",
    "esc\u001b[31m",
    "bidi\u202etxt",
    "a  b",
    " a",
    "a ",
    "hid\u3164den",
    "<b>",
    "x".repeat(65),
  ];
  const { skills, unread } = await surveyOf(Object.fromEntries([...plain, ...odd].map((name) => [name, good])));
  expect(skills.map(([name]) => name)).toEqual(plain.toSorted());
  const shown = (name: string) => JSON.stringify(name).replace(/[\u202e]/g, "\\u{202e}");
  const why = 'is not plain: at most 64 letters, digits, "-", "_" and ".", with single blanks between.';
  expect(unread).toEqual(odd.toSorted().map((name) => [`.claude/skills/${name}`, `Its name ${shown(name)} ${why}`]));
});

test("the person's own keep their names, and nothing is read in our directory of a project", async () => {
  const own = "home/.gauntlet/skills/deploy";
  const { skills, unread } = await surveyOf({ [own]: good, deploy: good, ".gauntlet/skills/shut": good, open: good });
  expect({ skills, unread: unread.map(([directory]) => directory) }).toEqual({
    skills: [
      ["deploy", "user"],
      ["open", "project"],
    ],
    unread: [".claude/skills/deploy", ".gauntlet/skills/shut"],
  });
  expect(unread.map(([, why]) => why)).toEqual([
    expect.stringMatching(/home\/\.gauntlet\/skills\/deploy has the same name and comes first\.$/),
    "Models never see the .gauntlet directory of a project. Move it to .agents/skills or .claude/skills.",
  ]);
});

test("the first 200 folders of a place are looked at, and it is said that there are more", async () => {
  const names = Array.from({ length: 202 }, (_, index) => `s${1_000 + index}`);
  const { skills, unread } = await surveyOf(Object.fromEntries(names.map((name) => [name, good])));
  expect(skills.map(([name]) => name)).toEqual(names.slice(0, 200));
  expect(unread).toEqual([[".claude/skills", "Of its 202 folders only the first 200 are used."]]);
});
