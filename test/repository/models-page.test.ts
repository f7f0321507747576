import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { remedies } from "../../src/agent/loop/decide.ts";
import { settingsFile } from "../../src/contract/settings.ts";
import { localServers } from "../../src/provider/known-providers.ts";
import { scriptSchema } from "../../src/provider/scripted/script.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/guide/models.md"), "utf8");
const example = (name: string): unknown =>
  JSON.parse(new RegExp(`<!-- example: ${name} -->\n\`\`\`json\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "");

test("its settings and its script are what the program reads", () => {
  expect(settingsFile().safeParse(example("settings"))).toMatchObject({ success: true });
  expect(scriptSchema().safeParse(example("script"))).toMatchObject({ success: true });
});

test("it names every kind of error and every usual place of a server", () => {
  // An abort that nobody asked for is treated like an unknown error, and is nothing that a provider reports.
  const kinds = Object.keys(remedies).filter((kind) => kind !== "aborted");
  expect(kinds.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
  expect(
    localServers.filter(({ provider, port }) => !page.includes(`\`${provider}\``) || !page.includes(String(port))),
  ).toEqual([]);
});
