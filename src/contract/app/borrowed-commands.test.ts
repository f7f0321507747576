import { describe, expect, test } from "vitest";
import { fail, ok } from "../codes.ts";
import type { ServerPrompt, ServerStatus } from "../server/server.ts";
import { createBorrowedShelf, promptCommands, skillCommands } from "./borrowed-commands.ts";
import type { ListedSkill } from "./skill.ts";

const review: ListedSkill = {
  name: "review",
  description: "Reviews\u001b[2J a change.\nrisk R0",
  origin: "project",
  directory: "/here/.claude/skills/review",
  hash: "sha256:1",
  trusted: false,
  warnings: [],
  files: [],
  scripts: [],
};
const weather: ServerPrompt = {
  name: "the weather",
  description: "Looks out.",
  values: [
    { name: "city", required: true },
    { name: "words", required: false },
  ],
};

describe("a skill as a command", () => {
  const skills = [
    review,
    { ...review, name: "publish", scripts: ["run.sh"] },
    { ...review, name: "help", origin: "user" } as const,
  ];
  const survey = { skills, unread: [] };
  const commands = skillCommands(survey, (name) => name === "help");

  test("says whose it is in words that drive no terminal, and gives way to commands of ours", () => {
    expect(commands.map(({ name, summary }) => [name, summary])).toEqual([
      ["review", "skill of this project: Reviews\\u{1b}[2J a change. ⏎ risk R0"],
      ["publish", "skill of this project, scripts not trusted: Reviews\\u{1b}[2J a change. ⏎ risk R0"],
      ["skill__help", "your skill: Reviews\\u{1b}[2J a change. ⏎ risk R0"],
    ]);
  });

  test("takes no name that a prompt or a skill of the person has, and none twice", () => {
    const named = (origin: ListedSkill["origin"], name: string): ListedSkill => ({ ...review, origin, name });
    const skills = [
      named("project", "a b"),
      named("user", "a b-c"),
      named("user", "a-b c"),
      named("user", "a-b-c"),
      named("project", "help"),
      named("project", "mcp__sky__the_weather"),
      named("project", "my deploy"),
      named("user", "my-deploy"),
      named("project", "skill__help"),
    ];
    const isTaken = (name: string) => name === "help";
    expect(
      skillCommands({ skills, unread: [] }, isTaken).map(({ name }, index) => [skills[index]?.name, name]),
    ).toEqual([
      ["a b", "a-b"],
      ["a b-c", "skill__a-b-c"],
      ["a-b c", "skill__a-b-c-2"],
      ["a-b-c", "a-b-c"],
      ["help", "skill__help"],
      ["mcp__sky__the_weather", "skill__mcp__sky__the_weather"],
      ["my deploy", "skill__my-deploy"],
      ["my-deploy", "my-deploy"],
      ["skill__help", "skill__skill__help"],
    ]);
  });

  test("is taken up by the tool that the model has for it", () => {
    expect(commands[0]?.letter("")).toEqual(
      ok({ message: "Follow the skill review.", calls: [{ tool: "skill", input: { name: "review" } }] }),
    );
    expect(commands[0]?.letter("the last commit")).toEqual(
      ok({
        message: "Follow the skill review: the last commit",
        calls: [{ tool: "skill", input: { name: "review", arguments: "the last commit" } }],
      }),
    );
  });
});

describe("a prompt of a server as a command", () => {
  const [command] = promptCommands("sky", [weather]);

  test("has the server in its name", () => {
    expect([command?.name, command?.argument, command?.summary]).toEqual([
      "mcp__sky__the_weather",
      "<city> [words]",
      "prompt of sky: Looks out.",
    ]);
  });

  test.each([
    ["Bern", { city: "Bern" }],
    ['"New York" in short', { city: "New York", words: "in short" }],
    ['"" x', { city: "", words: "x" }],
  ])("takes its values in order: %s", (argument, values) => {
    expect(command?.letter(argument)).toEqual(
      ok({
        message: "Follow the prompt the weather of the MCP server sky.",
        calls: [{ tool: "mcp_prompts_get", input: { server: "sky", name: "the weather", values } }],
      }),
    );
  });

  test("says what is missing, and what is too much", () => {
    expect(command?.letter("")).toEqual(fail("bad_request", "1 value missing: city. It takes: <city> [words]"));
    expect(promptCommands("sky", [{ name: "x", values: [] }])[0]?.letter("y")).toEqual(
      fail("bad_request", "This prompt takes no values."),
    );
  });
});

describe("the shelf", () => {
  const server = (name: string, state: ServerStatus["state"]): ServerStatus => ({
    name,
    state,
    transport: "stdio",
    origin: "settings",
    tools: 0,
    prompts: true,
  });
  const asked: string[] = [];
  const open = () =>
    createBorrowedShelf(
      {
        skills: {
          survey: async () =>
            ok({ skills: [review], unread: [{ directory: "/here/skills/odd", why: "It has no text." }] }),
          search: async () => ok([]),
          read: async () => fail("bad_request", "Nobody reads here."),
        },
      },
      {
        servers: () => [server("sky", "ready"), server("sky_low", "configured"), server("deep", "failed")],
        prompts: async (name) => {
          asked.push(name);
          // Both come to the same name.
          const again = { ...weather, name: "the_weather" };
          return name === "deep" ? fail("server_unavailable", "It did not start.") : ok([weather, again]);
        },
      },
      { isTaken: () => false },
    );

  test("knows what is there without starting anything, and starts the server that is named", async () => {
    const shelf = open();
    await shelf.refresh();
    expect([asked.splice(0), shelf.known.map(({ name }) => name)]).toEqual([
      ["sky"],
      ["review", "mcp__sky__the_weather"],
    ]);
    expect([(await shelf.find("mcp__sky_low__the_weather"))?.name, asked.splice(0)]).toEqual([
      "mcp__sky_low__the_weather",
      ["sky_low"],
    ]);
  });

  test.each([
    ["mcp__deep__x", "It did not start."],
    ["mcp__sky__x", "sky offers /mcp__sky__the_weather."],
    ["mcp__nobody__x", "No MCP server of this session has this name. /mcp lists the servers."],
    ["odd", "It has no text."],
    ["nothing", undefined],
  ])("says why %s cannot be used", async (name, why) => {
    const shelf = open();
    expect([await shelf.find(name), await shelf.whyNot(name)]).toEqual([undefined, why]);
  });
});
