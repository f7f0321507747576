import { expect, test } from "vitest";
import { ok } from "../contract/codes.ts";
import type { ReplayCall, ReplayEntry } from "../contract/replay.ts";
import { pastItems } from "./past-items.ts";

const span = { from: 1, to: 1, at: "2026-01-01T00:00:00.000Z" };

function call(facts: Partial<ReplayCall>): ReplayEntry {
  const base = { tool: "bash", input: { command: "rm -rf src" }, title: "bash", summary: "A rule denies it." };
  return { ...span, kind: "call", intentId: "int_1", status: "ok", changed: [], ...base, ...facts };
}

const past = (...entries: readonly ReplayEntry[]) => pastItems(entries.map((entry) => ok(entry)));
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
    note("interrupt", "a person stopped it", true),
    note("run", "interrupted after 2 turns: Esc", true),
    note("run", "done after 1 turn"),
    note("undo", "done, complete: inv_1"),
    note("mode", "default → plan"),
  ] as const;
  expect(past(...entries)).toEqual([
    { kind: "message", text: "write notes" },
    { kind: "note", tone: "warning", text: "■ interrupted after 2 turns: Esc" },
    { kind: "note", tone: "quiet", text: "changes were taken back" },
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
