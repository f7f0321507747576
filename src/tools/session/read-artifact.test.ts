import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "../../base/text.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { PreconditionView, ToolContext } from "../../contract/ports.ts";
import type { Tool } from "../../contract/tool.ts";
import { createRedactor } from "../../log/redact/redact.ts";
import { observe } from "../../observation/observe.ts";
import type { ReadArtifactInput } from "./artifact-part.ts";
import { readArtifact } from "./read-artifact.ts";

function artifactOf(content: string | Uint8Array) {
  const bytes = Buffer.from(content as string);
  const reads: number[] = [];
  const id = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
  const context: Partial<ToolContext> = {
    secretsIn: createRedactor(new Uint8Array(32)).secretsIn,
    artifacts: {
      keep: () => fail("tool_failed", "Nothing is kept here."),
      size: (asked) => (asked === id ? bytes.length : undefined),
      read(_, range = { offset: 0, length: bytes.length }) {
        reads.push(range.length);
        return ok(bytes.subarray(range.offset, range.offset + range.length));
      },
    },
  };
  async function read(rest: Omit<ReadArtifactInput, "id"> & { id?: string }) {
    const input = { id, ...rest };
    const result = await readArtifact.run(input, context as ToolContext);
    const summary = readArtifact.summarize?.(result, input);
    if (summary === undefined) throw new Error("read_artifact has no words");
    const [draft] = summary.model;
    const text = draft === undefined || draft.format === "stream" ? "" : draft.text;
    return { result, summary, text, input };
  }
  return { id, read, reads };
}

