import { expect, test } from "vitest";
import { observationOf } from "../../../test/support/surface.ts";
import type { AgentNotice } from "../../contract/app/agent.ts";
import { noUsage } from "../../contract/model.ts";
import type { Observation } from "../../contract/observation.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import type { Surface } from "../surface.ts";
import { showProgress } from "./progress.ts";

function said(notices: readonly AgentNotice[]): string {
  let text = "";
  const stderr: Surface["stderr"] = {
    terminal: false,
    colour: false,
    write: async (written) => {
      text += written;
    },
  };
  const progress = showProgress({ stderr });
  for (const notice of notices) progress.notice(notice);
  return text;
}

const known = { name: "notes", origin: "/settings.json", transport: "stdio", tools: 0 } as const;
const status: ServerStatus = { ...known, state: "failed", detail: "It is gone." };

test("a server that cannot be used is told once, one that can be is not", () => {
  const failed: AgentNotice = { kind: "server", status };
  const ready: AgentNotice = { kind: "server", status: { ...known, state: "ready" } };
  const login: AgentNotice = { kind: "server", status: { ...status, state: "needs_login" }, message: "Log in." };
  expect(said([failed, failed, ready, login])).toBe("server notes: It is gone.\nserver notes: Log in.\n");
  const connecting: ServerStatus = { ...known, state: "connecting" };
  const first: AgentNotice = { kind: "server", status: { ...connecting, tools: 0 } };
  expect(said([first, { kind: "server", status: { ...connecting, tools: 2 } }])).toBe(
    "server notes: first start; its tools are available once it is ready\n",
  );
});

test("what goes wrong in the same way attempt after attempt is told once", () => {
  const error = (message: string): AgentNotice => ({
    kind: "provider_error",
    turnId: "turn_1",
    error: { kind: "overloaded", retryable: true, provider: "p", model: "m", message },
  });
  const again: AgentNotice = { kind: "retrying", turnId: "turn_1", attempt: 2, delayMs: 400 };
  expect(said([error("Busy."), again, error("Busy."), again, error("Gone.")])).toBe(
    "model: overloaded: Busy.\nmodel: attempt 2 in 0.4 s\nmodel: attempt 2 in 0.4 s\nmodel: overloaded: Gone.\n",
  );
});

const ended = (tool: string, change: Partial<Observation>): AgentNotice => ({
  kind: "observed",
  observation: observationOf({ tool, input: {} }, { title: "write_file of notes", ...change }),
});
const failure = { ok: false, status: "error", code: "tool_failed", summary: "The server notes says no." } as const;
const many = Array.from({ length: 20 }, (_, row) => `row ${row}`).join("\n");

test.each<[string, Partial<Observation>, string]>([
  [
    "in the server's own words, with what helps",
    { user: { text: "The server notes says no. It says: EROFS\u001b[2J\nLet it write: sandbox.write." } },
    ": The server notes says no. It says: EROFS\\u{1b}[2J (7 ms)\n  Let it write: sandbox.write.\n",
  ],
  [
    "in its summary where people are shown something else",
    { user: { text: "3 files" } },
    ": The server notes says no. (7 ms)\n",
  ],
  [
    "with a command that people can type",
    { user: { text: failure.summary }, recovery: "Log in: gauntlet mcp login notes" },
    ": The server notes says no. (7 ms)\n  Log in: gauntlet mcp login notes\n",
  ],
  ["without advice for models", { recovery: "Read the file first." }, ": The server notes says no. (7 ms)\n"],
  [
    "bounded, with its last row",
    { user: { text: `${failure.summary} ${"x".repeat(900)}\n${many}` } },
    `: ${`${failure.summary} ${"x".repeat(900)}`.slice(0, 399)}… (7 ms)\n${[0, 1, 2, 3, 4, 19].map((row) => `  row ${row}\n`).join("")}`,
  ],
])("a call that came to nothing is told %s", (_what, change, told) => {
  expect(said([ended("mcp__notes__write_file", { ...failure, ...change })])).toBe(
    `✗ write_file of notes: tool_failed${told}`,
  );
});

