import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentNotice } from "../../../src/contract/app/agent.ts";
import { defineTool } from "../../../src/contract/tool.ts";
import { agreeable, heldQuestion } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOf, eventsOfType, openAgent, pairsAreWhole } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = { "a.txt": "one\n", "b.txt": "two\n" };
const reads: Answer = { text: "Reading.", calls: [{ tool: "read", input: { path: "a.txt" } }] };

interface Moment {
  readonly name: string;
  readonly script: readonly Answer[];
  /** Interrupt when this is told. */
  readonly when: (notice: AgentNotice) => boolean;
  /** Codes of the observations that the run leaves. */
  readonly codes: readonly string[];
}

const moments: readonly Moment[] = [
  { name: "before the first word", script: [{ hangs: true }], when: ({ kind }) => kind === "turn_started", codes: [] },
  {
    name: "while text streams",
    script: [{ text: "one two three four five", hangs: true }],
    when: ({ kind }) => kind === "text",
    codes: [],
  },
  {
    name: "while arguments stream, with a call that is complete",
    script: [{ calls: [...(reads.calls ?? []), { id: "second", tool: "read", input: { path: "b.txt" } }] }],
    when: (notice) => notice.kind === "proposing" && notice.callId === "second",
    codes: ["cancelled"],
  },
  {
    name: "when the answer is there and nothing has started",
    script: [{ calls: [...(reads.calls ?? []), { id: "second", tool: "read", input: { path: "b.txt" } }] }],
    when: ({ kind }) => kind === "turn_ended",
    codes: ["cancelled", "cancelled"],
  },
  {
    name: "while a call runs, with another behind it",
    script: [
      {
        calls: [
          { id: "1", tool: "bash", input: { command: "sleep 30" } },
          { id: "2", tool: "bash", input: { command: "sleep 31" } },
        ],
      },
    ],
    when: (notice) => notice.kind === "started",
    codes: ["cancelled", "cancelled"],
  },
  {
    name: "while it waits to try again",
    script: [{ error: { kind: "rate_limit", retryable: true, retryAfterMs: 50_000 } }],
    when: ({ kind }) => kind === "retrying",
    codes: [],
  },
];

describe("an interrupt", () => {
  test.each(moments)("$name leaves a whole log, and the next message goes on", async ({ script, when, codes }) => {
    const model = scripted([...script, { text: "Going on." }]);
    let interrupted: Promise<void> | undefined;
    const agent = await openAgent(makeWorkspace(files), model, {
      settings: { permissions: { allow: ["Bash(sleep:*)"] } },
      onNotice: (notice) => {
        if (when(notice)) interrupted ??= agent.interrupt("stop");
      },
    });
    const report = await agent.send("Go.");
    await interrupted;
    expect(report).toMatchObject({ stop: "interrupted" });
    const { state } = agent.door;
    expect([state.run, state.openIntents.size, state.openInvocations.size, state.pending.size]).toEqual([
      null,
      0,
      0,
      0,
    ]);
    expect(eventsOfType(agent, "tool.observed").map(({ data }) => data.observation.code)).toEqual(codes);
    expect(eventsOfType(agent, "tool_intent.proposed")).toHaveLength(codes.length);

    expect(await agent.send("Go on.")).toMatchObject({ stop: "done", answer: "Going on." });
    const shown = model.requests.at(-1)?.messages ?? [];
    expect(pairsAreWhole(shown)).toBe(true);
    const results = shown.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map(({ text }) => text.split(":")[0])).toEqual(codes.map((code) => `error ${code}`));
    expect(shown.slice(-2)).toEqual([
      {
        role: "user",
        parts: [{ type: "text", text: expect.stringMatching(/^<runtime-note>\nThe run was interrupted here/) }],
      },
      { role: "user", parts: [{ type: "text", text: "Go on." }] },
    ]);
    expect(agent.archive.verify(agent.sessionId)).toMatchObject({ ok: true, value: [{ ok: true }] });
  });

  test("reaches a tool that runs", async () => {
    let begun: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const waits = defineTool<object>({
      name: "waits",
      version: "1",
      description: "Waits until it is told to stop.",
      family: "other",
      risks: ["read"],
      input: z.strictObject({}),
      readOnly: () => true,
      effects: () => ({ effects: [{ op: "session", what: "waiting" }] }),
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () =>
            resolve({ ok: false, failure: { code: "cancelled", message: "It was told to stop." } }),
          );
          begun();
        }),
    });
    const model = scripted([{ calls: [{ tool: "waits", input: {} }] }, { text: "Fine." }]);
    const agent = await openAgent(makeWorkspace(files), model, {
      tools: [{ name: "test", tools: [waits] }],
      onAsk: agreeable(),
    });
    const sent = agent.send("Wait.");
    await running;
    await agent.interrupt();
    expect(await sent).toMatchObject({ stop: "interrupted", calls: { all: 1, failed: 1 } });
    expect(await agent.send("Go on.")).toMatchObject({ stop: "done", answer: "Fine." });
    const [result] =
      model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? message.results : [])) ?? [];
    expect(result?.text).toMatch(/^error cancelled: /);
  });

  test("while a person is asked withdraws the question", async () => {
    const { asked, onAsk } = heldQuestion();
    const model = scripted([
      { calls: [{ tool: "write", input: { path: "new.txt", content: "x\n" } }] },
      { text: "Fine." },
    ]);
    const agent = await openAgent(makeWorkspace(files), model, { onAsk });
    const running = agent.send("Write it.");
    await asked;
    await agent.interrupt();
    expect(await running).toMatchObject({ stop: "interrupted", changed: [] });
    expect(agent.door.state.pending.size).toBe(0);
    expect(await agent.send("Leave it.")).toMatchObject({ stop: "done", answer: "Fine." });
    expect(pairsAreWhole(model.requests[1]?.messages ?? [])).toBe(true);
  });

  test("without a run is a fact like any other", async () => {
    const agent = await openAgent(makeWorkspace(files), [{ text: "Hello." }]);
    await agent.interrupt("nothing to stop");
    expect(await agent.send("Hello?")).toMatchObject({ stop: "done", answer: "Hello." });
    expect(eventsOf(agent).map(({ type }) => type)).toContain("user.interrupt");
  });
});
