import { describe, expect, test } from "vitest";
import { observationOf } from "../../test/support/surface.ts";
import type { Archive, ReplayCall, ReplayEntry } from "../contract/app/archive.ts";
import { fail, ok } from "../contract/codes.ts";
import type { Event } from "../contract/events/index.ts";
import { pastItems, readPast } from "./past-items.ts";

const span = { from: 1, to: 1, at: "2026-01-01T00:00:00.000Z" };

function call(facts: Partial<ReplayCall>): ReplayEntry {
  const base = { tool: "bash", input: { command: "rm -rf src" }, title: "bash", summary: "A rule denies it." };
  return { ...span, kind: "call", intentId: "int_1", status: "ok", changed: [], ...base, ...facts };
}

const past = (...entries: readonly ReplayEntry[]) => pastItems(entries.map((entry) => ok(entry))).items;
const note = (about: string, text: string, bad?: true): ReplayEntry => ({
  ...span,
  kind: "note",
  about,
  text,
  ...(bad === undefined ? {} : { bad }),
});

test("what only the model and the log were told is not shown", () => {
  const entries = [
    note("run", "scripted/x takes up: write notes"),
    { ...span, kind: "message", by: "runtime", text: "<session-environment>…</session-environment>" },
    { ...span, kind: "message", by: "person", text: "write notes" },
    note("interrupt", "interrupted by the user", true),
    note("run", "interrupted after 2 turns: Esc", true),
    note("run", "done after 1 turn"),
    note("undo", "done, complete: inv_1"),
    note("mode", "default → plan"),
  ] as const;
  expect(past(...entries)).toEqual([
    { kind: "message", text: "write notes" },
    { kind: "note", tone: "warning", text: "■ interrupted after 2 turns: Esc" },
    { kind: "note", tone: "quiet", text: "changes reverted" },
    { kind: "note", tone: "quiet", text: "mode default → plan" },
  ]);
});

test("a call that was refused says what it was", () => {
  expect(past(call({ status: "denied", code: "policy_denied" }), call({ title: "npm test" }))).toEqual([
    { kind: "note", tone: "warning", text: "⊘ bash rm -rf src policy_denied\n  A rule denies it." },
    { kind: "note", tone: "plain", text: "● npm test" },
  ]);
});

test("what is left out is counted by what would have been seen", () => {
  const runs = Array.from({ length: 40 }, (_, turn): readonly ReplayEntry[] => [
    note("run", `m takes up: ${turn}`),
    { ...span, kind: "message", by: "person", text: String(turn) },
  ]).flat();
  const shown = past(...runs);
  expect(shown[0]).toMatchObject({ text: "… 10 earlier steps: gauntlet sessions replay" });
  expect(shown).toHaveLength(31);
});

test("what was piped in with a message is said", () => {
  const piped = { bytes: 2_048, lines: 3, omittedBytes: 0, artifact: "sha256-1" };
  expect(past({ ...span, kind: "message", by: "program", text: "review this", piped })).toEqual([
    { kind: "message", text: "review this" },
    { kind: "note", tone: "quiet", text: "with 2.0 KiB of standard input" },
  ]);
});

describe("what past calls printed", () => {
  /** A log of calls that printed something, but for every third one; with what was asked of it. */
  function logOf(calls: number) {
    const asked: unknown[] = [];
    const printed = (seq: number) => (seq % 3 === 0 ? [] : [{ label: "stdout", text: `printed ${seq}` }]);
    const observed = (seq: number) => {
      const content = printed(seq).map((one) => ({ trust: "tool_output_untrusted", format: "text", ...one }) as const);
      const model = { content, truncated: false, omittedBytes: 0 };
      const observation = observationOf({ id: `int_${seq}`, tool: "bash", input: {} }, { model });
      return { seq, type: "tool.observed", data: { intentId: `int_${seq}`, observation } } as Partial<Event> as Event;
    };
    const all = Array.from({ length: calls }, (_, at) => at + 1);
    const archive: Partial<Archive> = {
      events: (id, range = {}) => {
        asked.push([id, range]);
        return ok(all.filter((seq) => seq >= (range.from ?? 1)).map(observed));
      },
    };
    const entries = all.map((seq) => ok({ ...call({}), from: seq, to: seq }));
    return { asked, app: { replay: () => ok(entries), archive: () => ok(archive as Archive) } };
  }

  const textsOf = (read: ReturnType<typeof readPast>) =>
    read.ok ? read.value.outputs.map(({ model }) => model.content[0]?.text) : read;

  test("can be asked for, and only the end of the log is looked at for it", () => {
    const { app, asked } = logOf(1_000);
    const read = readPast(app, "ses_1");
    expect(textsOf(read)).toEqual([994, 995, 997, 998, 1_000].map((seq) => `printed ${seq}`));
    expect(asked).toEqual([["ses_1", { from: 971, types: ["tool.observed"] }]]);
    expect(read.ok && read.value.items.at(-1)).toMatchObject({ text: expect.stringContaining("Ctrl+O") });
  });

  test("is not looked for where there was no call, and may be nothing", () => {
    const none = logOf(0);
    expect([readPast(none.app, "ses_1"), none.asked]).toEqual([ok({ items: [], outputs: [] }), []]);
    const { app } = logOf(3);
    const silent = { ...app, archive: () => fail("log_unavailable", "gone") };
    expect(readPast(silent, "ses_1")).toMatchObject({ ok: true, value: { outputs: [], items: [{}, {}, {}] } });
  });
});
