import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactRef, OutputStream } from "../contract/artifact.ts";
import { fail, ok } from "../contract/codes.ts";
import type { ContentDraft } from "../contract/tool.ts";
import { createSpool } from "../execution/spool.ts";
import { createRedactor } from "../log/redact/redact.ts";
import { type Bounded, type Bounding, boundContent } from "./bound-content.ts";
import { createCleaner } from "./shown-text.ts";

function memoryArtifacts() {
  const stored = new Map<string, string>();
  return {
    stored,
    put(kind: ArtifactRef["kind"], content: Uint8Array | string) {
      const id = `sha256-${createHash("sha256").update(content).digest("hex")}`;
      stored.set(id, Buffer.from(content as string).toString());
      return ok({ kind, id, bytes: Buffer.byteLength(content as string) });
    },
  };
}

function bound(drafts: readonly ContentDraft[], options: Partial<Bounding> & { maxChars?: number; maxLines?: number }) {
  const { maxChars = 100_000, maxLines = 2_000, ...rest } = options;
  const artifacts = memoryArtifacts();
  const bounded = boundContent(drafts, {
    limits: { maxChars, maxLines },
    cleaner: createCleaner({ redact: (text) => text }),
    artifacts,
    pages: false,
    ...rest,
  });
  return { ...bounded, artifacts };
}

async function spooled(text: string): Promise<OutputStream> {
  const spool = createSpool({
    artifacts: {
      put: (kind) => ok({ kind, id: "sha256-put", bytes: 0 }),
      writer: () => {
        let bytes = 0;
        return ok({
          async write(chunk) {
            bytes += chunk.length;
          },
          finish: async () => ok({ kind: "command_output" as const, id: "sha256-log", bytes }),
          discard: async () => {},
        });
      },
      size: () => undefined,
      read: () => fail("file_not_found", "unused"),
    },
  });
  await spool.write(Buffer.from(text));
  const finished = await spool.finish();
  if (!finished.ok) throw new Error(finished.failure.message);
  return finished.value;
}

const notice = /^\[… ([\d,]+) bytes omitted here.*\]$/;

/** What the model was given besides notices, and what the notices add up to. */
function readBack({ blocks }: Bounded) {
  const lines = blocks.flatMap((block) => block.text.split("\n"));
  const said = lines.flatMap((line) => notice.exec(line)?.[1]?.replaceAll(",", "") ?? []);
  return { omitted: said.reduce((sum, count) => sum + Number(count), 0), chars: charsOf(blocks), lines };
}

function charsOf(blocks: Bounded["blocks"]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}

describe("content that fits", () => {
  it("is given whole, tagged as untrusted, with its format", () => {
    const { artifacts, ...bounded } = bound(
      [
        { format: "text", text: "hello\n" },
        { format: "json", text: '{"a":1}', label: "answer" },
        { format: "diff", text: "-a\n+b\n" },
        { format: "text", text: "" },
      ],
      {},
    );
    expect(bounded).toEqual({
      blocks: [
        { trust: "tool_output_untrusted", format: "text", text: "hello\n" },
        { trust: "tool_output_untrusted", format: "json", label: "answer", text: '{"a":1}' },
        { trust: "tool_output_untrusted", format: "diff", text: "-a\n+b\n" },
      ],
      cut: false,
      omittedBytes: 0,
      outputBytes: 19,
      stored: [],
    });
    expect(artifacts.stored.size).toBe(0);
  });

  it("counts one line more than the limit, and one character more, as too much", () => {
    const fits = { maxChars: 1_000, maxLines: 100 };
    expect(bound([{ format: "text", text: "x\n".repeat(100) }], fits).cut).toBe(false);
    expect(bound([{ format: "text", text: "x\n".repeat(101) }], fits).cut).toBe(true);
    expect(bound([{ format: "text", text: "x".repeat(1_000) }], fits).cut).toBe(false);
    expect(bound([{ format: "text", text: "x".repeat(1_001) }], fits).cut).toBe(true);
  });
});

