import { describe, expect, test } from "vitest";
import type { Agent, RunReport } from "../../contract/agent.ts";
import { fail, ok } from "../../contract/codes.ts";
import { runReport } from "../run/report.fixture.ts";
import { type Box, plainSettings, run } from "../surface.fixture.ts";

/** A run whose model answers at once. */
async function runs(words: readonly string[], { report = {}, ...box }: Box & { readonly report?: Partial<RunReport> }) {
  const sent: string[] = [];
  const agent: Agent = {
    sessionId: "ses_1",
    get door(): never {
      throw new Error("Nobody asks for it here.");
    },
    get chain(): never {
      throw new Error("Nobody asks for it here.");
    },
    notices: [],
    isRunning: false,
    send: async (message) => {
      sent.push(message);
      return runReport(report);
    },
    interrupt: async () => {},
    setModel: () => fail("bad_request", "It has none."),
    compact: async () => fail("bad_request", "It has nothing."),
    close: async () => {},
  };
  const settings = ok({ ...plainSettings, models: { ...plainSettings.models, model: "scripted/x" } });
  const app = { settings: () => settings, openAgent: async () => ok(agent) };
  return { ...(await run(["run", ...words], { ...box, app })), sent };
}

const notices = (stderr: string) => stderr.split("\n").filter((line) => line.startsWith("notice:"));

describe("gauntlet run", () => {
  test("says which named file is not there, and of names that are none nothing", async () => {
    const task = "compare @absent/a.ts with @there.ts, ask @absent and use @absent/kit";
    const { sent, stderr } = await runs([task], {});
    expect([sent, notices(stderr)]).toEqual([
      [task],
      ["notice: @absent/a.ts is not attached: there is no such file here."],
    ]);
  });

  test("says that what is piped beside a task is not read", async () => {
    const beside = await runs(["sum it up"], { stdin: ["1 2 3"] });
    expect([beside.sent, notices(beside.stderr)]).toEqual([
      ["sum it up"],
      [
        "notice: Standard input is not read, because the task is an argument. With - in its place the task is read from there.",
      ],
    ]);
    const piped = await runs(["-"], { stdin: ["sum up 1 2 3 of @absent/a.ts"] });
    expect([piped.sent, notices(piped.stderr)]).toEqual([["sum up 1 2 3 of @absent/a.ts"], []]);
  });

  test.each([
    ["max_turns", true],
    ["budget", true],
    ["done", false],
    ["provider_error", false],
  ] as const)("stopped by %s, it says how to go on: %s", async (stop, told) => {
    const { stderr } = await runs(["do it"], { report: { stop } });
    expect(stderr.includes("to go on      gauntlet run --continue 'go on'\n")).toBe(told);
  });
});
