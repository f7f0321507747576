import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { callOf, Opened } from "./connection-parts.ts";

/** Answers every call with the directory that it goes by, and with what it was asked so far. */
const program = `
  const asks = process.argv[1] === "asks";
  let directory = "its own";
  const heard = [];
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method = "an answer", result } = JSON.parse(line);
    heard.push(method);
    const answer = (result) => send({ id, result });
    switch (method) {
      case "initialize":
        return answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "r", version: "1" } });
      case "notifications/initialized":
        return asks && send({ id: "roots", method: "roots/list" });
      case "an answer":
        return setTimeout(() => { directory = result.roots[0].uri; }, 20);
      case "tools/list":
        return answer({ tools: [{ name: "work", inputSchema: { type: "object" } }] });
      case "tools/call":
        return answer({ content: [{ type: "text", text: JSON.stringify({ directory, heard }) }] });
      case "ping":
        return answer({});
      default:
        return id !== undefined && send({ id, error: { code: -32601, message: "unknown" } });
    }
  });
`;

const roots = () => ["/somewhere/project"];

describe("a server of the older kind", () => {
  test("that asks for the roots right away has taken them in before the first call", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio(["-e", program, "asks"], { handlers: { roots } }));
    const facts = factsOf(await connection.call(callOf("work")));
    expect(facts.directory).toBe(pathToFileURL("/somewhere/project").href);
    const again = factsOf(await connection.call(callOf("work")));
    expect(again.heard.slice(facts.heard.length)).toEqual(["tools/call"]);
  });

  test("that does not ask for them is asked nothing either", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio(["-e", program], { handlers: { roots } }));
    expect(factsOf(await connection.call(callOf("work")))).toEqual({
      directory: "its own",
      heard: ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"],
    });
  });

  test("that takes them in the place of its arguments, as the one for files does", async () => {
    await using opened = new Opened();
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "gauntlet-roots-")));
    opened.also(() => rmSync(root, { recursive: true }));
    mkdirSync(path.join(root, "notes"));
    writeFileSync(path.join(root, "notes/today.txt"), "");
    const filesystem = path.join(
      import.meta.dirname,
      "../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
    );
    const parts = opened.stdio([filesystem, path.join(root, "notes")], { handlers: { roots: () => [root] } });
    const connection = await opened.open(parts);
    expect(await connection.call(callOf("list_directory", { path: "notes" }))).toMatchObject({
      ok: true,
      value: { content: [{ type: "text", text: "[FILE] today.txt" }], isError: false },
    });
  });
});

type Called = Awaited<ReturnType<Awaited<ReturnType<Opened["open"]>>["call"]>>;

function factsOf(called: Called): { readonly directory: string; readonly heard: readonly string[] } {
  const [part] = called.ok ? called.value.content : [];
  if (part?.type !== "text") throw new Error(JSON.stringify(called));
  return JSON.parse(part.text);
}
