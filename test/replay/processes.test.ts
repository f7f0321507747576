import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { observed } from "./event-drafts.ts";
import { failureOf, must } from "./must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "./temporary-store.ts";

const writerProcess = fileURLToPath(new URL("./writer-process.ts", import.meta.url));
const holderProcess = fileURLToPath(new URL("./holder-process.ts", import.meta.url));

it("a killed writer loses nothing that it said was stored", async () => {
  for (const acknowledged of [1, 2, 5, 20, 60]) {
    const directory = temporaryDirectory();
    const { child, lines } = start(writerProcess, [directory]);
    await lines.reached(acknowledged + 1);
    child.kill("SIGKILL");
    await once(child, "close");

    const [id = "", ...acks] = lines.complete();
    const store = temporaryStore({ directory, ids: countingIds("b"), clock: { now: () => Date.now() } });
    const [report] = must(store.archive.verify(id));
    expect(report).toMatchObject({ ok: true });
    const hashes = [...must(store.archive.events(id))].map(({ hash }) => hash);
    expect(acks.length).toBeGreaterThanOrEqual(acknowledged);
    for (const ack of acks) {
      const [seq, hash] = ack.split(" ");
      expect(hashes[Number(seq) - 1]).toBe(hash);
    }
    // All or nothing: an append is six events here, after the first event of the session.
    expect((hashes.length - 1) % 6).toBe(0);
    expect(must(store.open(id)).state.seq).toBe(hashes.length);
    store.close();
  }
});

it("the lease of a live process holds; that of a killed one is taken at once", async () => {
  const directory = temporaryDirectory();
  const { child, lines } = start(holderProcess, [directory]);
  await lines.reached(1);
  const [id = ""] = lines.complete();
  const store = temporaryStore({ directory, ids: countingIds("b"), clock: { now: () => Date.now() } });
  expect(failureOf(store.open(id)).message).toContain(`process ${child.pid}`);
  expect(store.abandoned()).toEqual([]);

  child.kill("SIGKILL");
  await once(child, "close");
  expect(store.abandoned()).toEqual([id]);
  const log = must(store.open(id));
  expect([...log.state.openIntents.keys()]).toEqual(["open"]);
  must(log.append([observed("open", { ok: false, code: "interrupted" })]));
  log.close();
  expect(store.abandoned()).toEqual([]);
});

it("twenty processes write one store", async () => {
  const directory = temporaryDirectory();
  const calls = 30;
  const writers = Array.from({ length: 20 }, () => start(writerProcess, [directory, String(calls)]));
  const codes = await Promise.all(writers.map(async ({ child }) => (await once(child, "close"))[0]));
  expect(codes).toEqual(writers.map(() => 0));
  const store = temporaryStore({ directory, ids: countingIds("b"), clock: { now: () => Date.now() } });
  const listed = store.list();
  expect(listed.map(({ id }) => id).sort()).toEqual(writers.map(({ lines }) => lines.complete()[0]).sort());
  for (const { events, intents } of listed)
    expect({ events, intents }).toEqual({ events: 1 + calls * 6, intents: calls });
  for (const report of must(store.archive.verify())) expect(report).toMatchObject({ ok: true, events: 1 + calls * 6 });
  expect(store.abandoned()).toEqual([]);
});

function start(script: string, args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return { child, lines: collectLines(child) };
}

function collectLines(child: ChildProcess) {
  let text = "";
  let wake = () => {};
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    wake();
  });
  child.on("close", () => wake());
  const complete = () => text.split("\n").slice(0, -1);
  return {
    complete,
    reached: async (count: number) => {
      while (complete().length < count) {
        if (child.exitCode !== null) throw new Error("The writer ended too early");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
