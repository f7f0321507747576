import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RuleText } from "../../src/contract/settings.ts";
import { compileRules } from "../../src/gate/rules/compile-rules.ts";
import { escapePattern } from "../../src/gate/rules/path-pattern.ts";
import { gateFor, questionOf } from "../gate-matrix/asking.ts";
import { type Fixture, makeFixture } from "../gate-matrix/fixture.ts";
import { startCampaign } from "./campaign.ts";
import { oddName } from "./odd-names.ts";

const campaign = startCampaign();
const { seed } = campaign;

const actions = ["deny", "ask", "allow"] as const;
const layers = ["managed", "command_line", "user_project", "project", "user", "session"] as const;

/** Anything, and things that look like rules until one reads on. */
const ruleText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "Read",
          "Edit",
          "Bash",
          "Delete",
          "WebFetch",
          "mcp__a__b",
          "Write",
          "Nonsense",
          "(",
          ")",
          "((",
          "))",
        ),
        fc.constantFrom(
          "*",
          "**",
          ":*",
          " *",
          "/",
          "//",
          "~/",
          "./",
          "../",
          "{a,b}",
          "{",
          "}",
          "[a-",
          "]",
          "\\",
          "!",
          "domain:",
        ),
        fc.constantFrom(
          "npm test",
          "src",
          ".env",
          "example.com",
          "*.example.com",
          "\0",
          "\n",
          " ",
          "é",
          "e\u0301",
          "'",
          '"',
        ),
        fc.string({ unit: "grapheme", maxLength: 3 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join("")),
  fc
    .tuple(
      fc.constantFrom("Read", "Edit", "Bash", "Delete", "WebFetch"),
      fc.string({ unit: "grapheme", maxLength: 30 }),
    )
    .map(([tool, content]) => `${tool}(${content})`),
);

const rule: fc.Arbitrary<RuleText> = fc.record({
  text: ruleText,
  action: fc.constantFrom(...actions),
  layer: fc.constantFrom(...layers),
  origin: fc.constant("fuzz.json"),
  match: fc.array(fc.string({ maxLength: 8 }), { maxLength: 1 }),
  noMatch: fc.array(fc.string({ maxLength: 8 }), { maxLength: 1 }),
});

const calls = [
  "read src/a.ts",
  "edit src/a.ts",
  "delete src",
  "grep x .",
  "bash npm test && cat README.md",
  "bash curl https://example.com > out",
  "bash eval x",
];

function makeProject(): Fixture {
  return makeFixture({ "src/a.ts": "x", "README.md": "x", "package.json": "{}" });
}

describe(`rules, seed ${seed}`, { timeout: campaign.timeoutMs }, () => {
  test("whatever is written as a rule, it is compiled and the gate still decides", async () => {
    const fixture = makeProject();
    const questions = await Promise.all(calls.map((call) => questionOf(fixture, call)));
    const places = { workspace: fixture.root, home: fixture.home };
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 3 }), async (texts) => {
        const { rules, problems } = compileRules(texts, places);
        const broken = new Set(problems.filter(({ level }) => level === "error").map((problem) => problem.rule));
        const gate = gateFor(fixture, {}, { rules });
        for (const question of questions) {
          const verdict = await gate.judge(question);
          expect(verdict.reason).not.toMatch(/the decision failed/);
          // What cannot be read refuses or asks; it never opens anything.
          if (texts.some((text) => broken.has(text) && text.action === "deny")) expect(verdict.decision).toBe("deny");
          if (texts.some((text) => broken.has(text) && text.action === "ask"))
            expect(verdict.decision).not.toBe("allow");
        }
      }),
      { numRuns: campaign.runs(1_500), seed },
    );
  });

  test("adding a denial never turns a refusal or an ask into permission", async () => {
    const fixture = makeProject();
    const questions = await Promise.all(calls.map((call) => questionOf(fixture, call)));
    const places = { workspace: fixture.root, home: fixture.home };
    const strictness = { allow: 0, ask: 1, deny: 2 };
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 2 }), rule, async (texts, added) => {
        const judge = async (all: readonly RuleText[]) => {
          const gate = gateFor(fixture, {}, { rules: compileRules(all, places).rules });
          return Promise.all(questions.map(async (question) => strictness[(await gate.judge(question)).decision]));
        };
        const before = await judge(texts);
        const after = await judge([...texts, { ...added, action: "deny" }]);
        expect(after.every((decision, index) => decision >= (before[index] ?? 0))).toBe(true);
      }),
      { numRuns: campaign.runs(700), seed },
    );
  });

  test("a denied path is denied however it is spelled, and by a link as well", async () => {
    const fixture = makeProject();
    mkdirSync(fixture.path("links"));
    let links = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(oddName, { minLength: 1, maxLength: 3 }).filter(fits),
        fc.constantFrom("file", "directory", "missing"),
        async (names, kind) => {
          const written = `t/${names.join("/")}`;
          if (!place(fixture, written, kind)) return;
          links += 1;
          symlinkSync(fixture.path(written), fixture.path(`links/${links}`));
          const gate = gateFor(fixture, { user: { deny: [`Read(/${escapePattern(written)})`] } });
          for (const spelling of [...spellings(fixture, written), `links/${links}`]) {
            const { decision } = await gate.judge(await questionOf(fixture, `read ${spelling}`));
            expect({ spelling, decision }).toEqual({ spelling, decision: "deny" });
          }
        },
      ),
      { numRuns: campaign.runs(250), seed },
    );
  });

  test("permission for a path is permission for that path", async () => {
    const fixture = makeProject();
    const other = fc.array(oddName, { minLength: 1, maxLength: 3 }).filter(fits);
    await fc.assert(
      fc.asyncProperty(other, other, async (names, others) => {
        const [allowed, asked] = [`t/${names.join("/")}`, `t/${others.join("/")}`];
        fc.pre(asked !== allowed && !asked.startsWith(`${allowed}/`));
        const gate = gateFor(fixture, { user: { allow: [`Edit(/${escapePattern(allowed)})`] } });
        const decide = async (file: string) => (await gate.judge(await questionOf(fixture, `write ${file}`))).decision;
        expect(await decide(asked)).not.toBe("allow");
      }),
      { numRuns: campaign.runs(1_000), seed },
    );
  });
});

/** The name of a component is at most 255 bytes to the kernel. */
function fits(names: readonly string[]): boolean {
  return names.every((name) => Buffer.byteLength(name) <= 255);
}

function place(fixture: Fixture, written: string, kind: "file" | "directory" | "missing"): boolean {
  const target = fixture.path(written);
  try {
    mkdirSync(path.dirname(target), { recursive: true });
    if (kind === "file") writeFileSync(target, "x");
    if (kind === "directory") mkdirSync(target, { recursive: true });
    return true;
  } catch {
    // An earlier one made a file where this one needs a directory, or the other way round.
    return false;
  }
}

/** Ways to write the same place, and names that other systems take for the same. */
function spellings(fixture: Fixture, written: string): readonly string[] {
  return [
    written,
    `./${written}`,
    `src/../${written}`,
    `././/${written.replaceAll("/", "//")}`,
    fixture.path(written),
    written.toUpperCase(),
    written.toLowerCase(),
    written.normalize("NFC"),
    written.normalize("NFD"),
  ];
}