const numbered = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1}`);
const log = `${numbered.join("\n")}\n`;

describe("pages", () => {
  const { id, read } = artifactOf(log);

  it("starts at the beginning, says what follows, and goes on from there", async () => {
    const { text, summary } = await read({});
    expect(text).toBe(`${numbered.slice(0, 500).join("\n")}\n`);
    expect(summary).toMatchObject({
      summary: `Lines 1-500 of an artifact of ${log.length.toLocaleString("en-US")} bytes; ${log.length - text.length} bytes follow.`,
      omittedBytes: log.length - text.length,
      next: { tool: "read_artifact", input: { id, offset: 501 } },
      data: { id, bytes: log.length, startByte: 0, endByte: text.length, lineCount: 500, firstLine: 1 },
    });
  });

  it.each([
    ["lines", { offset: 1_000, limit: 2 }, "line 1000\nline 1001\n"],
    ["the last lines", { tail: 2 }, "line 1999\nline 2000\n"],
    ["the end by line", { offset: 2_000 }, "line 2000\n"],
    ["bytes", { offset_bytes: log.length - 10 }, "line 2000\n"],
    ["lines from a byte", { offset_bytes: 7, limit: 1 }, "line 2\n"],
    ["a place by its text", { around: "line 1234", context: 1 }, "line 1233\nline 1234\nline 1235\n"],
    ["the first line by its text", { around: "line 1", context: 1 }, "line 1\nline 2\n"],
    ["only the line", { around: "1999", context: 0 }, "line 1999\n"],
  ])("gives %s", async (_, rest, text) => {
    const read1 = await read(rest);
    expect(read1.text).toBe(text);
    expect(read1.summary.omittedBytes).toBeUndefined();
  });

  it("numbers the lines around a text", async () => {
    expect((await read({ around: "line 1234", context: 3 })).summary.data).toMatchObject({
      firstLine: 1_231,
      lineCount: 7,
    });
  });

  it.each([
    ["an unknown id", { id: "sha256-0" }, "runtime_precondition_failed", "id"],
    ["a line after the end", { offset: 2_001 }, "runtime_precondition_failed", "offset"],
    ["a byte after the end", { offset_bytes: 1_000_000 }, "runtime_precondition_failed", "offset_bytes"],
    ["a text that is not there", { around: "no such line" }, "text_not_found", "around"],
  ])("refuses %s", async (_, rest, code, field) => {
    expect((await read(rest)).result).toMatchObject({ ok: false, failure: { code, field, happened: "nothing" } });
  });
});

it("takes one way of pointing at a part, not two", async () => {
  const { input } = readArtifact as Tool<unknown>;
  const parsed = await input["~standard"].validate({ id: "x", tail: 3, around: "y" });
  expect(parsed.issues?.[0]?.message).toBe("give only one of offset, tail, around and offset_bytes");
});

it("is asked about only when there is such an artifact", async () => {
  const view = { artifactSize: (id: string) => (id === "sha256-1" ? 5 : undefined) } as Partial<PreconditionView>;
  const check = (id: string) => readArtifact.preconditions?.({ id }, view as PreconditionView);
  expect(await check("sha256-1")).toBeUndefined();
  expect(await check("sha256-2")).toMatchObject({ code: "runtime_precondition_failed", field: "id" });
});

it("declines binary content politely", async () => {
  const { read } = artifactOf(Buffer.from([1, 2, 0, 3]));
  expect((await read({})).summary.summary).toMatch(/is binary \(4 bytes\) and has no lines to show/);
});

it("shows text that zeros divide as text", async () => {
  const { read } = artifactOf("one\0two\nthree\n");
  expect((await read({})).text).toBe("one␀two\nthree\n");
});

it("shows an empty artifact as empty", async () => {
  const { read } = artifactOf("");
  expect((await read({})).summary.summary).toBe("The artifact is empty.");
  expect((await read({ tail: 3 })).text).toBe("");
});

it("finds a text although colours stand inside it, as the model quoted it without them", async () => {
  const { read } = artifactOf(`${log}\u001b[41m FAIL \u001b[49m tests/\u001b[1msum\u001b[22m.test.ts\nafter\n`);
  const { summary } = await read({ around: "FAIL  tests/sum.test.ts", context: 1 });
  expect(summary.data).toMatchObject({ firstLine: 2_000, lineCount: 3 });
});

it("shows the place in a line of a megabyte, not the line's beginning", async () => {
  const { read } = artifactOf(`${"x".repeat(700_000)}NEEDLE${"y".repeat(700_000)}\n`);
  const { text } = await read({ around: "NEEDLE" });
  expect(text).toContain("xNEEDLEy");
  expect(text.length).toBeLessThan(10_000);
});

it("never loads a long artifact whole", async () => {
  const { read, reads } = artifactOf("a line that is not looked for\n".repeat(400_000));
  await read({ around: "nowhere" });
  await read({ offset: 399_999 });
  await read({ tail: 5 });
  expect(Math.max(...reads)).toBeLessThanOrEqual(1024 * 1024);
});

describe("properties", () => {
  const line = fc.constantFrom(
    "a",
    "",
    "grüße 🎉",
    "x".repeat(3_000),
    "10%\r20%\r30%",
    "\u001b[31mred\u001b[0m",
    "Error: bad",
  );
  const content = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 60 }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""))
    .filter((text) => text !== "");

  it("following the next step gives every byte once", async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 10 }), async (text, limit) => {
        const { read } = artifactOf(text);
        let all = "";
        let rest: Omit<ReadArtifactInput, "id"> = { limit };
        for (let turns = 0; turns < 200; turns += 1) {
          const page = await read(rest);
          all += page.text;
          if (page.summary.next === undefined) break;
          const { id: _, ...asked } = page.summary.next.input;
          rest = { limit, ...(asked as Omit<ReadArtifactInput, "id">) };
        }
        expect(all).toBe(text);
      }),
    );
  });

  /** Reads on as the model would, from the step that each observation names. */
  async function readOn(text: string, allowance: number) {
    const { read, id } = artifactOf(text);
    const shown: string[] = [];
    let rest: Omit<ReadArtifactInput, "id"> = {};
    for (let turns = 0; turns < 500; turns += 1) {
      const { result, input } = await read(rest);
      const { observation, stored } = observe({
        intentId: "a",
        toolName: "read_artifact",
        tool: readArtifact as Tool<never>,
        input,
        ending: { kind: "ended", result },
        effects: { declared: [], seen: [] },
        startedAt: 0,
        endedAt: 0,
        sandbox: { backend: "none", enforces: false },
        auditId: "evt",
        allowance,
        artifacts: { put: (kind, whole) => ok({ kind, id, bytes: whole.length }) },
        redact: (same) => same,
      });
      expect(stored).toEqual([]);
      shown.push(
        observation.model.content.map((block) => block.text.replace(/\n?\[… .* omitted here; .*\]\n$/, "")).join(""),
      );
      const { next } = observation.model;
      if (next === undefined) return shown;
      const { id: _, ...asked } = next.input;
      rest = asked as Omit<ReadArtifactInput, "id">;
    }
    throw new Error("reading on never ended");
  }

  it("reading on after pages that were cut for the model shows every character, whatever the share", async () => {
    const plain = fc.constantFrom("a", "grüße 🎉", "x".repeat(3_000), "z".repeat(20_000), "Error: bad", "b");
    await fc.assert(
      fc.asyncProperty(
        fc.array(plain, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 4_500, max: 60_000 }),
        async (lines, allowance) => {
          const shown = await readOn(lines.join("\n"), allowance);
          expect(shown.join("").replaceAll("\n", "")).toBe(lines.join(""));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("and with colours and progress bars too, some of it perhaps twice", async () => {
    await fc.assert(
      fc.asyncProperty(content, async (text) => {
        const shown = (await readOn(text, 4_500)).join("\n");
        for (const line of plainText(text).split("\n")) {
          for (let at = 0; at < line.length; at += 900) expect(shown).toContain(line.slice(at, at + 100));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("secrets", () => {
  const alphabet = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9";
  const token = `ghp_${alphabet.slice(0, 36)}`;
  const body = Array.from({ length: 30 }, (_, line) => `${line + 10}${alphabet.slice(line)}${alphabet}`.slice(0, 64));
  const key = ["-----BEGIN RSA PRIVATE KEY-----", ...body, "-----END RSA PRIVATE KEY-----"];

  function expectNothingOf(secret: string, text: string): void {
    for (let at = 0; at + 8 <= secret.length; at += 1) expect(text).not.toContain(secret.slice(at, at + 8));
  }

  it.each([
    ["the whole", {}],
    ["a page that begins inside", { offset: 502 }],
    ["a page inside", { offset: 510, limit: 3 }],
    ["the end", { tail: 20 }],
    ["bytes", { offset_bytes: 5_000 }],
    ["the place of a text", { around: body[20] ?? "", context: 1 }],
    ["what lies behind a text", { around: "line 1 ", context: 5 }],
  ])("are in no part: %s", async (_, part) => {
    const before = Array.from({ length: 500 }, (_line, index) => `line ${500 - index} `);
    const { text } = await artifactOf([...before, ...key, "after"].join("\n")).read(part);
    for (const line of body) expectNothingOf(line, text);
  });

  it("leave the numbers of lines as they are, and a mark on each", async () => {
    const { read } = artifactOf(["first", ...key, "last"].join("\n"));
    const lines = (await read({})).text.split("\n");
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([key.length + 2, "first", "last"]);
    expect(new Set(lines.slice(1, -1))).toEqual(new Set([expect.stringMatching(/^\[redacted:private-key:\w{8}\]$/)]));
    expect((await read({ offset: key.length + 2 })).text).toBe("last");
  });

  it("are not cut in two between the parts of a long line", async () => {
    for (let at = 3_950; at <= 4_010; at += 5) {
      const { read } = artifactOf(`${"x ".repeat(4_000).slice(0, at)} ${token} ${"x ".repeat(4_000)}`);
      const first = await read({});
      expectNothingOf(token, first.text);
      expectNothingOf(token, (await read({ offset_bytes: Number(first.summary.next?.input.offset_bytes) })).text);
      expectNothingOf(token, (await read({ offset_bytes: at + 10 })).text);
    }
  });
});
