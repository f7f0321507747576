import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EffectPart } from "../../contract/effect.ts";
import { fixedText } from "../../shell/command-text.ts";
import {
  allowsCommand,
  type CommandPattern,
  compileCommand,
  escapeCommand,
  guardsCommand,
  isWholeCommand,
} from "./command-pattern.ts";

function compile(text: string): CommandPattern {
  const pattern = compileCommand(text);
  if ("problem" in pattern) throw new Error(pattern.problem);
  return pattern;
}

function part(text: string, extra: Partial<EffectPart> = {}): EffectPart {
  return { text, words: text.split(" "), effects: [{ op: "exec", program: "x", argv: [] }], reason: "", ...extra };
}

const unknown = { effects: [{ op: "unknown" as const, why: "" }] };

describe("what Bash(…) allows", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["npm test", ["npm test"], ["npm test -- x", "npm", "npm testx"]],
    ["npm run test:*", ["npm run test", "npm run test --watch"], ["npm run testing", "npm run", "x npm run test"]],
    ["npm run test *", ["npm run test", "npm run test a b"], ["npm run testing"]],
    ["git * main", ["git push origin main", "git checkout main"], ["git main", "git push origin dev"]],
    ["*", ["anything at all"], []],
    ["rm \\*", ["rm *"], ["rm a"]],
  ])("%s", (text, allowed, others) => {
    const pattern = compile(text);
    for (const command of allowed)
      expect({ command, ok: allowsCommand(pattern, part(command)) }).toEqual({ command, ok: true });
    for (const command of others)
      expect({ command, ok: allowsCommand(pattern, part(command)) }).toEqual({ command, ok: false });
  });

  test("words that are not known are never allowed", () => {
    const { words: _, ...opaque } = part("npm test");
    expect(allowsCommand(compile("npm test"), opaque)).toBe(false);
    expect(allowsCommand(compile("npm:*"), opaque)).toBe(false);
  });

  test("words are compared, not text", () => {
    expect(allowsCommand(compile("rm a b"), part("rm 'a b'", { words: ["rm", "a b"] }))).toBe(false);
    expect(allowsCommand(compile("rm 'a b'"), part("rm 'a b'", { words: ["rm", "a b"] }))).toBe(true);
  });

  test("programs are compared as they are written", () => {
    expect(allowsCommand(compile("npm test"), part("/usr/bin/npm test"))).toBe(false);
    expect(allowsCommand(compile("cat:*"), part("./cat x"))).toBe(false);
  });
});

describe("what Bash(…) refuses", () => {
  test.each<[string, EffectPart, boolean]>([
    ["rm:*", part("rm -rf x"), true],
    ["rm:*", part("/bin/rm -rf x"), true],
    ["rm:*", part("rmdir x"), false],
    ["rm:*", part("echo rm"), false],
    ["rm:*", part("sudo rm x", unknown), true],
    ["rm:*", part("timeout 5 rm x", unknown), true],
    ["rm:*", part("bash -c 'rm x'", { ...unknown, words: ["bash", "-c", "rm x"] }), true],
    ["rm:*", part("bash -c 'ls;rm x'", { ...unknown, words: ["bash", "-c", "ls;rm x"] }), true],
    ["git push:*", part("xargs git push --force", unknown), true],
    ["curl:*", { text: "x $(curl y)", reason: "", ...unknown }, true],
    ["rm -rf src", part("eval 'rm -rf src; ls'", { ...unknown, words: ["eval", "rm -rf src; ls"] }), true],
    ["git * main", part("x /usr/bin/git push origin main now", unknown), true],
    ["git * main", part("x git push origin mainline", unknown), false],
    ["git * main", part("x legit push main", unknown), false],
    ["*", part("x"), true],
  ])("%s on %j: %s", (text, command, expected) => {
    expect(guardsCommand(compile(text), command)).toBe(expected);
  });
});

test("a whole command is matched byte for byte", () => {
  const text = "for f in *.ts; do echo $f; done";
  expect(isWholeCommand(compile(escapeCommand(text)), text)).toBe(true);
  expect(isWholeCommand(compile(escapeCommand(text)), `${text} `)).toBe(true);
  expect(isWholeCommand(compile(escapeCommand(text)), `${text}; rm x`)).toBe(false);
});

test.each([
  ["rm a.ts", ["rm", "a.ts"], "rm a.ts"],
  ["rm 'a b'", ["rm", "a b"], "rm 'a b'"],
  ["rm $f", ["rm", "a.ts"], "rm a.ts"],
  ["rm $f", ["rm", "$f"], undefined],
  ["rm $f", ["rm", "a b"], undefined],
  ["rm `ls`", ["rm", "-rf", "x"], "rm -rf x"],
])("%s with the words %j is fixed as %j", (text, words, expected) => {
  expect(fixedText(part(text, { words }))).toBe(expected);
});

test.each(["", "  ", "a:* b", "git 'x':*", "a:*:*"])("%j is refused", (text) => {
  expect(compileCommand(text)).toHaveProperty("problem");
});

test("an escaped command allows itself and nothing else", () => {
  const word = fc.string({
    unit: fc.constantFrom(..."ab*\\:'\"$-") as fc.Arbitrary<string>,
    minLength: 1,
    maxLength: 5,
  });
  const command = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(command, command, (one, other) => {
      const pattern = compile(escapeCommand(one));
      // With a variable in it only the whole text is certain.
      expect(allowsCommand(pattern, part(one))).toBe(!one.includes("$"));
      expect(isWholeCommand(pattern, one)).toBe(true);
      expect(allowsCommand(pattern, part(other))).toBe(one === other && !one.includes("$"));
    }),
  );
});
