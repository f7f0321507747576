import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import { createWatches } from "./watches.ts";

const never = new AbortController().signal;
const status = (state: ServerStatus["state"]): ServerStatus => ({
  name: "one",
  state,
  transport: "stdio",
  origin: "test",
  tools: 0,
});

/** A server that says what it is told; each of its answers waits until it is let go. */
function watching() {
  const said: string[] = [];
  const told: string[] = [];
  const held: (() => void)[] = [];
  const answers: Outcome<() => Promise<void>>[] = [];
  const waits = (what: string) => {
    said.push(what);
    return new Promise<void>((resolve) => held.push(resolve));
  };
  const watches = createWatches({
    told: (server, uri) => told.push(`${server} ${uri}`),
    use: (_server, _signal, work) => work({ watchResource } as never),
  });
  const watchResource = async (uri: string) => {
    await waits(`watch ${uri}`);
    return answers.shift() ?? ok(() => waits(`end ${uri}`));
  };
  /** Lets everything go that waits, until nothing more comes. */
  const settle = async () => {
    await setImmediate();
    do {
      for (const letGo of held.splice(0)) letGo();
      // Everything that follows from it has happened by then.
      await setImmediate();
    } while (held.length > 0);
  };
  return { watches, said, told, answers, settle };
}

test("a server is told one thing after the other, and nothing twice", async () => {
  const { watches, said, settle } = watching();
  const begun = [watches.begin("one", "a", never), watches.begin("one", "a", never)];
  const ended = watches.end("one", "a");
  const again = watches.begin("one", "a", never);
  expect(said).toEqual([]);
  await settle();
  expect(await Promise.all([...begun, again])).toEqual([ok(undefined), ok(undefined), ok(undefined)]);
  await ended;
  expect(said).toEqual(["watch a", "end a", "watch a"]);
  await watches.end("one", "unknown");
});

test("what could not be begun is not kept", async () => {
  const { watches, said, answers, told, settle } = watching();
  answers.push(fail("runtime_precondition_failed", "It does not tell."));
  const begun = watches.begin("one", "a", never);
  await settle();
  expect(await begun).toMatchObject({ ok: false, failure: { message: "It does not tell." } });
  watches.changed(status("failed"));
  watches.changed(status("ready"));
  await settle();
  expect({ said, told }).toEqual({ said: ["watch a"], told: [] });
});

test("what nobody waits for any more is ended when it comes", async () => {
  const { watches, said, settle } = watching();
  const stop = new AbortController();
  void watches.begin("one", "a", stop.signal);
  await Promise.resolve();
  stop.abort();
  await settle();
  expect(said).toEqual(["watch a", "end a"]);
});

test("what is lost is told of, and watched and told of again when its server is back", async () => {
  const { watches, said, told, answers, settle } = watching();
  void watches.begin("one", "a", never);
  await settle();
  watches.changed({ ...status("failed"), name: "other" });
  expect(told).toEqual([]);
  watches.changed(status("failed"));
  watches.changed(status("failed"));
  expect(told).toEqual(["one a"]);
  answers.push(fail("timeout", "too slow"));
  watches.changed(status("ready"));
  await settle();
  expect(told).toEqual(["one a"]);
  watches.changed(status("ready"));
  await settle();
  expect(told).toEqual(["one a", "one a"]);
  expect(said).toEqual(["watch a", "watch a", "watch a"]);
});

test("there is an end to how many are watched", async () => {
  const { watches, settle } = watching();
  const all = Promise.all(Array.from({ length: 256 }, (_, at) => watches.begin("one", `${at}`, never)));
  await settle();
  expect((await all).every(({ ok: begun }) => begun)).toBe(true);
  expect(await watches.begin("one", "more", never)).toMatchObject({ failure: { code: "budget_exceeded" } });
  const ended = watches.end("one", "7");
  await settle();
  await ended;
  const more = watches.begin("one", "more", never);
  await settle();
  expect(await more).toEqual(ok(undefined));
});
