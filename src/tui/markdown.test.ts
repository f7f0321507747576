import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { painter, say } from "../cli/render/shown.ts";
import { fenceAfter, renderMarkdown } from "./markdown.ts";

const colour = painter({ colour: true });
const plain = painter({ colour: false });

function rendered(text: string, { paint = colour, columns = 80 } = {}): string {
  return renderMarkdown(text, { paint, columns })
    .map((row) => row.text)
    .join("\n");
}

const bold = (text: string) => colour("strong", text).text;
const code = (text: string) => colour("accent", text).text;
const quiet = (text: string) => colour("quiet", text).text;
const slanted = (text: string) => colour("stressed", text).text;

describe("a line", () => {
  test.each<[string, string]>([
    ["plain words", "plain words"],
    ["## What to do ##", bold("What to do")],
    ["#hash is no heading", "#hash is no heading"],
    ["a **strong** word", `a ${bold("strong")} word`],
    ["__init__ and snake_case_name", "__init__ and snake_case_name"],
    ["__two words__", bold("two words")],
    ["an *important* or _other_ one", `an ${slanted("important")} or ${slanted("other")} one`],
    ["2 * 3 * 4 and a ** b", "2 * 3 * 4 and a ** b"],
    ["run `npm test` now", `run ${code("npm test")} now`],
    ["``a`b`` and `**not strong**`", `${code("a`b")} and ${code("**not strong**")}`],
    ["`unclosed and **unclosed", "`unclosed and **unclosed"],
    ["\\*as it is\\*", "*as it is*"],
    ["[docs](https://a.example/x)", `docs ${quiet("(https://a.example/x)")}`],
    ["[https://a.example](https://a.example)", "https://a.example"],
    ["- one", "• one"],
    ["  * two **x**", `  • two ${bold("x")}`],
    ["- [ ] open", "☐ open"],
    ["- [x] done", "☑ done"],
    ["12. twelfth", "12. twelfth"],
    ["> quoted *so*", `${quiet("│ ")}quoted ${slanted("so")}`],
    ["---", quiet("─".repeat(24))],
    ["**a `b` c**", colour("strong", say`a ${colour("accent", "b")} c`).text],
  ])("%s", (line, expected) => {
    expect(rendered(line)).toBe(expected);
  });

  test("keeps its marks where nothing can be painted", () => {
    const text = "# Title\n**strong** and `code`";
    expect(rendered(text, { paint: plain })).toBe(text);
  });

  test("cannot drive the terminal, in no place", () => {
    const hostile = "a\u001b[2J\u202eb";
    const shown = "a\\u{1b}[2J\\u{202e}b";
    for (const line of [`# ${hostile}`, `**${hostile}**`, `\`${hostile}\``, `- ${hostile}`, `> ${hostile}`]) {
      expect(stripVTControlCharacters(rendered(line))).toContain(shown);
    }
    for (const text of [`\`\`\`${hostile}\n${hostile}\n\`\`\``, `| ${hostile} |\n|---|\n| ${hostile} |`]) {
      expect(stripVTControlCharacters(rendered(text))).not.toContain(hostile);
      expect(stripVTControlCharacters(rendered(text))).toContain(shown);
    }
  });

  test("of any length is shown whole, and soon", () => {
    const long = "**a ".repeat(200_000);
    expect(rendered(long).replaceAll("\n", " ")).toBe(long);
  });

  test("loses no word, however it is marked", () => {
    const words = fc.array(fc.constantFrom("word", "`", "**", "*", "_", "|", "[x](y)", "\\", "- ", "#", "\n", "```"));
    fc.assert(
      fc.property(words, (pieces) => {
        const text = pieces.join(" ");
        const count = (value: string) => value.match(/word/g)?.length ?? 0;
        // What a fence is said to be in is shown up to its first blank.
        if (/(`{3,}|~{3,}).*word/.test(text)) return;
        expect(count(stripVTControlCharacters(rendered(text)))).toBe(count(text));
      }),
    );
  });
});

describe("a line that is longer than the window", () => {
  test.each<[string, readonly string[]]>([
    ["one two three four five six", ["one two three four", "five six"]],
    ["- one two three four five six", ["• one two three four", "  five six"]],
    ["  - [x] one two three four five", ["  ☑ one two three", "    four five"]],
    ["12. one two three four five", ["12. one two three", "    four five"]],
    ["> one two three four five six", ["│ one two three four", "│ five six"]],
    ["see https://a.example/much/too/long/for/it", ["see https://a.exampl", "e/much/too/long/for/", "it"]],
  ])("%s", (line, rows) => {
    expect(stripVTControlCharacters(rendered(line, { columns: 20 })).split("\n")).toEqual(rows);
  });

  test("is painted in each of its rows by itself", () => {
    expect(rendered("say **one two three four five** now", { columns: 20 })).toBe(
      `say ${bold("one two three")}\n${bold("four five")} now`,
    );
  });

  test("of code is left to the terminal, so that it can be copied", () => {
    const line = "const words = one + two + three + four;";
    expect(rendered(`\`\`\`\n${line}\n\`\`\``, { columns: 20 })).toBe(`  ${line}`);
  });
});

describe("a fenced block", () => {
  test("is set in, and nothing in it is read as marks", () => {
    const text = "Like this:\n```ts\n# no heading\n| no | table |\n  a **b**\n```\n**on**";
    expect(rendered(text)).toBe(`Like this:\n  # no heading\n  | no | table |\n    a **b**\n${bold("on")}`);
  });

  test("ends only with as much as it began with", () => {
    const fence = fenceAfter(undefined, "````md");
    expect(fence).toEqual({ marker: "````", language: "md" });
    expect(fenceAfter(fence, "```")).toBe(fence);
    expect(fenceAfter(fence, "```ts")).toBe(fence);
    expect(fenceAfter(fence, "`````")).toBeUndefined();
    expect(fenceAfter(undefined, "```inline``` is none")).toBeUndefined();
  });

  test("of a difference has its colours", () => {
    expect(rendered("```diff\n-old\n+new\n```")).toBe(
      `  ${colour("bad", "-old").text}\n  ${colour("good", "+new").text}`,
    );
  });
});

describe("a table", () => {
  const table = "| Name | Count |\n|:-----|------:|\n| `a|b` | 1 |\n| wide 漢字 \\| x | 1000 |\n| short |";

  test("has its columns below each other", () => {
    expect(stripVTControlCharacters(rendered(table)).split("\n")).toEqual([
      "Name          │ Count",
      "──────────────┼──────",
      "a|b           │     1",
      "wide 漢字 | x │  1000",
      "short         │      ",
    ]);
  });

  test("that is too wide keeps its columns, and breaks its cells between words", () => {
    const wide = "| Name | What it is |\n|---|---|\n| a | a **rather long** account of it |\n| b | short |";
    expect(rendered(wide, { columns: 22 }).split("\n")).toEqual([
      `${bold("Name")} │ ${bold("What it is")}     `,
      quiet("─────┼────────────────"),
      `a    │ a ${bold("rather long")}  `,
      "     │ account of it  ",
      "b    │ short          ",
    ]);
  });

  test("that has no room for its columns is told cell by cell", () => {
    const three = "| Name | Kind of it | Count of them |\n|---|---|---|\n| a long name | x | 1 |\n| b |";
    expect(stripVTControlCharacters(rendered(three, { columns: 18 })).split("\n")).toEqual([
      "──────────────────",
      "Name: a long name",
      "Kind of it: x",
      "Count of them: 1",
      "──────────────────",
      "Name: b",
    ]);
  });

  test("without a head is only rows", () => {
    expect(rendered("| a | b |\n| cc | d |")).toBe("a  │ b\ncc │ d");
  });
});
