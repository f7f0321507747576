import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";
import { startModelServer } from "../support/model-server/start-model-server.ts";

const root = path.resolve(import.meta.dirname, "../..");
const models = [
  { format: "anthropic", name: "anthropic/claude-sonnet-4-5", needs: "@ai-sdk/anthropic" },
  { format: "openai-responses", name: "openai/gpt-5", needs: "@ai-sdk/openai" },
  { format: "openai-chat", name: "openai-chat/gpt-4.1", needs: "@ai-sdk/openai" },
  { format: "openai-chat", name: "openai-compatible/m" },
  { format: "google", name: "google/gemini-2.5-flash", needs: "@ai-sdk/google" },
] as const;

/** Asks one model once, and tells what came of it and what had to be loaded. */
const asking = `
import { createHttpClient } from "${root}/src/host/net/http-client.ts";
import { createModels } from "${root}/src/provider/create-models.ts";
const [wanted, baseUrl] = process.argv.slice(2);
const client = createHttpClient({ connectMs: 5000, idleMs: 5000 });
const environment = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
const settings = { fallback: [], prefer: "order", providers: {} };
const chain = createModels({ models: settings, environment, fetch: client.fetch, now: Date.now, readScript: () => undefined }).resolve({ wanted, baseUrl });
const [{ ref, runtime }] = chain.value.models;
const messages = [{ role: "user", parts: [{ type: "text", text: "hi" }] }];
const events = [];
for await (const event of runtime.stream({ runId: "r", turnId: "t", model: ref, messages, tools: [], options: {} })) events.push(event);
client.close();
const undici = process.moduleLoadList.some((name) => name.includes("undici"));
console.log(JSON.stringify({ last: events.at(-1), undici }));
`;

describe("the bundled models", () => {
  let place = "";
  let chunks: readonly { readonly fileName: string; readonly modules: readonly string[] }[] = [];
  beforeAll(async () => {
    place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-models-"));
    const entry = path.join(place, "ask.ts");
    writeFileSync(entry, asking);
    writeFileSync(path.join(place, "package.json"), '{"type":"module"}');
    chunks = await bundle({ entries: { ask: entry }, outDir: path.join(place, "out"), features: {} });
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it("keep each package in a file of its own", () => {
    const packages = new Set(models.flatMap((model) => ("needs" in model ? [model.needs] : [])));
    const holders = [...packages].map((needs) =>
      chunks.filter(({ modules }) => modules.some((id) => id.includes(`node_modules/${needs}/`))),
    );
    expect(holders.map((files) => files.length)).toEqual([1, 1, 1]);
    const files = holders.flat().map(({ fileName }) => fileName);
    expect([new Set(files).size, files.includes("ask.js")]).toEqual([3, false]);
  });

  it.each(models)("ask $name without loading a second HTTP client", async ({ format, name }) => {
    const server = await startModelServer({ format, script: [{ say: [{ text: "hello" }] }] });
    const child = spawn(process.execPath, [path.join(place, "out/ask.js"), name, server.url]);
    const output: Uint8Array[] = [];
    for await (const chunk of child.stdout) output.push(chunk);
    await server.close();
    expect(JSON.parse(Buffer.concat(output).toString())).toEqual({
      last: { type: "model.finished", reason: "stop" },
      undici: false,
    });
  });
});
