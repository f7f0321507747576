import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ok } from "../../contract/codes.ts";
import { createSkillDesk } from "./skill-desk.ts";

function deskWith(skills: Readonly<Record<string, string>>) {
  const workspace = mkdtempSync(path.join(os.tmpdir(), "gauntlet-skills-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  for (const [name, text] of Object.entries(skills)) {
    mkdirSync(path.join(workspace, ".claude/skills", name), { recursive: true });
    writeFileSync(path.join(workspace, ".claude/skills", name, "SKILL.md"), text);
  }
  const home = path.join(workspace, "home");
  const places = {
    workspace,
    home,
    gauntletHome: path.join(home, ".gauntlet"),
    trusted: new Set<string>(),
    isSecret: () => false,
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
      message: expect.stringMatching(/^The skill "broken" is there, but no session reads it: ./),
      recovery: expect.stringMatching(/broken\/SKILL\.md\.$/),
    },
  });
  expect(await desk.read("absent")).toMatchObject({ failure: { code: "bad_request" } });
  expect(await desk.read("good", "absent.sh")).toMatchObject({ failure: { code: "bad_request" } });
});
