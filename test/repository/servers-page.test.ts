import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { remoteServer, stdioServer } from "../../src/contract/server/server.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/guide/mcp.md"), "utf8");

/** Key and whose it is, of every row. */
const rows = [
  ...(/### The keys of an entry\n([\s\S]*?)\n### /.exec(page)?.[1] ?? "").matchAll(/^\| `([\w.]+)` \| (\w+) \|/gm),
].map(([, key = "", whose = ""]) => [key, whose] as const);

/** With the keys inside of keys, as `outer.inner`. */
function keysOf(schema: z.core.JSONSchema.BaseSchema, before = ""): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [
    before + key,
    ...(typeof inner === "object" ? keysOf(inner, `${before}${key}.`) : []),
  ]);
}

test("it has a row for every key of an entry, and none that no entry has", () => {
  const program = keysOf(z.toJSONSchema(stdioServer()));
  const address = keysOf(z.toJSONSchema(remoteServer()));
  const known = [...new Set([...program, ...address])].map((key) => {
    const whose = [program.includes(key) ? "program" : "", address.includes(key) ? "address" : ""].join("");
    return [key, whose === "programaddress" ? "both" : whose] as const;
  });
  expect(rows.toSorted()).toEqual(known.toSorted());
  expect(rows).toHaveLength(known.length);
});

test("the example at its beginning is what the program reads", () => {
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const entry = z.union([stdioServer(), remoteServer()]);
  expect(z.object({ mcpServers: z.record(z.string(), entry) }).safeParse(JSON.parse(example))).toMatchObject({
    success: true,
  });
});
