import { describe, expect, it } from "vitest";
import { plainSettings, run } from "../../../test/support/surface.ts";
import type { App } from "../../contract/app/app.ts";
import { ok } from "../../contract/codes.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";

const entry: MenuEntry = {
  name: "read",
  version: "1",
  description: "Reads a file.",
  family: "file",
  risks: ["read"],
  source: "builtin",
  ownership: "managed",
  aliases: ["Read", "read_file"],
  schemaHash: "abc",
  inputSchema: { type: "object" },
  bytes: 1000,
  visible: true,
  deferrable: false,
  loaded: true,
};
const hidden: MenuEntry = {
  ...entry,
  name: "edit",
  aliases: [],
  risks: ["read", "write"],
  bytes: 2000,
  visible: false,
  hiddenBecause: "plan mode",
};
const app = { menu: async () => ok([entry, hidden]) };

describe("gauntlet tools", () => {
  it("list prints what is offered and what it costs", async () => {
    expect((await run(["tools", "list"], { app })).stdout).toBe(
      [
        "NAME  FAMILY  MAY          SOURCE   BYTES  OFFERED",
        "read  file    read         builtin   1000  yes",
        "edit  file    read, write  builtin   2000  no",
        "hidden: edit (plan mode)",
        "1 tool offered, 1000 B in every request",
        "",
      ].join("\n"),
    );
  });

  it("list --sizes puts the largest first and says what is left out", async () => {
    const deferred: MenuEntry = {
      ...entry,
      name: "mcp__a__b",
      source: "mcp",
      bytes: 4001,
      deferrable: true,
      loaded: false,
    };
    const many = { menu: async () => ok([entry, hidden, deferred]) };
    expect((await run(["tools", "list", "--sizes"], { app: many })).stdout).toBe(
      [
        "NAME       SOURCE   BYTES  TOKENS  SHOWN",
        "mcp__a__b  mcp      4,001  ~1,001  by name",
        "read       builtin  1,000    ~250  with schema",
        "2 tools offered: 1 with their schemas, 1000 B in every request; 1 by name, 3.9 KiB when a model loads them",
        "listed by name only, until searched for: schemas of more than 10 % of the model's context (tools.deferShare)",
        "",
      ].join("\n"),
    );
    const settings = () => ok({ ...plainSettings, tools: { deferAbove: 1, deferShare: 0.1 } });
    expect((await run(["tools", "list"], { app: { ...many, settings } })).stdout).toContain(
      "\nlisted by name only, until searched for: more than 1 tools (tools.deferAbove)\n",
    );
    const shown = await run(["tools", "show", "mcp__a__b"], { app: many });
    expect(shown.stdout).toContain("\noffered       by name\n");
  });

  it.each([
    ["list", 80, "NAME                                      MAY                   BYTES  OFFERED"],
    ["list", 70, "NAME                                      BYTES  OFFERED"],
    ["list --sizes", 80, "NAME                                      SOURCE   BYTES  TOKENS  SHOWN"],
    ["list --sizes", 70, "NAME                                      BYTES  TOKENS  SHOWN"],
  ])("%s keeps each tool in one row of %d columns", async (words, columns, head) => {
    const far: MenuEntry = { ...entry, name: `mcp__${"a".repeat(35)}`, risks: ["read", "write", "execute"] };
    const menu = async () => ok([entry, far, hidden, { ...far, loaded: false }]);
    const rows = (await run(["tools", ...words.split(" ")], { app: { menu }, columns })).stdout.split("\n");
    expect(rows[0]).toBe(head);
    expect(rows.filter((row) => row.length > columns || row.includes("…"))).toEqual([]);
  });

  it("list says once why several are not offered", async () => {
    const planned = Array.from({ length: 7 }, (_, index) => `edit_${index}`).map((name) => ({
      ...hidden,
      name,
      hiddenBecause: `${name} is not offered in plan mode`,
    }));
    const { stdout } = await run(["tools", "list"], { app: { menu: async () => ok([entry, ...planned]) } });
    expect(stdout).toContain(
      "\nhidden: edit_0, edit_1, edit_2, edit_3, edit_4 and 2 more (not offered in plan mode)\n1 tool offered",
    );
  });

  it("list --json prints the menu of the mode and the model that were asked for", async () => {
    let asked: Parameters<App["menu"]>[0] | undefined;
    const menu: App["menu"] = async (options) => {
      asked = options;
      return ok([entry]);
    };
    const ran = await run(["tools", "list", "--json", "--mode", "plan", "--model", "a/b"], { app: { menu } });
    expect([JSON.parse(ran.stdout), asked?.mode, asked?.model]).toEqual([[entry], "plan", { wanted: "a/b" }]);
  });

  it("show finds a tool by name and by alias", async () => {
    expect(JSON.parse((await run(["tools", "show", "Read", "--json"], { app })).stdout)).toEqual(entry);
    expect((await run(["tools", "show", "read"], { app })).stdout.split("\n").slice(0, 2)).toEqual([
      "read  version 1",
      "Reads a file.",
    ]);
  });

  it("show finds out which server's tool is meant", async () => {
    const menu = async () => ok([entry, { ...entry, name: "mcp__ev__get-sum", aliases: [] }]);
    const { stderr } = await run(["tools", "show", "get-sum"], { app: { menu } });
    expect(stderr).toContain("Did you mean mcp__ev__get-sum?");
  });

  it.each([
    ["raed", "Did you mean read?"],
    ["teleport", "`gauntlet tools list`"],
  ])("show %s helps on", async (name, words) => {
    const ran = await run(["tools", "show", name], { app });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(words);
  });
});
