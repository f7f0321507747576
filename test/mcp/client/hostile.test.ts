import { describe, expect, test } from "vitest";
import type { ServerNotification } from "../../../src/mcp/client/connection.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";
import { callOf, hostileServer, Opened } from "./connection-parts.ts";

const never = new AbortController().signal;
const tooManyLines =
  "Stopped: the last 1000 lines of its output are not protocol messages. Standard output must contain nothing else. Last line:";

describe("a server that does not start", () => {
  test.each([
    {
      mode: "cannot-start",
      failure: {
        code: "server_unavailable",
        message: 'The server "test" did not start. Its program ended with exit code 1. Last output: no such module',
        recovery: expect.stringContaining("last output"),
        happened: "nothing",
      },
    },
    {
      mode: "silent",
      failure: {
        code: "timeout",
        message: 'The server "test" was not ready within 1.5 s.',
        recovery: expect.any(String),
        happened: "nothing",
      },
    },
    {
      mode: "future",
      failure: {
        code: "server_unavailable",
        message: 'The server "test" uses an unsupported protocol version.',
        recovery: expect.stringContaining("update"),
        happened: "nothing",
      },
    },
  ])("$mode", async ({ mode, failure }) => {
    await using opened = new Opened();
    const parts = opened.stdio([hostileServer, mode], { startMs: mode === "silent" ? 1500 : 20_000 });
    expect(await openConnection(parts)).toEqual({ ok: false, failure });
  });

  test("and floods its output instead is given up, and not tried again", async () => {
    await using opened = new Opened();
    const parts = opened.stdio([hostileServer, "floods-first"]);
    let starts = 0;
    const spawn = () => {
      starts += 1;
      return parts.spawn();
    };
    expect(await openConnection({ ...parts, spawn })).toMatchObject({
      ok: false,
      failure: { code: "server_unavailable", message: `The server "test" did not start. ${tooManyLines} y` },
    });
    expect(starts).toBe(1);
  });

  test("is not waited for after a cancellation", async () => {
    await using opened = new Opened();
    const controller = new AbortController();
    const opening = openConnection(opened.stdio([hostileServer, "silent"], { signal: controller.signal }));
    controller.abort();
    expect(await opening).toMatchObject({ ok: false, failure: { code: "cancelled" } });
  });
});

test("a server that begins with other lines is heard, and they are told once", async () => {
  await using opened = new Opened();
  const heard: string[] = [];
  const notify = (item: ServerNotification) => item.kind === "log" && heard.push(item.text);
  const connection = await opened.open(opened.stdio([hostileServer, "banner"], { notify }));
  expect(await connection.call(callOf("work"))).toMatchObject({ ok: true });
  expect(heard).toEqual(["It sent 3 lines that are not protocol messages, first: Welcome!"]);
});

test.each([
  { setting: { command: "sleep", args: ["1000"] }, recovery: /^Run its command by hand(?!.*network)/ },
  {
    setting: { command: "/usr/bin/npx", args: ["x"] },
    recovery: /^Run its command by hand.* npx waits for the network/,
  },
])("one that is late is told of in its own words: $setting.command", async ({ setting, recovery }) => {
  await using opened = new Opened();
  const { spawn } = opened.stdio([hostileServer, "silent"]);
  expect(await openConnection(opened.parts(setting, { spawn, startMs: 500 }))).toMatchObject({
    ok: false,
    failure: { code: "timeout", recovery: expect.stringMatching(recovery) },
  });
});

describe("a server of an older kit", () => {
  test("that ends over a question before the handshake is started once more", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "old"]));
    expect({ protocol: connection.protocol, info: connection.info, offers: connection.offers }).toEqual({
      protocol: "2025-06-18",
      info: { name: "hostile", version: "old" },
      offers: { tools: true, resources: false, prompts: false },
    });
  });

  test("that says nothing to it is greeted in the old way", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "shy"], { startMs: 3000 }));
    expect(connection.protocol).toBe("2025-06-18");
  });
});

