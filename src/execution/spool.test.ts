import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArtifactRef, ArtifactStore } from "../contract/artifact.ts";
import { fail, ok } from "../contract/codes.ts";
import { createSpool, type Spool } from "./spool.ts";

/** Keeps what was stored, and how it arrived. */
function memoryArtifacts() {
  const stored = new Map<string, Buffer>();
  const writes: number[] = [];
  let open = 0;
  let mostOpen = 0;
  let discarded = 0;
  function keep(kind: ArtifactRef["kind"], bytes: Buffer): ArtifactRef {
    const id = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
    stored.set(id, bytes);
    return { kind, id, bytes: bytes.length };
  }
  const store: ArtifactStore = {
    put: (kind, content) => ok(keep(kind, Buffer.from(content as Uint8Array))),
    writer(kind) {
      const chunks: Buffer[] = [];
      return ok({
        async write(chunk) {
          open += 1;
          mostOpen = Math.max(mostOpen, open);
          await Promise.resolve();
          writes.push(chunk.length);
          chunks.push(Buffer.from(chunk));
          open -= 1;
        },
        finish: async () => ok(keep(kind, Buffer.concat(chunks))),
        async discard() {
          discarded += 1;
        },
      });
    },
    size: (id) => stored.get(id)?.length,
    read: (id) => ok(stored.get(id) ?? Buffer.alloc(0)),
  };
  return { store, stored, writes, facts: () => ({ mostOpen, discarded }) };
}

async function fill(spool: Spool, chunks: readonly Uint8Array[]) {
  for (const chunk of chunks) await spool.write(chunk);
  return spool.finish();
}

async function finished(bytes: Uint8Array, keepBytes?: number) {
  const artifacts = memoryArtifacts();
  const spool = createSpool({ artifacts: artifacts.store, ...(keepBytes === undefined ? {} : { keepBytes }) });
  const result = await fill(spool, [bytes]);
  if (!result.ok) throw new Error(result.failure.message);
  return { stream: result.value, ...artifacts };
}

describe("small output", () => {
  it.each([
    ["nothing", "", 0],
    ["one line", "hello\n", 1],
    ["an unfinished line", "a\nb", 2],
    ["only line ends", "\n\n", 2],
    ["a byte order mark and wide characters", "\ufeffgrüße 🎉\n", 1],
  ])("keeps %s in memory, whole", async (_, text, lines) => {
    const { stream, stored } = await finished(Buffer.from(text));
    expect(stream).toEqual({
      bytes: Buffer.byteLength(text),
      lines,
      complete: text,
      head: text,
      tail: "",
      notable: [],
      binary: false,
    });
    expect(stored.size).toBe(0);
  });

  it("names lines that report failures, with their neighbours and where they are", async () => {
    const text = "one\ntwo\nthree\nError: no such thing\nfive\nsix\nseven\n";
    const { stream } = await finished(Buffer.from(text));
    expect(stream.notable).toEqual([{ line: 2, offset: 4, text: "two\nthree\nError: no such thing\nfive\nsix\n" }]);
  });

  it("keeps bytes that are no text as evidence", async () => {
    const bytes = Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65, 10]);
    const { stream, stored } = await finished(bytes);
    expect(stream.complete).toBe("gr\ufffd\ufffde\n");
    expect(stream.artifact && stored.get(stream.artifact.id)).toEqual(bytes);
  });
});

describe("binary output", () => {
  it("is recognised early, kept, and not decoded", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 1, 2, 3]);
    const { stream, stored } = await finished(bytes);
    expect(stream).toEqual({
      bytes: 6,
      lines: 1,
      head: "",
      tail: "",
      notable: [],
      binary: true,
      artifact: { kind: "command_output", id: expect.any(String), bytes: 6 },
    });
    expect(stream.artifact && stored.get(stream.artifact.id)).toEqual(bytes);
  });

  it("is not assumed for names that zeros divide, whose bytes are kept", async () => {
    const bytes = Buffer.from("./a.ts\0./b.ts\0");
    const { stream, stored } = await finished(bytes);
    expect(stream).toMatchObject({ binary: false, complete: "./a.ts␀./b.ts␀" });
    expect(stream.artifact && stored.get(stream.artifact.id)).toEqual(bytes);
  });

  it("is not assumed for one stray zero in a long log", async () => {
    const { stream } = await finished(Buffer.from(`${"line\n".repeat(3_000)}\0Error: lost\n`));
    expect(stream.binary).toBe(false);
    expect(stream.notable.map((excerpt) => excerpt.text).join()).toContain("Error: lost");
  });
});