describe("content that is cut", () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}\n`).join("");

  it("keeps head and tail, says how much is missing, and names the call that reads it", () => {
    const { blocks, next, stored, artifacts, omittedBytes } = bound([{ format: "text", text }], { maxChars: 1_000 });
    const [block] = blocks;
    expect(block?.text).toMatch(/^line 1\nline 2\n/);
    expect(block?.text).toMatch(/line 999\nline 1000\n$/);
    const id = stored[0]?.id ?? "";
    expect(block?.text).toContain(
      `[… ${omittedBytes.toLocaleString("en-US")} bytes omitted here; read_artifact id=${id}]`,
    );
    expect(next).toEqual({ tool: "read_artifact", input: { id } });
    expect(artifacts.stored.get(id)).toBe(text);
    expect(charsOf(blocks)).toBeLessThanOrEqual(1_000);
  });

  it("keeps a failure in the middle with its neighbours, and points there", () => {
    const failing = text.replace("line 500\n", "FAIL tests/sum.test.ts\nExpected: 4\nReceived: 5\n");
    const { blocks, next } = bound([{ format: "text", text: failing }], { maxChars: 1_500 });
    expect(blocks[0]?.text).toContain("line 499\nFAIL tests/sum.test.ts\nExpected: 4\nReceived: 5\nline 501\n");
    expect(next).toEqual({
      tool: "read_artifact",
      input: { id: expect.stringMatching(/^sha256-/), around: "FAIL tests/sum.test.ts" },
    });
  });

  it("no longer calls itself JSON or a diff", () => {
    for (const format of ["json", "diff"] as const) {
      expect(bound([{ format, text }], { maxChars: 1_000 }).blocks[0]?.format).toBe("text");
    }
  });

  it("gives small parts whole and shares the rest", () => {
    const { blocks } = bound(
      [
        { format: "text", text, label: "long" },
        { format: "text", text: "short\n", label: "short" },
      ],
      { maxChars: 2_000 },
    );
    expect(blocks.map((block) => [block.label, block.text.length > 1_500])).toEqual([
      ["long", true],
      ["short", false],
    ]);
    expect(blocks[1]?.text).toBe("short\n");
    expect(charsOf(blocks)).toBeLessThanOrEqual(2_000);
  });

  it("is not made of half characters", () => {
    const { blocks } = bound([{ format: "text", text: "🎉".repeat(5_000) }], { maxChars: 2_001 });
    expect(blocks[0]?.text.isWellFormed()).toBe(true);
  });

  it("says so when the whole could not be stored", () => {
    const { blocks, next, cut } = bound([{ format: "text", text }], {
      maxChars: 1_000,
      artifacts: { put: () => fail("log_unavailable", "The disk is full.") },
    });
    expect(blocks[0]?.text).toContain("bytes omitted here; the whole could not be stored]");
    expect([next, cut]).toEqual([undefined, true]);
  });
});

describe("tools that page by themselves", () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `${index + 1}\tline\n`).join("");
  const continueAt = (keptLines: number) => ({ tool: "read", input: { path: "a", offset: 1 + keptLines } });

  it("get whole lines from the beginning, the call that goes on, and no artifact", () => {
    const { blocks, next, stored, omittedBytes } = bound([{ format: "text", text }], {
      maxChars: 1_000,
      pages: true,
      continueAt,
    });
    const kept = blocks[0]?.text.split("\n[…")[0]?.split("\n") ?? [];
    expect(kept[0]).toBe("1\tline");
    expect(next).toEqual({ tool: "read", input: { path: "a", offset: kept.length + 1 } });
    expect(blocks[0]?.text).toContain(
      `bytes omitted here; continue with read {"path":"a","offset":${kept.length + 1}}]`,
    );
    expect(stored).toEqual([]);
    expect(omittedBytes).toBe(Buffer.byteLength(text.split("\n").slice(kept.length).join("\n")));
  });

  it("go on after a line that is longer than everything they may show", () => {
    const { next, cut } = bound([{ format: "text", text: `${"x".repeat(9_000)}\nsecond\n` }], {
      maxChars: 2_000,
      pages: true,
      continueAt,
    });
    expect([next, cut]).toEqual([{ tool: "read", input: { path: "a", offset: 2 } }, true]);
  });
});

describe("output of programs", () => {
  it("of 5 MB becomes at most 8,000 characters, with the failing line and the true size", async () => {
    const noise = (count: number) => "a perfectly ordinary line of a long build log\n".repeat(count);
    const text = `${noise(50_000)}FAIL tests/sum.test.ts\n  Expected: 4\n  Received: 5\n${noise(60_000)}Tests: 1 failed\n`;
    expect(text.length).toBeGreaterThan(5_000_000);
    const stream = await spooled(text);
    const { blocks, next, stored, omittedBytes } = bound([{ format: "stream", stream, label: "stdout" }], {
      maxChars: 16_000,
    });
    expect(charsOf(blocks)).toBeLessThanOrEqual(8_000);
    expect(blocks[0]?.label).toBe(`stdout: excerpts of ${text.length.toLocaleString("en-US")} bytes in 110,004 lines`);
    expect(blocks[0]?.text).toContain("FAIL tests/sum.test.ts\n  Expected: 4\n  Received: 5\n");
    expect(blocks[0]?.text).toContain("Tests: 1 failed\n");
    expect(next).toEqual({
      tool: "read_artifact",
      input: { id: "sha256-log", around: "FAIL tests/sum.test.ts" },
    });
    expect(stored).toEqual([]);
    expect(omittedBytes).toBeGreaterThan(5_000_000 - 8_000);
  });

  it("up to its limit is given whole, and above it cut to excerpts", async () => {
    const whole = await spooled("0123456789\n".repeat(1_400));
    const more = await spooled("0123456789\n".repeat(1_600));
    const limits = { maxChars: 16_000 };
    expect(bound([{ format: "stream", stream: whole, label: "stdout" }], limits).cut).toBe(false);
    const cut = bound([{ format: "stream", stream: more, label: "stdout" }], limits);
    expect(cut.cut).toBe(true);
    expect(charsOf(cut.blocks)).toBeLessThanOrEqual(8_000);
    expect([...cut.artifacts.stored.values()]).toEqual(["0123456789\n".repeat(1_600)]);
  });

  it("that is binary is described, not shown", async () => {
    const stream = await spooled("\u0089PNG\0\0\0");
    const { blocks, cut, omittedBytes } = bound([{ format: "stream", stream, label: "stdout" }], {});
    expect(blocks).toEqual([
      {
        trust: "tool_output_untrusted",
        format: "artifact_ref",
        label: "stdout",
        text: "[binary data, 8 bytes, not shown; kept as sha256-put]",
      },
    ]);
    expect([cut, omittedBytes]).toEqual([true, 8]);
  });

  it("loses its escape sequences for the model and keeps them in the artifact", async () => {
    const raw = `\u001b[31m${"red line\u001b[0m\n".repeat(3_000)}`;
    const stream = await spooled(raw);
    const { blocks, next } = bound([{ format: "stream", stream, label: "stdout" }], { maxChars: 16_000 });
    expect(blocks[0]?.text).not.toContain("\u001b");
    expect(stream.artifact?.id).toBe("sha256-put");
    expect(next?.input).toMatchObject({ id: "sha256-put" });
  });
});

describe("truncation never lies", () => {
  const line = fc.oneof(
    fc.constantFrom("fine", "Error: bad", "FAIL x", "", "ü🎉", "y".repeat(2_500), "0 errors"),
    fc.string({ maxLength: 60, unit: "binary" }).map((text) => text.replace(/[\p{C}\u2028\u2029[]/gu, "")),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 300, size: "max" }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""));
  const limits = fc.record({
    maxChars: fc.integer({ min: 0, max: 20_000 }),
    maxLines: fc.integer({ min: 0, max: 400 }),
  });

  function check(bounded: Bounded, total: number): void {
    const back = readBack(bounded);
    expect(bounded.cut).toBe(bounded.omittedBytes > 0);
    expect(back.omitted).toBe(bounded.omittedBytes);
    if (!bounded.cut) expect(bounded.blocks.reduce((sum, block) => sum + Buffer.byteLength(block.text), 0)).toBe(total);
  }

  it("for texts: kept and omitted bytes add up, and only whole content is called whole", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), limits, fc.boolean(), (texts, { maxChars, maxLines }, pages) => {
        const drafts = texts.map((one) => ({ format: "text" as const, text: one }));
        const bounded = bound(drafts, { maxChars, maxLines, pages });
        check(bounded, Buffer.byteLength(texts.join("")));
        const kept = bounded.blocks
          .map((block) => block.text.replace(/\n?\[… [\d,]+ bytes omitted here[^\n]*\]\n/g, ""))
          .reduce((sum, shown) => sum + Buffer.byteLength(shown), 0);
        // A notice after an unfinished line brings its own line end, which the expression above takes away again;
        // after a finished one it takes that line's end too much.
        const notices = bounded.blocks.reduce((sum, block) => sum + (block.text.match(/\n\[… /g)?.length ?? 0), 0);
        const total = Buffer.byteLength(texts.join(""));
        expect(total - bounded.omittedBytes - kept).toBeGreaterThanOrEqual(0);
        expect(total - bounded.omittedBytes - kept).toBeLessThanOrEqual(notices);
      }),
      { numRuns: 200 },
    );
  });

  it("for streams that were too long to keep", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 60, maxLength: 90 }),
        limits,
        async (texts, { maxChars, maxLines }) => {
          const output = texts.join("\n");
          const bounded = bound([{ format: "stream", stream: await spooled(output), label: "stdout" }], {
            maxChars,
            maxLines,
          });
          check(bounded, Buffer.byteLength(output));
          if (maxChars >= 600) expect(charsOf(bounded.blocks)).toBeLessThanOrEqual(maxChars);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("and never goes beyond the limits it was given, once they leave room to say so", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 400, max: 5_000 }),
        fc.integer({ min: 3, max: 400 }),
        (one, maxChars, maxLines) => {
          const { blocks } = bound([{ format: "text", text: one }], { maxChars, maxLines });
          expect(charsOf(blocks)).toBeLessThanOrEqual(maxChars);
          expect(blocks.reduce((sum, block) => sum + block.text.split("\n").length - 1, 0)).toBeLessThanOrEqual(
            maxLines + 1,
          );
        },
      ),
    );
  });
});

describe("content that is too long to be looked at as a whole", () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const { redactText } = createRedactor(new Uint8Array(32).fill(7));
  /** Counts what is looked at. */
  function counting() {
    let looked = 0;
    const redact = (text: string) => {
      looked += text.length;
      return redactText(text);
    };
    return { cleaner: createCleaner({ redact }), looked: () => looked };
  }
  const most = { maxChars: 10_000, maxLines: 200 };
  const lines = (count: number) => "an ordinary line of an answer\n".repeat(count);

  it("shows both ends, counts what is left out, keeps the whole, and is not looked at in between", () => {
    const { cleaner, looked } = counting();
    const text = `first ${secret}\n${lines(100_000)}last ${secret}\n`;
    const bounded = bound([{ format: "text", text, label: "server it" }], { ...most, cleaner });
    const [block] = bounded.blocks;
    expect(block?.text).toMatch(/^first \[redacted:[^\]]+\]\nan ordinary line/);
    expect(block?.text).toMatch(/ line of an answer\nlast \[redacted:[^\]]+\]\n$/);
    expect(bounded.cut).toBe(true);
    expect(readBack(bounded).omitted).toBe(bounded.omittedBytes);
    expect(bounded.omittedBytes).toBeGreaterThan(text.length - most.maxChars);
    expect([...bounded.artifacts.stored.values()]).toEqual([text]);
    expect(looked()).toBeLessThan(200_000);
  });

  it("of many, the small ones are given whole, and of the others it is said that they are there", () => {
    const { cleaner, looked } = counting();
    const long = Array.from({ length: 40 }, (): ContentDraft => ({ format: "text", text: lines(10_000) }));
    const bounded = bound([...long, { format: "text", text: "a remark\n" }], { ...most, cleaner });
    expect(bounded.blocks).toHaveLength(41);
    expect(bounded.blocks.at(-1)?.text).toBe("a remark\n");
    for (const { text } of bounded.blocks.slice(0, -1)) expect(text).toMatch(/bytes omitted here/);
    expect(looked()).toBeLessThan(600_000);
  });

  it("no secret shows a part of itself, wherever it lies", () => {
    const cleaner = createCleaner({ redact: redactText });
    const filler = lines(10_000);
    const reach = most.maxChars + 64 * 1024;
    const places = [0, most.maxChars, reach, filler.length - reach, filler.length - most.maxChars];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.integer({ min: -60, max: 60 }), fc.boolean(), (place, by, pages) => {
        const at = Math.max(0, place + by);
        // One that is looked for, so that it would be shown.
        const text = `${filler.slice(0, at)}\nerror: ${secret}\n${filler.slice(at)}`;
        const { blocks } = bound([{ format: "text", text }], { ...most, cleaner, pages });
        expect(blocks[0]?.text).not.toMatch(/ghp_|a1B2/);
      }),
      { numRuns: 200 },
    );
  });

  it("what drives a terminal does not count", () => {
    const { blocks, cut } = bound([{ format: "text", text: `${"\u009d".repeat(1_000_000)}seen` }], most);
    expect({ cut, texts: blocks.map(({ text }) => text) }).toEqual({ cut: false, texts: ["seen"] });
  });
});
