import process from "node:process";
import { createInterface } from "node:readline";

/** A server on two streams that misbehaves in the way its argument names. */

const mode = process.argv[2] ?? "";

interface Asked {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly cursor?: string };
}

function write(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

const answer = (id: Asked["id"], result: unknown) => write(`${JSON.stringify({ result, jsonrpc: "2.0", id })}\n`);
const refuse = (id: Asked["id"], code: number, message: string) =>
  write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);

const inputSchema = { type: "object" };
const outputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
const said = (text: string) => ({ content: [{ type: "text", text }] });

async function listTools({ id, params }: Asked): Promise<void> {
  const cursor = Number(params?.cursor ?? 0);
  if (mode === "endless")
    return answer(id, { tools: [{ name: `t${cursor}`, inputSchema }], nextCursor: `${cursor + 1}` });
  if (mode === "circle") return answer(id, { tools: [], nextCursor: `${(cursor + 1) % 3}` });
  if (mode === "pages" && cursor < 2) {
    return answer(id, { tools: [{ name: `page${cursor}`, inputSchema }], nextCursor: `${cursor + 1}` });
  }
  return answer(id, {
    tools: [
      { name: "work", inputSchema },
      ...(mode === "odd-tools" ? [{ name: "shapeless" }, { name: "flat", inputSchema: { type: "string" } }, 5] : []),
      { name: "missing", inputSchema, outputSchema },
      { name: "wrong", inputSchema, outputSchema },
      { name: "right", inputSchema, outputSchema },
      {
        name: "slow-pattern",
        inputSchema,
        outputSchema: { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } },
      },
    ],
  });
}

async function callTool({ id, params }: Asked): Promise<void> {
  switch (params?.name) {
    case "missing":
      return answer(id, said("nothing structured"));
    case "wrong":
      return answer(id, { ...said("wrong"), structuredContent: { count: "many" } });
    case "right":
      return answer(id, { ...said("right"), structuredContent: { count: 3 } });
    case "slow-pattern":
      return answer(id, { ...said("slow"), structuredContent: { text: `${"a".repeat(40)}!` } });
  }
  switch (mode) {
    case "dies":
      process.stderr.write("the disk is on fire\n");
      return process.exit(3);
    case "hangs":
      return;
    case "floods":
      return flood("y\n");
    case "chatters":
      return flood(
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "debug", data: "so" } })}\n`,
      );
    case "talks":
      await write("y\n".repeat(900));
      await write(
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "so" } })}\n`,
      );
      await write(`${"noise ".repeat(1000)}\n`.repeat(900));
      return answer(id, said("after all that"));
    case "beats-and-ends": {
      const beat = (progress: number) =>
        `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: id, progress } })}\n`;
      const all = Array.from({ length: 50 }, (_, progress) => beat(progress));
      return write(`${all.join("noise\n")}${JSON.stringify({ result: said("done"), jsonrpc: "2.0", id })}\n`);
    }
    case "long-line":
      await answer(id, said("x".repeat(50_000_000)));
      return;
    case "wrong-json":
      await write(
        'hello\n{"jsonrpc":"2.0"\n[]\n{"jsonrpc":"1.0","id":1}\n\n{"jsonrpc":"2.0","id":77,"result":{}}\n\u001b[31mred\n',
      );
      return answer(id, said("still here"));
    case "odd-content":
      return answer(id, {
        content: [
          { type: "text", text: "fine" },
          { type: "hologram", beams: 3 },
          { type: "image", data: "not base64!", mimeType: "image/png" },
          "just text",
          { type: "image", data: "aGk=", mimeType: "image/png" },
          { type: "audio", data: "aGk=", mimeType: "audio/wav" },
          { type: "resource", resource: { uri: "test://a", mimeType: "text/plain", text: "words" } },
          { type: "resource", resource: { uri: "test://b", blob: "aGk=" } },
          { type: "resource_link", uri: "test://c", name: "c", description: "a link" },
        ],
        isError: true,
      });
    case "heartbeat": {
      for (let beat = 0; ; beat += 1) {
        const params = { progressToken: id, progress: beat };
        await write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
  return answer(id, said("done"));
}

/** Without end, as fast as it is read. */
async function flood(line: string): Promise<void> {
  const lines = line.repeat(65_536 / line.length);
  while (true) await write(lines);
}

if (mode === "floods-first") await flood("y\n");
if (mode === "banner") await write("Welcome!\n*** tiny 1.0 ***\n\n{ a: 1 }\n");
if (mode === "cannot-start") {
  process.stderr.write("no such module\n");
  process.exit(1);
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked: Asked = JSON.parse(line);
  if (mode === "silent") continue;
  switch (asked.method) {
    case "server/discover":
      if (mode === "old") process.exit(1);
      if (mode !== "shy") await refuse(asked.id, -32_601, "Method not found");
      break;
    case "initialize":
      await answer(asked.id, {
        protocolVersion: mode === "future" ? "2099-01-01" : "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "hostile", version: mode },
      });
      break;
    case "tools/list":
      await listTools(asked);
      break;
    case "tools/call":
      void callTool(asked);
      break;
  }
}
