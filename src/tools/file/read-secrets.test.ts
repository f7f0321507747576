import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { modelText, openSession } from "../../../test/support/file-tools.ts";

const alphabet = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9";
const token = `ghp_${alphabet.slice(0, 36)}`;
const body = Array.from({ length: 20 }, (_, line) => `${line + 10}${alphabet.slice(line)}${alphabet}`.slice(0, 64));
const notes = ["# notes", "-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----", "after"];

let place: string;
let session: ReturnType<typeof openSession>;
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "read-secrets-")));
  fs.mkdirSync(path.join(place, "work"));
  session = openSession(place);
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

async function read(given: Record<string, unknown>): Promise<string> {
  const { code, summary } = await session.call("read", given);
  expect(code).toBe("ok");
  return modelText(summary);
}

/** The longest part of the secret that is in the text. */
function leaked(secret: string, text: string): number {
  for (let length = secret.length; length > 0; length -= 1) {
    for (let at = 0; at + length <= secret.length; at += 1)
      if (text.includes(secret.slice(at, at + length))) return length;
  }
  return 0;
}

describe("a private key", () => {
  test.each([
    ["the whole", {}],
    ["a page that begins inside", { offset: 3 }],
    ["a page inside", { offset: 5, limit: 4 }],
    ["one line", { offset: 9, limit: 1 }],
    ["the end", { tail: 4 }],
    ["a page that ends inside", { limit: 6 }],
  ])("is in no part of the file: %s", async (_, part) => {
    session.put("notes.md", `${notes.join("\n")}\n`);
    const shown = await read({ path: "notes.md", ...part });
    expect(shown).toMatch(/\[redacted:private-key:[0-9a-f]{8}\]/);
    for (const line of body) expect(leaked(line, shown)).toBeLessThan(8);
  });

  test("leaves the numbers of lines as they are, and the same mark on each", async () => {
    session.put("notes.md", notes.join("\r\n"));
    const lines = (await read({ path: "notes.md" })).split("\n");
    expect(lines).toHaveLength(notes.length);
    expect(lines[0]).toBe("1\t# notes");
    expect(lines.at(-1)).toBe(`${notes.length}\tafter`);
    expect(new Set(lines.slice(1, -1).map((line) => line.replace(/^\d+\t/, ""))).size).toBe(1);
  });

  test("does not hinder an edit beside it: what was read counts as read, and its bytes stay", async () => {
    session.put("notes.md", `${notes.join("\n")}\n`);
    await read({ path: "notes.md" });
    expect(session.baselines.get(session.at("notes.md"))).toMatchObject({ shown: true, lines: { from: 1, total: 24 } });
    const edited = await session.call("edit", { path: "notes.md", old_string: "after", new_string: "later" });
    expect(edited.code).toBe("ok");
    expect(edited.summary).toMatchObject({ data: { diffStat: { insertions: 1, deletions: 1 } } });
    expect(modelText(edited.summary)).toMatch(/^ \[redacted:private-key:\w{8}\]\n-after\n\+later$/m);
    for (const line of body) expect(leaked(line, JSON.stringify(edited.summary))).toBeLessThan(8);
    expect(session.get("notes.md")).toBe(`${[...notes.slice(0, -1), "later"].join("\n")}\n`);
  });
});

describe("a diff", () => {
  test("of a key that changes shows nothing of either, and where it changed", async () => {
    session.put("notes.md", `${notes.join("\n")}\n`);
    await read({ path: "notes.md" });
    const [, , , line = ""] = body;
    const edited = await session.call("edit", {
      path: "notes.md",
      old_string: line,
      new_string: `${line.slice(0, 60)}AAAA`,
    });
    expect(modelText(edited.summary).split("\n").slice(2)).toEqual([
      "@@ -3,7 +3,7 @@",
      ...Array(3).fill(expect.stringMatching(/^ \[redacted:private-key:\w{8}\]$/)),
      expect.stringMatching(/^-\[redacted:private-key:\w{8}\]$/),
      expect.stringMatching(/^\+\[redacted:private-key:\w{8}\]$/),
      ...Array(3).fill(expect.stringMatching(/^ \[redacted:private-key:\w{8}\]$/)),
      "",
    ]);
    for (const part of body) expect(leaked(part, JSON.stringify(edited.summary))).toBeLessThan(8);
  });
});

describe("a token", () => {
  test("across the place where a long line is cut shows nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(2_000, 100_000), fc.integer({ min: -60, max: 20 }), async (cut, distance) => {
        const before = "x ".repeat(cut).slice(0, cut + distance - 1);
        session.put("long.txt", `${before} ${token} ${"x ".repeat(500)}\n${cut === 2_000 ? "second\n" : ""}`);
        session.baselines.clear();
        expect(leaked(token, await read({ path: "long.txt" }))).toBeLessThan(4);
      }),
      { numRuns: 60 },
    );
  });

  test("far from the page is not looked for", async () => {
    session.put("log.txt", `${`password=hunter2hunter2 ${"y".repeat(70)}\n`.repeat(3_000)}plain\n`);
    expect(await read({ path: "log.txt", tail: 1 })).toBe("3001\tplain");
  });
});
