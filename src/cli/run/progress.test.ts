import { expect, test } from "vitest";
import type { AgentNotice } from "../../contract/agent.ts";
import type { ServerStatus } from "../../contract/server.ts";
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

test("what is piped in is told with its size, and with how little of it is shown", () => {
  const piped = (omittedBytes: number): AgentNotice => ({ kind: "piped", bytes: 60_000, lines: 3, omittedBytes });
  expect(said([piped(0), piped(53_000)])).toBe(
    "notice: 60,000 bytes of standard input go with the task.\nnotice: 60,000 bytes of standard input are too many to show: excerpts of 7,000 bytes go with the task, and the model can read the rest.\n",
  );
});
