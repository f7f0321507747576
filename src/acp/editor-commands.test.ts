import { expect, test } from "vitest";
import type { ListedSkill } from "../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ServerPrompt, ServerStatus } from "../contract/server/server.ts";
import { createEditorCommands } from "./editor-commands.ts";

const skill: ListedSkill = {
  name: "release",
  description: "Publishes\u001b[2J it.",
  origin: "user",
  directory: "/home/ann/.gauntlet/skills/release",
  hash: "sha256:1",
  trusted: true,
  warnings: [],
  files: [],
  scripts: [],
};

const offered = (): Outcome<readonly ServerPrompt[]> =>
  ok([{ name: "hello", description: "Greets.", values: [{ name: "who", required: true }] }]);

function commandsOf({ state, skills }: { readonly state: ServerStatus["state"]; readonly skills: ListedSkill[] }) {
  const server: ServerStatus = { name: "docs", state, transport: "stdio", origin: "/f", tools: 0, prompts: true };
  const world = { server, skills, prompts: offered };
  const lookups: AbortSignal[] = [];
  const own = [{ name: "compact", description: "Sums up.", run: async () => "done" }];
  const absent = () => {
    throw new Error("This test did not expect it to be used.");
  };
  const commands = createEditorCommands(
    { skills: { survey: async () => ok({ skills: world.skills, unread: [] }), search: absent, read: absent } },
    {
      servers: () => [world.server],
      prompts: async (_server, over) => {
        lookups.push(over);
        return world.prompts();
      },
    },
    own,
  );
  return { commands, world, own, lookups };
}

const { signal } = new AbortController();
const ours = { name: "compact", description: "Sums up." };
const release = { name: "release", description: "your skill: Publishes\\u{1b}[2J it.", input: { hint: "[words]" } };
const hello = { name: "mcp__docs__hello", description: "prompt of docs: Greets.", input: { hint: "<who>" } };

test("those of ours, of skills and of servers that run are told, and again when there are others", async () => {
  const { commands, world } = commandsOf({ state: "configured", skills: [skill] });
  expect(await commands.changed()).toEqual([ours, release]);
  expect(await commands.changed()).toBeUndefined();
  world.server = { ...world.server, state: "ready" };
  expect(await commands.changed()).toEqual([ours, release, hello]);
  world.skills = [];
  expect(await commands.changed()).toEqual([ours, hello]);
});

test("a word stands for what it names; a message and a path stand for themselves", async () => {
  const { commands, own } = commandsOf({ state: "configured", skills: [skill] });
  expect(await commands.read("/compact", signal)).toEqual({ own: own[0] });
  expect(await commands.read("/release now, please\n", signal)).toEqual({
    letter: ok({
      message: "Follow the skill release: now, please",
      calls: [{ tool: "skill", input: { name: "release", arguments: "now, please" } }],
    }),
  });
  expect(await commands.read('/mcp__docs__hello "Ada Lovelace"', signal)).toEqual({
    letter: ok({
      message: "Follow the prompt hello of the MCP server docs.",
      calls: [{ tool: "mcp_prompts_get", input: { server: "docs", name: "hello", values: { who: "Ada Lovelace" } } }],
    }),
  });
  for (const text of ["Go on.", "/etc/hosts is empty", "/ what?", "a /compact"]) {
    expect(await commands.read(text, signal)).toBeUndefined();
  }
});

test.each([
  ["/relaese", "Unknown command /relaese. Available: /compact, /release, /mcp__docs__hello."],
  ["/mcp__docs__helo", "Unknown command /mcp__docs__helo. docs offers /mcp__docs__hello. Available: /compact, "],
  ["/mcp__docs__hello", "1 value missing: who. It takes: <who>"],
])("%s is answered with what is known, and goes to no model", async (text, words) => {
  const { commands } = commandsOf({ state: "ready", skills: [skill] });
  const meant = await commands.read(text, signal);
  if (meant === undefined || !("letter" in meant) || meant.letter.ok) throw new Error("it must be refused");
  expect(meant.letter.failure.message).toContain(words);
});

test("a lookup that was given up leaves what was known as it was", async () => {
  const { commands, world, lookups } = commandsOf({ state: "ready", skills: [skill] });
  expect(await commands.changed()).toEqual([ours, release, hello]);
  const given = new AbortController();
  world.prompts = () => {
    given.abort();
    return fail("cancelled", "The connection attempt was cancelled.");
  };
  await commands.read("/mcp__docs__other", given.signal);
  expect(lookups.at(-1)?.aborted).toBe(true);
  expect(await commands.read("/mcp__docs__hello Ada", signal)).toMatchObject({ letter: { ok: true } });
});
