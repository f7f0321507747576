import { expect, onTestFinished, test } from "vitest";
import type { DoorOptions } from "../../src/contract/app/door.ts";
import { serveApp } from "../../src/mcp/server/serve-app.ts";
import { openApp } from "../support/app.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

type Message = { readonly id?: unknown; readonly result?: Record<string, unknown>; readonly error?: unknown };

/** A session for one client on two streams, in this process. */
async function serveLines(workspace: Workspace, door: DoorOptions = {}) {
  const app = openApp(workspace);
  const over = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<(text: string) => void>();
  const waiting = new Map<unknown, (message: Message) => void>();
  let asked = 0;
  const ended = serveApp(
    app,
    {
      name: "gauntlet",
      instructions: "Tools of a test.",
      door,
      stop: new AbortController().signal,
      onReady: async () => {},
    },
    {
      channel: {
        listen(take) {
          opened.resolve((text) => take(new TextEncoder().encode(text)));
          return over.promise;
        },
        async write(text) {
          const message: Message = JSON.parse(text);
          waiting.get(message.id)?.(message);
        },
      },
      environment: {},
    },
  );
  onTestFinished(async () => {
    over.resolve();
    await ended;
  });
  const write = await opened.promise;
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  async function request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++asked;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { result, error } = await answer;
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  }
  const clientInfo = { name: "test-client", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return { request, send, ended, end: () => over.resolve(), workspace };
}

interface Page {
  readonly text: string;
  readonly next: unknown;
}

async function readPage({ request }: Awaited<ReturnType<typeof serveLines>>, uri: string): Promise<Page> {
  const { contents } = await request("resources/read", { uri });
  const [{ text, _meta }] = contents as [{ readonly text: string; readonly _meta: Record<string, unknown> }];
  return { text, next: _meta["gauntlet/next"] };
}

test("one client reads the log, in pages that are bounded, with what is too long cut", async () => {
  const served = await serveLines(makeWorkspace(), { mode: "acceptEdits" });
  const { resources } = await served.request("resources/list", {});
  const uris = (resources as readonly { readonly uri: string }[]).map(({ uri }) => uri);
  expect(uris).toEqual(["gauntlet://session/events", "gauntlet://pending"]);
  const input = { path: "a.txt", notes: Array.from({ length: 100_000 }, () => "some words") };
  await served.request("tools/call", { name: "read", arguments: input });
  for (let times = 0; times < 40; times++) {
    const text = `${times} short\n`.repeat(4_000);
    await served.request("tools/call", { name: "write", arguments: { path: `${times}.txt`, content: text } });
  }
  const sequence: number[] = [];
  const cuts: unknown[] = [];
  let pages = 0;
  for (let uri: unknown = "gauntlet://session/events?from=2"; typeof uri === "string"; pages++) {
    const { text, next } = await readPage(served, uri);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    for (const line of text.trimEnd().split("\n")) {
      const event = JSON.parse(line);
      sequence.push(event.seq);
      if ("cut" in event) cuts.push({ type: event.type, cut: event.cut, data: event.data });
    }
    uri = next;
  }
  expect(pages).toBeGreaterThan(1);
  expect(sequence).toEqual(sequence.map((_, index) => index + 2));
  expect(cuts[0]).toEqual({
    type: "tool_intent.proposed",
    cut: expect.stringMatching(
      /The first 4096 of \d{7,} characters\. .*gauntlet sessions events ses_\S+ --from \d+ --limit 1 --json$/,
    ),
    data: { beginning: expect.stringContaining("some words") },
  });
});