describe("long output", () => {
  it("goes to an artifact byte for byte, with head, tail and failures at hand", async () => {
    const log = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `line ${from + index} is fine\n`).join("");
    const before = log(0, 30_000);
    const text = `${before}FAIL tests/sum.test.ts\nExpected: 4\nReceived: 5\n${log(30_000, 60_000)}done\n`;
    const { stream, stored } = await finished(Buffer.from(text));
    expect(stream.complete).toBeUndefined();
    expect(stream.bytes).toBe(Buffer.byteLength(text));
    expect(stream.lines).toBe(60_004);
    expect(text.startsWith(stream.head)).toBe(true);
    expect(text.endsWith(stream.tail)).toBe(true);
    expect(stream.head.endsWith("\n")).toBe(true);
    expect(stream.notable).toEqual([
      {
        line: 29_999,
        offset: before.length - "line 29998 is fine\nline 29999 is fine\n".length,
        text: "line 29998 is fine\nline 29999 is fine\nFAIL tests/sum.test.ts\nExpected: 4\nReceived: 5\nline 30000 is fine\nline 30001 is fine\n",
      },
    ]);
    expect(stream.artifact && stored.get(stream.artifact.id)?.toString()).toBe(text);
  });

  it("prefers the first and the last of many failures, and failures over mere mentions", async () => {
    const mentions = Array.from({ length: 20_000 }, (_, index) => `[warn] error rate ${index}\nquiet\nquiet\nquiet\n`);
    mentions.splice(10_000, 0, "AssertionError: the one that matters\nquiet\nquiet\nquiet\n");
    const { stream } = await finished(Buffer.from(mentions.join("")));
    const texts = stream.notable.map((excerpt) => excerpt.text).join("");
    expect(texts).toContain("the one that matters");
    expect(texts).toContain("error rate 0\n");
    expect(texts).toContain("error rate 199");
    expect(stream.notable.length).toBeLessThanOrEqual(32);
  });

  it("takes 100 MB in fixed blocks, one write at a time, and keeps little of it", async () => {
    const total = 100 * 1024 * 1024;
    const chunk = Buffer.from("a line of output that says nothing\n".repeat(2_000));
    let written = 0;
    let inFlight = 0;
    let blocks = 0;
    const spool = createSpool({
      artifacts: {
        ...memoryArtifacts().store,
        writer: () =>
          ok({
            async write(bytes) {
              inFlight += 1;
              expect(inFlight).toBe(1);
              await Promise.resolve();
              written += bytes.length;
              blocks += 1;
              inFlight -= 1;
            },
            finish: async () => ok({ kind: "command_output" as const, id: "sha256-0", bytes: written }),
            discard: async () => {},
          }),
      },
    });
    let given = 0;
    for (; given < total; given += chunk.length) await spool.write(chunk);
    const result = await spool.finish();
    if (!result.ok) throw new Error(result.failure.message);
    const { head, tail, notable, ...facts } = result.value;
    expect(facts).toEqual({
      bytes: given,
      lines: given / 35,
      binary: false,
      artifact: { kind: "command_output", id: "sha256-0", bytes: given },
    });
    expect(written).toBe(given);
    expect(blocks).toBe(Math.ceil(given / (64 * 1024)));
    expect(head.length + tail.length).toBeLessThanOrEqual(96 * 1024);
    expect(notable).toEqual([]);
  });

  it("lets the writer set the pace", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { store } = memoryArtifacts();
    const spool = createSpool({
      keepBytes: 10,
      artifacts: {
        ...store,
        writer: () =>
          ok({ write: () => gate, finish: async () => fail("log_unavailable", "unused"), discard: async () => {} }),
      },
    });
    let settled = false;
    const writing = Promise.resolve(spool.write(Buffer.alloc(200_000, "x"))).then(() => {
      settled = true;
    });
    await Promise.resolve();
    expect(settled).toBe(false);
    release();
    await writing;
    expect(settled).toBe(true);
  });
});

