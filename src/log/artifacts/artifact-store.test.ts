import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import { sha256 } from "../../base/digest.ts";
import { thisProcess } from "../process-identity.ts";
import { temporaryName } from "./artifact-file.ts";

describe("artifacts", () => {
  it("are named by their content, stored once, and private", () => {
    const { artifacts, directory } = temporaryStore();
    const ref = must(artifacts.put("diff", "hello ü"));
    expect(ref).toEqual({ kind: "diff", id: `sha256-${sha256("hello ü")}`, bytes: 8 });
    const path = pathOf(directory, ref.id);
    const { ino } = statSync(path);
    expect(must(artifacts.put("tool_output", Buffer.from("hello ü")))).toEqual({ ...ref, kind: "tool_output" });
    expect(statSync(path).ino).toBe(ino);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(leftovers(directory)).toEqual([]);
  });

  it("are not given out when somebody changed them", () => {
    const { artifacts, directory } = temporaryStore();
    const { id } = must(artifacts.put("command_output", "what was seen"));
    writeFileSync(pathOf(directory, id), "what was not");
    expect(failureOf(artifacts.read(id))).toMatchObject({
      code: "log_unavailable",
      message: expect.stringContaining("does not match its id"),
    });
  });

  it("are written again when a loss of power cut them short", () => {
    const { artifacts, directory } = temporaryStore();
    const { id } = must(artifacts.put("diff", "complete"));
    truncateSync(pathOf(directory, id), 3);
    must(artifacts.put("diff", "complete"));
    expect(readFileSync(pathOf(directory, id), "utf8")).toBe("complete");
  });

  it("can be read in ranges, and beyond their end there is nothing", () => {
    const { artifacts } = temporaryStore();
    const { id } = must(artifacts.put("tool_output", "0123456789"));
    const read = (offset: number, length: number) => text(must(artifacts.read(id, { offset, length })));
    expect([read(0, 3), read(8, 10), read(10, 1), read(99, 1), read(-5, 2)]).toEqual(["012", "89", "", "", "01"]);
    expect(text(must(artifacts.read(id)))).toBe("0123456789");
    expect(artifacts.size(id)).toBe(10);
  });

  it("are found by nothing but their id", () => {
    const { artifacts } = temporaryStore();
    for (const id of ["", "sha256-", "../redaction.key", `sha256-${"0".repeat(63)}/`]) {
      expect(failureOf(artifacts.read(id)).code).toBe("bad_request");
      expect(artifacts.size(id)).toBeUndefined();
    }
    const absent = `sha256-${"0".repeat(64)}`;
    expect(failureOf(artifacts.read(absent)).code).toBe("file_not_found");
    expect(artifacts.size(absent)).toBeUndefined();
  });
});

describe("a writer", () => {
  it("stores what it was given, in order, waited for or not", async () => {
    const { artifacts, directory } = temporaryStore();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.boolean())), async (chunks) => {
        const writer = must(artifacts.writer("command_output"));
        for (const [chunk, wait] of chunks) {
          const written = writer.write(chunk);
          if (wait) await written;
        }
        const all = Buffer.concat(chunks.map(([chunk]) => chunk));
        const ref = must(await writer.finish());
        expect(ref).toEqual({ kind: "command_output", id: `sha256-${sha256(all)}`, bytes: all.length });
        expect(Buffer.from(must(artifacts.read(ref.id)))).toEqual(all);
      }),
      { numRuns: 30 },
    );
    expect(leftovers(directory)).toEqual([]);
  });

  it("leaves nothing when it is discarded", async () => {
    const { artifacts, directory } = temporaryStore();
    const writer = must(artifacts.writer("command_output"));
    await writer.write(Buffer.from("half"));
    expect(leftovers(directory)).toHaveLength(1);
    await writer.discard();
    await writer.discard();
    expect(leftovers(directory)).toEqual([]);
  });
});

describe("what a dead process left half written", () => {
  it("goes when the store is opened; what others are writing stays", () => {
    const directory = temporaryDirectory();
    temporaryStore({ directory }).close();
    const self = thisProcess();
    const write = (who: typeof self) => {
      const name = temporaryName(who);
      writeFileSync(join(directory, "artifacts", name), "half");
      return name;
    };
    const alive = write(self);
    write({ ...self, pid: spawnSync("true").pid });
    write({ ...self, started: "1" });
    const elsewhere = write({ ...self, machine: "other" });
    const old = write({ ...self, machine: "other" });
    utimesSync(join(directory, "artifacts", old), 1, 1);
    temporaryStore({ directory, ids: countingIds("b"), clock: { now: () => Date.now() } });
    expect([...leftovers(directory)].sort()).toEqual([alive, elsewhere].sort());
  });
});

function leftovers(directory: string): readonly string[] {
  return readdirSync(join(directory, "artifacts")).filter((name) => name.startsWith(".tmp-"));
}

function pathOf(directory: string, id: string): string {
  return join(directory, "artifacts", id.slice(7, 9), id);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
