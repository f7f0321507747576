import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSkill } from "./parse-skill.ts";

const body = "Do this.\n";

describe("SKILL.md", () => {
  test("says nothing to the terminal, however odd it is", async () => {
    const warned: unknown[] = [];
    const listen = (warning: unknown) => void warned.push(warning);
    process.on("warning", listen);
    await parseSkill("---\ndescription: d\nx: !tag \u001b[2Jy\n---\n", "release");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warned).toEqual([]);
  });

  test("with every field", async () => {
    const text = [
      "---",
      "name: release",
      "description: >",
      "  Publishes a new version",
      "  of this package.",
      "license: MIT",
      "compatibility: needs git",
      "metadata: { author: somebody }",
      "allowed-tools: Read, Bash(git add:*) Grep",
      "---",
      body,
    ].join("\n");
    expect(await parseSkill(text, "release")).toEqual({
      ok: true,
      value: {
        name: "release",
        description: "Publishes a new version of this package.",
        allowedTools: ["Read", "Bash", "Grep"],
        compatibility: "needs git",
        body: `${body}`,
        warnings: [],
      },
    });
  });

  test.each([
    ["another name", "name: other\ndescription: d", 'it calls itself "other", and its folder counts'],
    ["no name", "description: d", "it calls itself null, and its folder counts"],
    [
      "too long a description",
      `name: release\ndescription: ${"d".repeat(1_025)}`,
      "its description is longer than 1,024 characters",
    ],
  ])("with %s is read with a warning", async (_, fields, warning) => {
    const parsed = await parseSkill(`---\n${fields}\n---\n${body}`, "release");
    expect(parsed).toMatchObject({ ok: true, value: { warnings: [warning] } });
  });

  test.each([
    ["no front matter", "# Title"],
    ["no description", "---\nname: release\n---\n"],
    ["a list", "---\n- a\n---\n"],
    ["what is no YAML", "---\na: [1\n---\n"],
    [
      "aliases without end",
      `---\na: &a [x,x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n---\n`,
    ],
  ])("with %s is none", async (_, text) => {
    expect(await parseSkill(text, "release")).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  });

  test("cannot drive a terminal with its description", async () => {
    const parsed = await parseSkill('---\ndescription: "a\\u001b[31mb\\nc"\n---\n', "release");
    expect(parsed).toMatchObject({ ok: true, value: { description: "ab c" } });
  });

  test("property: whatever a file holds, there is an answer", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (fields, rest) => {
        const parsed = await parseSkill(`---\n${fields}\n---\n${rest}`, "x");
        if (parsed.ok) expect(parsed.value.description).not.toBe("");
      }),
    );
  });
});