describe("a call of a server", () => {
  test("that dies in it", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "dies"]));
    const why = "Its program ended with exit code 3. Last output: the disk is on fire";
    expect(await connection.call(callOf("work"))).toMatchObject({
      ok: false,
      failure: { code: "server_unavailable", message: `The server "test" stopped. ${why}` },
    });
    expect(await connection.gone).toBe(why);
    expect(await connection.listTools(never)).toMatchObject({ ok: false, failure: { code: "server_unavailable" } });
  });

  test("that hangs", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "hangs"]));
    expect(await connection.call(callOf("work", {}, { timeoutMs: 200 }))).toEqual({
      ok: false,
      failure: { code: "timeout", message: 'The server "test" did not answer the call of "work" in time.' },
    });
    const controller = new AbortController();
    const calling = connection.call(callOf("work", {}, { signal: controller.signal }));
    controller.abort();
    expect(await calling).toMatchObject({ ok: false, failure: { code: "cancelled" } });
  });

  test("that only says that it lives, up to a limit", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "heartbeat"]));
    let beats = 0;
    const onProgress = () => {
      beats += 1;
    };
    expect(await connection.call(callOf("work", {}, { timeoutMs: 200, onProgress }))).toMatchObject({
      ok: false,
      failure: { code: "timeout" },
    });
    expect(beats).toBeGreaterThan(4);
  });

  test("that floods its output is given up", async () => {
    await using opened = new Opened();
    const heard: ServerNotification[] = [];
    const notify = (item: ServerNotification) => void heard.push(item);
    const connection = await opened.open(opened.stdio([hostileServer, "floods"], { notify }));
    const why = `${tooManyLines} y`;
    expect(await connection.call(callOf("work"))).toMatchObject({
      ok: false,
      failure: { code: "server_unavailable", message: `The server "test" stopped. ${why}` },
    });
    expect(await connection.gone).toBe(why);
    expect(heard).toEqual([]);
  });

  test("that floods with messages does not keep the time from going on", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "chatters"]));
    expect(await connection.call(callOf("work", {}, { timeoutMs: 500 }))).toMatchObject({
      ok: false,
      failure: { code: "timeout" },
    });
  });

  test("that says much else between its messages, which is told once", async () => {
    await using opened = new Opened();
    const heard: ServerNotification[] = [];
    const notify = (item: ServerNotification) => void heard.push(item);
    const connection = await opened.open(opened.stdio([hostileServer, "talks"], { notify }));
    for (let round = 0; round < 3; round += 1) {
      expect(await connection.call(callOf("work"))).toEqual({
        ok: true,
        value: { content: [{ type: "text", text: "after all that" }], isError: false },
      });
    }
    expect(heard.filter((item) => item.kind === "log" && item.level === "warning")).toEqual([
      {
        kind: "log",
        level: "warning",
        text: "It sent 900 lines that are not protocol messages, first: y",
      },
    ]);
  });

  test("that sends its progress and the answer in one piece has them heard in their order", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "beats-and-ends"]));
    const beats: string[] = [];
    const onProgress = ({ message }: { readonly message: string }) => void beats.push(message);
    expect(await connection.call(callOf("work", {}, { onProgress }))).toMatchObject({ ok: true });
    expect(beats).toEqual(Array.from({ length: 50 }, (_, progress) => `${progress}`));
  });

  test("whose answer is too long, and which still works after it", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "long-line"]));
    expect(await connection.call(callOf("work"))).toEqual({
      ok: false,
      failure: {
        code: "output_invalid",
        message: 'The server "test" sent too long a message. Its answer has more than 16777216 characters.',
      },
    });
    expect(await connection.call(callOf("right"))).toMatchObject({ ok: true });
  });

  test("that sends what is no message", async () => {
    await using opened = new Opened();
    const heard: string[] = [];
    const connection = await opened.open(
      opened.stdio([hostileServer, "wrong-json"], {
        notify: (notify) => notify.kind === "log" && heard.push(notify.text),
      }),
    );
    expect(await connection.call(callOf("work"))).toMatchObject({ ok: true });
    expect(heard).toEqual(["It sent 4 lines that are not protocol messages, first: hello"]);
  });

  test("with content of every kind, known or not", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "odd-content"]));
    const data = Uint8Array.from(Buffer.from("hi"));
    expect(await connection.call(callOf("work"))).toEqual({
      ok: true,
      value: {
        isError: true,
        content: [
          { type: "text", text: "fine" },
          { type: "text", text: '[left out: content of the unknown type "hologram"]' },
          { type: "text", text: '[left out: malformed content of the type "image"]' },
          { type: "text", text: "[left out: content that is not an object]" },
          { type: "image", data, mediaType: "image/png" },
          { type: "audio", data, mediaType: "audio/wav" },
          { type: "resource", uri: "test://a", mediaType: "text/plain", text: "words" },
          { type: "resource", uri: "test://b", data },
          { type: "resource_link", uri: "test://c", name: "c", description: "a link" },
        ],
      },
    });
  });

  test.each([
    { tool: "missing", message: 'The tool "missing" declares structured output but returned none.' },
    { tool: "wrong", message: expect.stringContaining('The output of the tool "wrong" does not match its own schema') },
  ])("that lies about its output: $tool", async ({ tool, message }) => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "lies"]));
    expect(await connection.call(callOf(tool))).toEqual({ ok: false, failure: { code: "output_invalid", message } });
  });

  test("that is true to its output schema, and one whose expression would never end", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "lies"]));
    expect(await connection.call(callOf("right"))).toMatchObject({ ok: true, value: { structured: { count: 3 } } });
    expect(await connection.call(callOf("slow-pattern"))).toMatchObject({ ok: true });
  });
});

describe("the list of a server", () => {
  test("comes in pages", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, "pages"]));
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.value.map(({ name }) => name).slice(0, 3)).toEqual(["page0", "page1", "work"]);
  });

  test("loses its malformed tools and no others", async () => {
    await using opened = new Opened();
    const notes: string[] = [];
    const notify = (item: ServerNotification) => item.kind === "log" && notes.push(item.text);
    const connection = await opened.open(opened.stdio([hostileServer, "odd-tools"], { notify }));
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.value.map(({ name }) => name).slice(0, 2)).toEqual(["work", "missing"]);
    expect(notes).toEqual(["shapeless", "flat", "without a name"].map((name) => `Skipped a malformed tool: "${name}"`));
  });

  test.each([
    { mode: "endless", why: "has more than 100 pages" },
    { mode: "circle", why: "repeats a cursor" },
  ])("has no end: $mode", async ({ mode, why }) => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([hostileServer, mode]));
    expect(await connection.listTools(never)).toEqual({
      ok: false,
      failure: { code: "output_invalid", message: `The list of the server "test" ${why}.`, happened: "nothing" },
    });
  });
});
