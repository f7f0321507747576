import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSearch, textOf } from "../../../test/support/search-tools.ts";
import { mayBeOfKey } from "./show-lines.ts";

const alphabet = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9";
const token = `ghp_${alphabet.slice(0, 36)}`;
const body = [...Array.from({ length: 8 }, (_, line) => `${line}Qk${alphabet}`.slice(0, 64)), "Ag7Qk9=="];
const key = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"];

let place: string;
let search: ReturnType<typeof openSearch>;

beforeAll(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "search-secrets-")));
  const files: Record<string, string> = {
    "docs/notes.md": ["# notes", ...key, "Qk after"].join("\n"),
    "docs/crlf.md": ["# notes", ...key.map((line) => `  ${line}`), "Qk after"].join("\r\n"),
    "docs/prose.md": "Qk\nQkLongWordOfManyLettersInOneLine\n",
    "docs/mention.md": "A -----BEGIN PRIVATE KEY----- line begins it.\nQkThisIsNoPartOfAnyKeyAtAll\n",
    "huge.log": ["Qk", ...key, "x".repeat(17 * 1024 * 1024)].join("\n"),
    "src/a.ts": 'const Qk = "0Az9By8Cx7Dw6Ev5";\n',
  };
  for (let at = 640; at <= 760; at += 4) {
    files[`cut/${at}.txt`] = `needle ${"x ".repeat(600).slice(0, at)} ${token} ${"x ".repeat(600)}\n`;
  }
  for (let at = 19_900; at <= 20_000; at += 4) {
    files[`end/${at}.txt`] = `${"x ".repeat(10_500).slice(0, at)} ${token} ${"x ".repeat(600)}tail\n`;
  }
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(place, "work", name)), { recursive: true });
    fs.writeFileSync(path.join(place, "work", name), text);
  }
});
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  search = openSearch(place);
});

function expectNothingOf(secret: string, text: string): void {
  const plain = text.replace(/\[redacted:[a-z-]+:[0-9a-f]{8}\]/g, "");
  for (let at = 0; at + 8 <= secret.length; at += 1) expect(plain).not.toContain(secret.slice(at, at + 8));
}

describe("a line inside a private key", () => {
  it.each([
    ["by its text", { pattern: "3Qk" }],
    ["by anything", { pattern: "." }],
    ["by its short last line", { pattern: "Ag7Qk9" }],
    ["as a neighbour", { pattern: "Qk after", context: 4 }],
    ["in a file that is named", { pattern: "Qk", path: "docs/notes.md" }],
  ])("is not shown, found %s", async (_, given) => {
    const found = await search.call("grep", { path: "docs", ...given });
    expect(found.code).toBe("ok");
    expect(textOf(found)).toMatch(/^docs\/notes\.md[:-]\d+[:-]\[redacted:private-key:[0-9a-f]{8}\]$/m);
    for (const line of body) expectNothingOf(line, textOf(found));
  });

  it("keeps its number, its count and its neighbours", async () => {
    const found = await search.call("grep", { path: "docs/notes.md", pattern: "Qk" });
    expect(found).toMatchObject({ summary: "10 matches in 1 file." });
    const lines = textOf(found).split("\n");
    expect(lines.map((line) => line.split(":")[1])).toEqual(["3", "4", "5", "6", "7", "8", "9", "10", "11", "13"]);
    expect(lines.at(-1)).toBe("docs/notes.md:13:Qk after");
  });

  it("is left out where the file is too large to tell, and only there", async () => {
    const found = await search.call("grep", { path: "huge.log", pattern: "Qk" });
    expect(textOf(found).split("\n")).toContain("huge.log:4:[not shown: it may be part of a private key]");
    for (const line of body) expectNothingOf(line, textOf(found));
  });

  it("costs a second look only where a line looks like one, and files are read only where a key is named", async () => {
    expect(textOf(await search.call("grep", { path: "src", pattern: "Qk" }))).toBe(
      'src/a.ts:1:const Qk = "0Az9By8Cx7Dw6Ev5";',
    );
    expect([search.runs.length, search.reads]).toEqual([1, []]);
    const prose = await search.call("grep", { path: "docs/prose.md", pattern: "Qk" });
    expect(textOf(prose)).toBe("docs/prose.md:1:Qk\ndocs/prose.md:2:QkLongWordOfManyLettersInOneLine");
    expect([search.runs.length, search.reads]).toEqual([3, []]);
    const mention = await search.call("grep", { path: "docs/mention.md", pattern: "Qk" });
    expect(textOf(mention)).toBe("docs/mention.md:2:QkThisIsNoPartOfAnyKeyAtAll");
    expect([search.runs.length, search.reads]).toEqual([5, [path.join(place, "work", "docs/mention.md")]]);
  });
});

describe("a token", () => {
  it("across the place where a long line is cut shows nothing", async () => {
    const found = await search.call("grep", { path: "cut", pattern: "needle" });
    expect(found).toMatchObject({ code: "ok", data: { matchedCount: 31 } });
    expectNothingOf(token, textOf(found));
  });

  it("across the place where ripgrep stops printing shows nothing", async () => {
    const found = await search.call("grep", { path: "end", pattern: "tail" });
    expect(found).toMatchObject({ code: "ok", data: { matchedCount: 26 } });
    expectNothingOf(token, textOf(found));
  });
});

describe("a second look", () => {
  it.each([
    ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDMhSXA+hrL9iEK", true],
    ["  12 | MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDMhSXA", true],
    ["bCFAhyNKVy6Q85LAgHUTr2I=", true],
    ["Ag==", true],
    ["-----END PRIVATE KEY-----", true],
    ["const value = 1;", false],
    ["the quick brown fox, and so on", false],
    ['  "integrity": "sha512-MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw=="', false],
    ["import { x } from './y.ts'", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(mayBeOfKey(text)).toBe(expected);
  });
});