describe("a store that fails", () => {
  const text = `first\n${"x\n".repeat(500_000)}last\n`;
  it.each([
    ["when it is opened", () => fail("log_unavailable", "The disk is full.")],
    [
      "while it is written",
      () =>
        ok({
          write: async () => {
            throw new Error("The disk is full.");
          },
          finish: async () => fail("log_unavailable", "unused"),
          discard: async () => {},
        }),
    ],
  ])("%s ends as a failure, and what was seen is still there", async (_, writer) => {
    const spool = createSpool({ artifacts: { ...memoryArtifacts().store, writer } });
    const result = await fill(spool, [Buffer.from(text)]);
    expect(result).toEqual({
      ok: false,
      failure: { code: "log_unavailable", message: expect.stringContaining("The disk is full.") },
    });
    const seen = spool.snapshot();
    expect([seen.bytes, seen.head.slice(0, 6), seen.tail.slice(-5)]).toEqual([text.length, "first\n", "last\n"]);
  });
});

it("leaves nothing behind when it is discarded", async () => {
  const artifacts = memoryArtifacts();
  const spool = createSpool({ artifacts: artifacts.store, keepBytes: 10 });
  await spool.write(Buffer.alloc(200_000, "x"));
  await spool.discard();
  expect(artifacts.stored.size).toBe(0);
  expect(artifacts.facts().discarded).toBe(1);
});

it("shows what there is so far, without half a character at the end", async () => {
  const spool = createSpool({ artifacts: memoryArtifacts().store });
  const bytes = Buffer.from("ready ü");
  await spool.write(bytes.subarray(0, bytes.length - 1));
  expect(spool.snapshot().complete).toBe("ready ");
  await spool.write(bytes.subarray(bytes.length - 1));
  expect(spool.snapshot().complete).toBe("ready ü");
});

describe("properties", () => {
  const words = fc.constantFrom("fine\n", "Error: bad\n", "ü🎉\n", "no line end", "\n", "FAIL x\n", "y".repeat(3_000));
  const output = fc.array(words, { maxLength: 400, size: "max" }).map((parts) => Buffer.from(parts.join("")));
  const cuts = fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 50 });

  function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
    const chunks: Buffer[] = [];
    let at = 0;
    for (const size of sizes) {
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    chunks.push(bytes.subarray(at));
    return chunks;
  }

  it("how output was chunked changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(output, cuts, async (bytes, sizes) => {
        const whole = await finished(bytes, 5_000);
        const spool = createSpool({ artifacts: memoryArtifacts().store, keepBytes: 5_000 });
        expect(await fill(spool, chunked(bytes, sizes))).toEqual({ ok: true, value: whole.stream });
      }),
      { numRuns: 60 },
    );
  });

  it("nothing is lost and every excerpt is where it says", async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.integer({ min: 0, max: 300_000 }), async (bytes, keepBytes) => {
        const { stream, stored } = await finished(bytes, keepBytes);
        const text = bytes.toString();
        if (bytes.length <= keepBytes) expect(stream.complete).toBe(text);
        else expect(stream.artifact && stored.get(stream.artifact.id)).toEqual(bytes);
        expect(text.startsWith(stream.head)).toBe(true);
        expect(text.endsWith(stream.tail)).toBe(true);
        let reached = 0;
        for (const excerpt of stream.notable) {
          expect(excerpt.offset).toBeGreaterThanOrEqual(reached);
          const length = Buffer.byteLength(excerpt.text);
          expect(bytes.toString("utf8", excerpt.offset, excerpt.offset + length)).toBe(excerpt.text);
          expect(excerpt.line).toBe(bytes.toString("utf8", 0, excerpt.offset).split("\n").length);
          reached = excerpt.offset + length;
        }
      }),
      { numRuns: 60 },
    );
  });
});
