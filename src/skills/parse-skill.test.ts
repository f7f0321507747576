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
    ["another name", "name: other\ndescription: d", expect.stringContaining('"other"')],
    ["no name", "description: d", expect.stringContaining("null")],
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

  const noYaml = "The front matter of SKILL.md is not valid YAML: ";
  test.each([
    ["# Title", "SKILL.md must begin with front matter between two lines of ---."],
    ["---\nname: x\ndescription: y\n", "The front matter of SKILL.md is not closed: end it with a line of ---."],
    ["---\n---\nWords.\n\n---\n", "The front matter of SKILL.md must be a map of fields."],
    [
      "---\nname: x\ndescription: Lint: the code\n---\n",
      `${noYaml}Nested mappings are not allowed in compact mappings at line 3, column 14. Put a text that contains ": " in quotes.`,
    ],
    [
      "---\na: [1\n---\n",
      `${noYaml}Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 6`,
    ],
  ])("that cannot be read says why: %j", async (text, message) => {
    expect(await parseSkill(text, "x")).toEqual({ ok: false, failure: { code: "bad_request", message } });
  });

  test("cannot drive a terminal with its description", async () => {
    const parsed = await parseSkill('---\ndescription: "a\\u001b[31mb\\nc"\n---\n', "release");
    expect(parsed).toMatchObject({ ok: true, value: { description: "ab c" } });
  });

  const tooMany = "The front matter of SKILL.md has more than 1,000 pieces of YAML.";
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: v`);
  test.each([
    ["a name that holds itself", "name: &a [*a]\ndescription: d", "The name in SKILL.md is not a string."],
    ["a name that is a map", "name: { a: b }\ndescription: d", "The name in SKILL.md is not a string."],
    ["an alias for a name", "x: &a y\nname: *a\ndescription: d", "The name in SKILL.md is not a string."],
    [
      "tools that are no list",
      "description: d\nallowed-tools: { Read: true }",
      "The allowed-tools in SKILL.md must be a list of names.",
    ],
    [
      "an alias for tools",
      "x: &a [Read]\ndescription: d\nallowed-tools: *a",
      "The allowed-tools in SKILL.md must be a list of names.",
    ],
    [
      "a number for tools",
      "description: d\nallowed-tools: 5",
      "The allowed-tools in SKILL.md must be a list of names.",
    ],
    [
      "a yes for tools",
      "description: d\nallowed-tools: true",
      "The allowed-tools in SKILL.md must be a list of names.",
    ],
    [
      "an alias for the name of a field",
      "x: &k allowed-tools\ndescription: d\n*k : Read",
      "The front matter of SKILL.md has an alias as the name of a field.",
    ],
    ["a field twice", "description: d\nx: 1\nx: 2", 'The front matter of SKILL.md has two fields "x".'],
    ["16 KiB", `description: ${"d".repeat(16 * 1024)}`, "The front matter of SKILL.md is longer than 16 KiB."],
    ["145 fields", ["description: d", ...keys(145)].join("\n"), tooMany],
    ["145 fields in a line", `description: d\nm: { ${keys(145).join(", ")} }`, tooMany],
    ["500 lists in lists", `description: d\nm: ${"[".repeat(500)}${"]".repeat(500)}`, tooMany],
    ["500 lists in lists without brackets", `description: d\nm:\n  ${"- ".repeat(500)}`, tooMany],
    ["500 maps for keys", `description: d\nm: ${"? ".repeat(500)}`, tooMany],
    ["500 things wrong", `description: d\nm: ${"& ".repeat(500)}`, tooMany],
  ])("with %s, or more, is not read", async (_, fields, message) => {
    expect(await parseSkill(`---\n${fields}\n---\n`, "x")).toEqual({
      ok: false,
      failure: { code: "bad_request", message },
    });
  });

  test("with as much as it may have is read, whatever a field that nobody asks for stands for", async () => {
    // Each would be made to a text for the key that it is in, and each of those again.
    const keyInKey = `m: ${"{".repeat(100)}a${"}".repeat(100)}`;
    const fields = ["name: x", "description: d", keyInKey, "l: &l [*l, *l]", ...keys(90)];
    expect(await parseSkill(`---\n${fields.join("\n")}\n---\n${body}`, "x")).toEqual({
      ok: true,
      value: { name: "x", description: "d", body, warnings: [] },
    });
  });

  test.each([
    ["Read Bash(git (a) b:*)Grep", ["Read", "Bash", "Grep"]],
    [`Read ${"(".repeat(10_000)}`, ["Read"]],
    ['["Read Grep", 1, [Bash], { toString: 1 }, Read]', ["Read", "Grep"]],
    ["[]", []],
  ])("leaves the tools that it names: %.40s", async (allowed, names) => {
    const text = `---\nname: x\ndescription: d\nallowed-tools: ${allowed}\n---\n`;
    expect(await parseSkill(text, "x")).toEqual({
      ok: true,
      value: { name: "x", description: "d", allowedTools: names, body: "", warnings: [] },
    });
  });

  test("property: whatever its front matter is made of, there is an answer", async () => {
    const pieces = [
      "name",
      "description",
      "allowed-tools",
      "toString",
      "__proto__",
      "&a ",
      "*a",
      "!!str ",
      "!t ",
      "<<",
    ];
    const signs = [
      ": ",
      "\n",
      "\n  ",
      "- ",
      "? ",
      "[",
      "]",
      "{",
      "}",
      ", ",
      "|",
      ">",
      '"',
      "'",
      "#",
      "%",
      "(",
      "0",
      "\0",
    ];
    const fields = fc.array(fc.constantFrom(...pieces, ...signs), { maxLength: 60 }).map((all) => all.join(""));
    await fc.assert(
      fc.asyncProperty(fields, async (text) => {
        const parsed = await parseSkill(`---\ndescription: d\n${text}\n---\n`, "x");
        expect(JSON.stringify(parsed)).toBeTypeOf("string");
      }),
      { numRuns: 500 },
    );
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
