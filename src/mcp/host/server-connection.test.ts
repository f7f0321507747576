import { describe, expect, test } from "vitest";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerStatus, ServerTool } from "../../contract/server/server.ts";
import { loginNeeded, type McpConnection, type ServerNotification } from "../client/connection.ts";
import { backoffMs, ServerConnection } from "./server-connection.ts";

const signal = new AbortController().signal;
const tool = (name: string): ServerTool => ({ name, inputSchema: { type: "object" } });

/** A server in this process, with a clock that moves when somebody waits. */
function stage(attempts: readonly ("there" | "gone" | "login" | "throws")[] = []) {
  const left = [...attempts];
  const states: ServerStatus["state"][] = [];
  let others = 0;
  const waits: number[] = [];
  const said: string[] = [];
  let tools: readonly ServerTool[] = [tool("one")];
  let now = 1_000;
  let offers = 0;
  let transport: McpConnection["transport"];
  let listing: Promise<Outcome<readonly ServerTool[]>> | undefined;
  let listings = 0;
  let lose: (why: string) => void = () => {};
  let tell: (notify: ServerNotification) => void = () => {};
  const open = async ({
    notify,
  }: {
    notify: (notify: ServerNotification) => void;
  }): Promise<Outcome<McpConnection>> => {
    const outcome = left.shift() ?? "there";
    if (outcome === "gone") return fail("server_unavailable", "nobody is there");
    if (outcome === "login") return loginNeeded("it", "It requires a login.");
    if (outcome === "throws") throw new Error("a bug");
    tell = notify;
    const gone = Promise.withResolvers<string>();
    lose = gone.resolve;
    const unused = async () => fail("tool_failed", "not here");
    return ok({
      protocol: "2025-06-18",
      ...(transport === undefined ? {} : { transport }),
      offers: { tools: true, resources: false, prompts: false },
      listTools: async () => {
        listings += 1;
        return listing ?? ok(tools);
      },
      call: async ({ tool: name }) =>
        name === "hang" ? new Promise(() => {}) : ok({ content: [{ type: "text", text: name }], isError: false }),
      listResources: unused,
      readResource: unused,
      watchResource: unused,
      listPrompts: unused,
      getPrompt: unused,
      complete: unused,
      gone: gone.promise,
      close: async () => gone.resolve("closed"),
    });
  };
  const seat = new ServerConnection({
    entry: { name: "it", setting: { command: "it" }, origin: "test" },
    state: { keep: () => {}, known: () => undefined },
    open,
    handlers: {},
    startMs: 30_000,
    clock: { now: () => now },
    random: () => 1,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    redact: (text) => text,
    changed: ({ state }) => states.push(state),
    offered: () => {
      offers += 1;
    },
    notice: (message) => {
      if (message === undefined) others += 1;
      else said.push(message);
    },
  });
  const call = (name: string) =>
    seat.use(signal, (connection) =>
      connection.call({ tool: name, input: {}, timeoutMs: 1_000, signal, onProgress: () => {} }),
    );
  return {
    seat,
    call,
    states,
    waits,
    said,
    offers: () => offers,
    others: () => others,
    listings: () => listings,
    lose: (why: string) => lose(why),
    tell: (notify: ServerNotification) => tell(notify),
    offer: (...names: readonly string[]) => {
      tools = names.map(tool);
    },
    speak: (older: NonNullable<McpConnection["transport"]>) => {
      transport = older;
    },
    list: (answer: Promise<Outcome<readonly ServerTool[]>>) => {
      listing = answer;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe("a server of a session", () => {
  test("is started once, however many need it", async () => {
    const { call, states } = stage();
    expect(await Promise.all([call("a"), call("b")])).toMatchObject([{ ok: true }, { ok: true }]);
    expect(states).toEqual(["connecting", "ready"]);
  });

  test("is shown with the transport that it really speaks, while it does", async () => {
    const { call, lose, seat, speak } = stage();
    speak("sse");
    const before = seat.status.transport;
    await call("a");
    const during = seat.status.transport;
    lose("it fell over");
    await Promise.resolve();
    expect([before, during, seat.status.transport]).toEqual(["stdio", "sse", "stdio"]);
  });

  test("ends the calls that were under way when it is lost, and none is sent again", async () => {
    const { call, lose, seat, states } = stage();
    await call("a");
    const hanging = call("hang");
    await Promise.resolve();
    await Promise.resolve();
    lose("it fell over");
    expect(await hanging).toMatchObject({ ok: false, failure: { code: "server_unavailable" } });
    expect(seat.status).toMatchObject({ state: "failed", detail: "it fell over" });
    expect(states).toEqual(["connecting", "ready", "failed"]);
  });

  test("is known to be lost by how its last words end", async () => {
    const { call, lose, seat } = stage();
    await call("a");
    const hanging = call("hang");
    await Promise.resolve();
    await Promise.resolve();
    lose(`Last output: ${"one more line\n".repeat(70)}TypeError: no x`);
    const ended = expect.stringMatching(/^.*one more line TypeError: no x$/);
    expect(await hanging).toMatchObject({ failure: { message: ended } });
    expect(seat.status).toMatchObject({ state: "failed", detail: ended });
  });

  test.each<["closes" | "goes on", readonly string[]]>([
    ["closes", []],
    ["goes on", ["Its tools could not be listed again: The list is empty."]],
  ])(
    "is told of where its tools could not be listed again, unless the session ended that: it %s",
    async (how, told) => {
      const listing = Promise.withResolvers<Outcome<readonly ServerTool[]>>();
      const { call, list, said, seat, tell } = stage();
      await call("a");
      list(listing.promise);
      tell({ kind: "tools_changed" });
      await Promise.resolve();
      if (how === "goes on") listing.resolve(fail("tool_failed", "The list is empty."));
      else await seat.close();
      await seat.settled();
      expect(said).toEqual(told);
    },
  );

  test("is left alone for longer and longer, and a call is told instead of kept waiting", async () => {
    const { call, pass, waits } = stage(Array.from({ length: 20 }, () => "gone" as const));
    for (let times = 0; times < 5; times++) expect(await call("a")).toMatchObject({ ok: false });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
    const refused = await call("a");
    expect(refused).toMatchObject({
      failure: { message: "The server it failed 5 times in a row.", happened: "nothing" },
    });
    pass(60_000);
    expect(await call("a")).toMatchObject({ failure: { message: "nobody is there" } });
  });

  test("that wants a login is not counted as failing", async () => {
    const { call, seat, waits } = stage(["login", "there"]);
    expect(await call("a")).toMatchObject({ failure: { recovery: expect.stringContaining("gauntlet mcp login it") } });
    expect(seat.status.state).toBe("needs_login");
    expect(await call("a")).toMatchObject({ ok: true });
    expect(waits).toEqual([]);
  });

  test("whose start throws has failed, and nothing else", async () => {
    const { call, seat } = stage(["throws"]);
    seat.begin();
    await seat.settled();
    expect(seat.status).toMatchObject({ state: "failed", detail: "a bug" });
    expect(await call("a")).toMatchObject({ ok: true });
  });

  test("is asked for its tools again when it says so, and never twice at once", async () => {
    const { call, listings, offer, offers, seat, tell } = stage();
    await call("a");
    const before = offers();
    offer("one", "two");
    for (let times = 0; times < 1_000; times++) tell({ kind: "tools_changed" });
    await seat.settled();
    expect(seat.definitions.map((one) => one.tool.name)).toEqual(["one", "two"]);
    expect(offers()).toBe(before + 1);
    expect(listings()).toBeLessThanOrEqual(3);
  });

  test("is heard when it has other resources or prompts, and stays what it is", async () => {
    const { call, others, states, tell } = stage();
    await call("a");
    const before = [...states];
    tell({ kind: "prompts_changed" });
    tell({ kind: "resources_changed" });
    expect([others(), states]).toEqual([2, before]);
  });

  test("is heard when something is wrong, and not for ever", async () => {
    const { call, said, tell } = stage();
    await call("a");
    tell({ kind: "log", level: "debug", text: "nothing" });
    tell({ kind: "log", level: "error", text: "\u001b[31mred\nlines" });
    for (let times = 0; times < 200; times++) tell({ kind: "log", level: "warning", text: "again" });
    expect(said).toHaveLength(50);
    expect(said[0]).toBe("error: red lines");
    expect(said.at(-1)).toBe("Further messages of this server are not shown.");
  });

  test("is not started any more once it is closed", async () => {
    const { call, seat, states } = stage();
    await call("a");
    await seat.close();
    expect(await call("a")).toMatchObject({ failure: { message: "The session is closed." } });
    expect(states).toEqual(["connecting", "ready", "stopped"]);
  });
});

test.each([
  [0, 1, 0],
  [1, 0, 250],
  [1, 1, 500],
  [3, 1, 2_000],
  [50, 1, 30_000],
])("after %i failures with chance %d: %i ms", (failures, random, ms) => {
  expect(backoffMs(failures, random)).toBe(ms);
});
