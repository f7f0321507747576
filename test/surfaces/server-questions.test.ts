import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ok } from "../../src/contract/codes.ts";
import { createScreenStore } from "../../src/tui/screen.ts";
import { createSessionDriver } from "../../src/tui/session-driver.ts";
import { npmServer, oddServer } from "../mcp/server-session.ts";
import { openApp } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { ready } from "../support/conversation.ts";
import { writeScript } from "../support/model-script.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A person's own server, which may be called without being asked about. */
function withServer() {
  const workspace = makeWorkspace();
  const server = { ...npmServer("everything", ["stdio"]), alwaysLoad: true };
  const settings = { mcpServers: { every: server }, permissions: { allow: ["mcp__every"] } };
  writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify(settings));
  return workspace;
}

const form = "mcp__every__trigger-elicitation-request";
const page = {
  call: "mcp__every__trigger-url-elicitation",
  input: { url: "https://login.example.com/a?b=1", message: "Log in there", elicitationId: "e1" },
} as const;

describe("what a server wants to know", () => {
  test("is asked in a conversation, field by field, and goes to the server after Send", async () => {
    const workspace = withServer();
    const model = writeScript(
      workspace,
      [{ call: form, input: {} }],
      { expect: { results: ['"name": "Ann"'] }, say: [page] },
      ["So that was it."],
    );
    const terminal = openTerminal(workspace, ["--model", model], { columns: 100, rows: 40 });
    await terminal.stands(ready);
    terminal.type("ask");
    terminal.press("Enter");
    await terminal.stands(/MCP server every asks[\s\S]*Esc: cancel/);
    terminal.press("A", "n", "n", "Tab", "y", "Tab");
    await terminal.stands(/String\*: Ann[\s\S]*Boolean: yes[\s\S]*❯ String with default/);
    terminal.press("BTab", "BTab");
    await terminal.stands("❯ String*");
    terminal.press("BTab");
    await terminal.stands("❯ Decline");
    terminal.press("BTab");
    await terminal.stands("❯ Send to every");
    terminal.press("Enter");
    await terminal.stands(
      /MCP server[ -~]* page[\s\S]*host {10}login\.example\.com[\s\S]*❯ No, decline[\s\S]*Esc: cancel/,
    );
    terminal.press("Escape");
    await terminal.shows("So that was it.");
    await terminal.stands(ready);
    terminal.type("/mcp");
    terminal.press("Enter");
    await terminal.shows(/every {2}ready {2}stdio {2}\d+ tools, protocol 2025-11-25/);
  });

  test("is taken back by who interrupts the call that it is for", async () => {
    const workspace = makeWorkspace();
    const settings = { mcpServers: { s: oddServer("asking.ts") }, permissions: { allow: ["mcp__s"] } };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify(settings));
    const input = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
    const wanted = writeScript(workspace, [{ call: "mcp__s__ask", input }]);
    const store = createScreenStore();
    const driver = createSessionDriver({
      app: openApp(workspace),
      options: { model: { wanted } },
      store,
      columns: () => 80,
      quit: () => {},
    });
    expect(await driver.start()).toEqual(ok(undefined));
    driver.submit("ask");
    await vi.waitFor(() => expect(store.screen().elicitations).toHaveLength(1), 30_000);
    driver.interrupt();
    await vi.waitFor(() => expect(store.screen()).toMatchObject({ elicitations: [], working: false }), 30_000);
    await driver.close();
  });

  test("is asked on a plain terminal, and nothing is sent without a yes", async () => {
    const terminal = openTerminal(withServer(), ["call", form], { columns: 100, rows: 40 });
    await terminal.stands("[y]es, answer · [n]o, decline (Enter) · [c]ancel:");
    terminal.press("Enter");
    await terminal.shows(/decline/);
    expect(await terminal.exitCode()).toBe(0);
  });

  test("is asked while a task runs at a terminal", async () => {
    const workspace = withServer();
    const model = writeScript(workspace, [page], ["Over."]);
    const terminal = openTerminal(workspace, ["run", "ask", "--model", model], { columns: 100, rows: 40 });
    await terminal.stands("[y]es, open it · [n]o, decline (Enter) · [c]ancel:");
    terminal.type("n");
    terminal.press("Enter");
    await terminal.shows("Over.");
    expect(await terminal.exitCode()).toBe(0);
    expect(await terminal.transcript()).toMatch(
      /address +https:\/\/login\.example\.com\/a\?b=1\n[\s\S]*: n\n[\s\S]*✓ trigger-url-elicitation of every[\s\S]*Over\.[\s\S]* 2 turns, 1 call,/,
    );
  });

  test("is declined where nobody can be asked", async () => {
    const { code, stdout } = await runCommand(withServer(), ["call", form]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("decline")]);
  });
});
