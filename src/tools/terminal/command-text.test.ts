import { describe, expect, it } from "vitest";
import type { OutputStream } from "../../contract/artifact.ts";
import { preview, shownCommand } from "./command-text.ts";

const token = "ghp_0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo";
const printed = (complete: string): OutputStream => ({
  bytes: complete.length,
  lines: 1,
  complete,
  head: complete,
  tail: "",
  notable: [],
  binary: false,
});

function expectNothingOf(text: string): void {
  for (let at = 0; at + 8 <= token.length; at += 1) expect(text).not.toContain(token.slice(at, at + 8));
}

describe("the heading of a command", () => {
  it.each([
    ["ls -la", "ls -la"],
    ["one\ntwo", "one …"],
    [`echo ${"word ".repeat(30)}`, `echo ${"word ".repeat(15)}…`],
    [`cat ${"/a/directory".repeat(9)}`, `cat ${"/a/directory".repeat(6)}/a/…`],
  ])("%j", (command, shown) => {
    expect(shownCommand(command)).toBe(shown);
  });

  it("never ends inside a token", () => {
    for (let at = 45; at < 80; at += 1) expectNothingOf(shownCommand(`${"x ".repeat(40).slice(0, at)} ${token} y`));
  });
});

describe("the preview of output", () => {
  it("is all of it when it is short, and its end otherwise", () => {
    expect(preview(printed("built\n"))).toBe("built\n");
    expect(preview(printed("word ".repeat(400)))).toBe("word ".repeat(200));
    expect(preview(printed("words ".repeat(400)))).toBe(` ${"words ".repeat(166)}`);
  });

  it("never begins inside a token", () => {
    for (let at = 961; at < 999; at += 1)
      expectNothingOf(preview(printed(`a ${token} ${"x ".repeat(600).slice(0, at)}`)));
  });
});
