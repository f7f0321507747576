import { describe, expect, test } from "vitest";
import { runReport } from "../../../test/support/run-report.ts";
import { type Box, plainSettings, run } from "../../../test/support/surface.ts";
import type { Agent, MessageOptions, RunReport } from "../../contract/app/agent.ts";
import { fail, ok } from "../../contract/codes.ts";

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
    context: () => ({ tokens: 0, limit: 1_000, assumed: false }),
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
      ["notice: @absent/a.ts is not attached: the file does not exist."],
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
      expect(stderr).toContain(`gauntlet: standard input is not text: ${why}.\n`);
    }
  });

  test.each([
    ["max_turns", true],
    ["budget", true],
    ["done", false],
    ["provider_error", false],
  ] as const)("stopped by %s, it says how to continue: %s", async (stop, told) => {
    const { stderr } = await runs(["do it"], { report: { stop } });
    expect(stderr.includes("to continue   gauntlet run --continue")).toBe(told);
  });

  test("what a limit did not even let begin cannot go on", async () => {
    const { stderr } = await runs(["do it"], { report: { stop: "budget", turns: 0 } });
    expect(stderr).not.toContain("to continue");
  });

  test("a program is told why an answer that nothing bears out is a failure", async () => {
    const changed = [{ path: "a.ts", change: "modified" }] as const;
    const report = { changed, verifications: [], claims: [], unanswered: [] };
    const { code, stdout } = await runs(["do it", "--require-verification", "--output", "json"], { report });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        stop: "done",
        exitCode: 1,
        detail: "not verified: files were changed, and no check ran after the last change.",
      },
    ]);
  });

  test.each([
    [[{ name: "openai-compatible/coder", from: "http://h/v1" }], "Available: --model openai-compatible/coder."],
    [[], "http://h/v1 lists no models. If the address is right, name a model: --model openai-compatible/NAME."],
  ])("an address alone is no model, and what is there is named: %j", async (found, recovery) => {
    const asked: (string | undefined)[] = [];
    const findModels = async (at?: string) => {
      asked.push(at);
      return found;
    };
    const ran = await run(["run", "do it", "--base-url", "http://h/v1"], { app: { findModels } });
    const message = "--base-url needs --model.";
    expect([ran.code, ran.stderr, asked]).toEqual([2, `gauntlet: ${message}\n${recovery}\n`, ["http://h/v1"]]);
  });
});