test.each<[string, string, Record<string, unknown>, string]>([
  [
    "a server's with its short arguments",
    "mcp__notes__write_file",
    { path: "a.md", content: "y".repeat(80), keep: true },
    ', path "a.md", keep true',
  ],
  ["with no more than a few of them", "mcp__notes__write_file", { a: 1, b: 2, c: 3, d: 4 }, ", a 1, b 2, c 3"],
  [
    "with the beginning of a long one, where that is all",
    "mcp__notes__write_file",
    { content: "y".repeat(80) },
    `, content "${"y".repeat(50)}…`,
  ],
  ["one without arguments by its title", "mcp__notes__write_file", {}, ""],
  ["our own by its title, which has them", "write", { path: "a.md" }, ""],
])("a call is named: %s", (_what, tool, input, words) => {
  const proposed: AgentNotice = { kind: "proposed", intentId: "int_1", tool, input: { path: "unlike" } };
  const revised: AgentNotice = { kind: "revised", intentId: "int_1", hook: "h", input };
  expect(said([proposed, revised, ended(tool, {})])).toBe(`✓ write_file of notes${words} (7 ms)\n`);
});

test("a call of what does not exist has its input once", () => {
  const tool = "mcp__notes__nope";
  const proposed: AgentNotice = { kind: "proposed", intentId: "int_1", tool, input: { a: 1 } };
  expect(said([proposed, ended(tool, { title: `${tool} {"a":1}` })])).toBe(`✓ ${tool} {"a":1} (7 ms)\n`);
});

test("what is piped in is told with its size, and with how little of it is shown", () => {
  const piped = (omittedBytes: number): AgentNotice => ({ kind: "piped", bytes: 60_000, lines: 3, omittedBytes });
  expect(said([piped(0), piped(53_000)])).toBe(
    "notice: 60,000 bytes of standard input added to the task.\nnotice: 60,000 bytes of standard input are too many to send: 7,000 bytes of excerpts added to the task. The model can read the rest.\n",
  );
});

/** What one terminal shows, with what is erased from it left out. */
function watched(notices: readonly AgentNotice[], answerTo: "terminal" | "pipe") {
  let text = "";
  const written: string[] = [];
  const output = (terminal: boolean, keep: (words: string) => void): Surface["stderr"] => ({
    terminal,
    colour: false,
    write: async (words) => keep(words),
  });
  const show = (words: string) => {
    text += words;
  };
  const stdout = answerTo === "terminal" ? output(true, show) : output(false, (words) => void written.push(words));
  const progress = showProgress({ stderr: output(true, show) }, stdout);
  for (const notice of notices) progress.notice(notice);
  const shown = progress.hasShown("One.\n\nTwo.\n");
  progress.end();
  const erased = `\r${String.fromCharCode(27)}[2K`;
  return { text: text.split(erased).join(""), written, shown };
}

const words = (text: string): AgentNotice => ({ kind: "text", turnId: "turn_1", text });
const started: AgentNotice = { kind: "turn_started", turnId: "turn_1", turn: 1, model: { provider: "p", id: "m" } };
const turnEnded: AgentNotice = { kind: "turn_ended", turnId: "turn_1", reason: "stop", usage: noUsage, pressure: 0 };

test("on a terminal the answer stands there line by line as it comes, and once", () => {
  expect(watched([started, words("One.\n"), words("\nTw"), words("o.\n"), turnEnded], "terminal")).toEqual({
    text: "One.\n\nTwo.\n",
    written: [],
    shown: true,
  });
});

test("what was begun is shown when the run ends before it does", () => {
  const begun = [started, words("One.\nAnd th")];
  expect(watched(begun, "terminal").text).toBe("One.\nAnd th\n");
  expect(watched(begun, "pipe")).toEqual({ text: "One.\nAnd th\n", written: [], shown: false });
  expect(said(begun)).toBe("");
});

test("where the answer goes into a pipe, nothing else goes there, and nothing of it to the terminal", () => {
  expect(watched([started, words("One.\n\nTwo.\n"), turnEnded], "pipe")).toEqual({
    text: "",
    written: [],
    shown: false,
  });
});

test("what a model says must not drive the terminal", () => {
  expect(watched([started, words("\u001b[2J\n"), turnEnded], "terminal").text).not.toContain("\u001b[2J");
});
