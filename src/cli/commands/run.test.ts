import { describe, expect, test } from "vitest";
import type { Agent, MessageOptions, RunReport } from "../../contract/agent.ts";
import { fail, ok } from "../../contract/codes.ts";
import { runReport } from "../run/report.fixture.ts";
import { type Box, plainSettings, run } from "../surface.fixture.ts";

/** A run whose model answers at once. */
async function runs(words: readonly string[], { report = {}, ...box }: Box & { readonly report?: Partial<RunReport> }) {
  const sent: string[] = [];
  const options: (MessageOptions | undefined)[] = [];
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
    send: async (message, wanted) => {
      sent.push(message);
      options.push(wanted);
      return runReport(report);
    },
    interrupt: async () => {},
    setModel: () => fail("bad_request", "It has none."),
    compact: async () => fail("bad_request", "It has nothing."),
    close: async () => {},
  };
  const settings = ok({ ...plainSettings, models: { ...plainSettings.models, model: "scripted/x" } });
  const app = { settings: () => settings, openAgent: async () => ok(agent) };
  return { ...(await run(["run", ...words], { ...box, app })), sent, options };
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

  test("passes on what is piped beside a task", async () => {
    const beside = await runs(["sum up @there.ts"], { stdin: ["1 2 ", "3\n"] });
    expect([beside.sent, beside.options, notices(beside.stderr)]).toEqual([
      ["sum up @there.ts"],
      [{ readMentions: true, piped: "1 2 3\n" }],
      [],
    ]);
    const alone = await runs(["-"], { stdin: ["sum up 1 2 3 of @absent/a.ts"] });
    expect([alone.sent, alone.options, notices(alone.stderr)]).toEqual([
      ["sum up 1 2 3 of @absent/a.ts"],
      [{ readMentions: false }],
      [],
    ]);
  });

  test.each([
    ["no UTF-8", new Uint8Array([255, 254]), "it is not valid UTF-8"],
    ["a character that is cut off", new Uint8Array([97, 195]), "it is not valid UTF-8"],
    ["binary", new Uint8Array([97, 0, 98]), "it holds NUL bytes"],
  ])("refuses what is %s, beside a task and as one", async (_, bytes, why) => {
    for (const task of ["sum it up", "-"]) {
      const { code, sent, apps, stderr } = await runs([task], { stdin: [bytes] });
      expect([code, sent, apps]).toEqual([2, [], []]);
      expect(stderr).toContain(`error: standard input is not text: ${why}\n`);
    }
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
