import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RuleText } from "../../contract/settings.ts";
import { compileRules } from "./compile-rules.ts";

const places = { workspace: "/w/app", home: "/home/ann" };

function rule(text: string, extra: Partial<RuleText> = {}): RuleText {
  return { text, action: "allow", layer: "user", origin: "test", match: [], noMatch: [], ...extra };
}

function problems(text: string, extra: Partial<RuleText> = {}) {
  const compiled = compileRules([rule(text, extra)], places);
  return { levels: compiled.problems.map((problem) => problem.level), kept: compiled.rules.length };
}

const clean = { levels: [], kept: 1 };

describe("rules at load", () => {
  test.each([
    "Bash(npm test)",
    "Bash(npm run test:*)",
    "Bash(git * main)",
    "bash(npm test)",
    "Read(./.env)",
    "Read(//etc/hosts)",
    "Read(~/notes/**)",
    "Read",
    "Edit(/src/**)",
    "WebFetch(domain:example.com)",
    "WebFetch(domain:*.example.com)",
    "mcp__github__create_issue",
    "Grep",
    "multi_edit",
  ])("%s is sound", (text) => {
    expect(problems(text)).toEqual(clean);
  });

  test.each([
    ["", "empty"],
    ["Bash()", "the brackets are empty"],
    ["Bash(", "no closing bracket"],
    ["Bash(a:* b)", "a prefix in the middle"],
    ["Write(src/**)", "use Edit(…) for paths"],
    ["MultiEdit(src/**)", "use Edit(…) for paths"],
    ["Glob(src/**)", "use Read(…) for paths"],
    ["Grep(foo)", "use Read(…) for paths"],
    ["Frobnicate(x)", "no such form"],
    ["Read(../x)", "climbs"],
    ["Read(!x)", "negated"],
    ["WebFetch(example.com)", "no domain:"],
    ["WebFetch(domain:ex ample)", "no host"],
    ["mcp__", "names no server"],
    ["mcp__git*", "names no server"],
    ["rm -rf", "no tool"],
  ])("%s is an error: %s", (text) => {
    expect(problems(text)).toEqual({ levels: ["error"], kept: 0 });
    // A refusal that cannot be read stays, and refuses everything.
    expect(problems(text, { action: "deny" })).toEqual({ levels: ["error"], kept: 1 });
  });

  test.each([
    "Bash",
    "Bash(*)",
    "Bash(sh:*)",
    "Bash(bash:*)",
    "Bash(bash -c:*)",
    "Bash(curl:*)",
    "Bash(python3 *)",
    "Bash(sudo:*)",
    "Bash(* --version)",
    "Bash(ba* -c x)",
    "Bash(sh -c *)",
    "Bash(bash * x)",
    "Bash(/usr/bin/python3.12:*)",
    "Bash(python:*)",
    "Bash(node:*)",
    "Bash(env:*)",
    "Bash(xargs:*)",
    "Bash(ssh:*)",
    "Bash(eval:*)",
    "Bash(find:*)",
    "Bash(find . -name:*)",
    "Bash(git:*)",
    "Bash(git -C x:*)",
    "Bash(npm:*)",
    "Bash(npm exec:*)",
    "Bash(docker run *)",
    "WebFetch",
    "Edit",
    "Edit(/**)",
    "Read(//**)",
  ])("%s is too broad to allow", (text) => {
    expect(problems(text)).toEqual({ levels: ["warning"], kept: 1 });
    expect(problems(text, { layer: "command_line" })).toEqual({ levels: ["warning"], kept: 1 });
    expect(problems(text, { layer: "project" })).toEqual({ levels: ["error"], kept: 0 });
    // Refusing much is no fault.
    expect(problems(text, { action: "deny", layer: "project" })).toEqual(clean);
  });

  test("an allow rule of a project has no effect until it is trusted, and that is said", () => {
    expect(problems("Bash(npm test)", { layer: "project" })).toEqual({ levels: ["warning"], kept: 0 });
    expect(problems("Bash(npm test)", { layer: "project", trusted: true })).toEqual(clean);
    expect(problems("Bash(npm:*)", { layer: "project", trusted: true })).toEqual({ levels: ["error"], kept: 0 });
  });

  test("one server is nothing broad", () => {
    expect(problems("mcp__github")).toEqual(clean);
    expect(problems("mcp__github__*", { layer: "command_line" })).toEqual(clean);
    expect(problems("mcp__github", { layer: "project", trusted: true })).toEqual(clean);
  });

  test("every server can be refused at once, and none allowed", () => {
    expect(problems("mcp__*", { action: "deny" })).toEqual(clean);
    expect(problems("mcp__*", { action: "ask" })).toEqual(clean);
    expect(problems("mcp__*")).toEqual({ levels: ["error"], kept: 0 });
  });

  test("a tool that nobody knows is pointed out", () => {
    expect(problems("Bsh", { action: "deny" })).toEqual({ levels: ["warning"], kept: 1 });
  });

  test("rules are held to their examples", () => {
    const extra = { match: ["npm run test --watch"], noMatch: ["npm run testing"] };
    expect(problems("Bash(npm run test:*)", extra)).toEqual(clean);
    expect(problems("Bash(npm run test:*)", { match: ["npm run testing"] })).toEqual({ levels: ["error"], kept: 0 });
    expect(problems("Edit(/src/**)", { match: ["src/a.ts"], noMatch: ["test/a.ts"] })).toEqual(clean);
    expect(problems("Edit(/src/**)", { noMatch: ["src/a.ts"] })).toEqual({ levels: ["error"], kept: 0 });
    expect(problems("Read(~/x)", { match: ["~/x"] })).toEqual(clean);
    expect(problems("WebFetch(domain:a.io)", { match: ["a.io"], noMatch: ["a.io.evil.com", "x.a.io"] })).toEqual(clean);
    expect(problems("WebFetch(domain:a.io)", { action: "deny", match: ["x.a.io"], noMatch: ["xa.io"] })).toEqual(clean);
  });

  test.each([
    ["2026-01-31", "2026-01-31T23:59:59Z", []],
    ["2026-01-31", "2026-02-01T00:00:00Z", ["it has expired (2026-01-31) and has no effect"]],
    ["2026-01-31T12:00:00+02:00", "2026-01-31T09:59:59Z", []],
    [
      "2026-01-31T12:00:00+02:00",
      "2026-01-31T10:00:00Z",
      ["it has expired (2026-01-31T12:00:00+02:00) and has no effect"],
    ],
    ["soon", "2026-01-01T00:00:00Z", ['"soon" is not a date']],
  ])("a rule that expires %s, at %s", (expires, now, messages) => {
    const compiled = compileRules([rule("Bash(npm test)", { expires })], places, Date.parse(now));
    expect(compiled.problems.map((problem) => problem.message)).toEqual(messages);
  });

  test.each<[string, readonly RuleText[], readonly string[]]>([
    [
      "the same text allowed and denied",
      [rule("Bash(npm test)"), rule("Bash(npm test)", { action: "deny", origin: "b.json" })],
      ["it has no effect: Bash(npm test) in b.json denies all of it, and deny always wins"],
    ],
    [
      "a wider refusal",
      [
        rule("Bash(npm run lint:*)"),
        rule("Edit(/src/a.ts)"),
        rule("Read(/src/a.ts)"),
        rule("WebFetch(domain:a.io)"),
        rule("mcp__git__push"),
        rule("Bash(npm:*)", { action: "deny" }),
        rule("Edit", { action: "ask" }),
        rule("WebFetch(domain:io)", { action: "deny" }),
        rule("mcp__*", { action: "deny" }),
      ],
      [
        "it has no effect: Bash(npm:*) in test denies all of it, and deny always wins",
        "it has no effect: Edit in test asks for all of it, and ask comes first",
        "it has no effect: WebFetch(domain:io) in test denies all of it, and deny always wins",
        "it has no effect: mcp__* in test denies all of it, and deny always wins",
      ],
    ],
    ["a narrower refusal", [rule("Bash(npm run:*)"), rule("Bash(npm run deploy)", { action: "deny" })], []],
    [
      "twice",
      [rule("Read(/a)"), rule("Read(/a)", { origin: "b.json" }), rule("Read(/a)", { layer: "command_line" })],
      ["it is a duplicate (also in test)"],
    ],
    [
      "expired, so no contradiction",
      [rule("Bash(a)"), rule("Bash(a)", { action: "deny", expires: "2000-01-01" })],
      ["it has expired (2000-01-01) and has no effect"],
    ],
  ])("%s", (_name, rules, messages) => {
    expect(compileRules(rules, places, 1e12).problems.map((problem) => problem.message)).toEqual(messages);
  });

  test("never throws", () => {
    const action = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((inner) => `Bash(${inner})`),
      fc.string().map((inner) => `Read(${inner})`),
    );
    fc.assert(
      fc.property(text, action, (written, act) => void problems(written, { action: act })),
      { numRuns: 1000 },
    );
  });
});
