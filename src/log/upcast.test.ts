import { describe, expect, test } from "vitest";
import type { Event } from "../contract/events/index.ts";
import { createUpcaster, knownUpcasts } from "./upcast.ts";

const { current } = createUpcaster(knownUpcasts);
const envelope = { seq: 1, id: "evt_1", session: "ses_1", at: "2026-01-01T00:00:00.000Z", prev: "", hash: "" };
const projected = (v: number, data: object) => ({ ...envelope, type: "context.projected", v, data }) as Event;
const entry = (name: string) => ({ name, version: "1", schemaHash: `hash of ${name}`, source: "builtin" });

test("a menu whose tools had an entry each, also those that were shown by name alone", () => {
  const menu = [entry("read"), { ...entry("mcp__a__b"), loaded: false }];
  expect(current(projected(2, { menu, menuHash: "m" }))).toEqual(
    projected(3, { menu: [entry("read")], named: ["mcp__a__b"], menuHash: "m" }),
  );
});

test("a menu that was shown whole, and an event without one, stay as they are", () => {
  expect(current(projected(2, { menu: [entry("read")], menuHash: "m" }))).toEqual(
    projected(3, { menu: [entry("read")], menuHash: "m" }),
  );
  expect(current(projected(2, { menuHash: "m" }))).toEqual(projected(3, { menuHash: "m" }));
});

test("an input that was kept whole is one that continues nothing", () => {
  const input = { artifact: "sha256-aa", bytes: 12 };
  const { data } = current(projected(1, { menuHash: "m", modelInput: input }));
  expect(data).toEqual({
    menuHash: "m",
    modelInput: { hash: expect.stringMatching(/^[0-9a-f]{64}$/), artifact: "sha256-aa", bytes: 12, total: 12 },
  });
});

describe("one rule that would do alone", () => {
  const old = (type: string, v: number, data: object) => ({ ...envelope, type, v, data }) as Event;
  const [alone, both, none] = [
    { suggestedRule: "Bash(a)" },
    { suggestedRule: "Bash(a && b)", suggestedRules: ["Bash(a)", "Bash(b)"] },
    {},
  ];

  test.each([
    ["is a list of one", alone, { suggestedRules: ["Bash(a)"] }],
    ["says no more than the list beside it", both, { suggestedRules: ["Bash(a)", "Bash(b)"] }],
    ["is no list where there is none", none, {}],
  ])("%s, wherever it stands", (_what, before, after) => {
    const decided = (v: number, rules: object) => old("permission.decided", v, { intentId: "a", ...rules });
    const requested = (v: number, rules: object) =>
      old("permission.requested", v, { requestId: "r", prompt: { title: "Run?", ...rules } });
    const observed = (v: number, rules: object) => {
      const permission = { decision: "ask", ...rules, prompt: { title: "Run?", ...rules } };
      return old("tool.observed", v, { intentId: "a", observation: { ok: false, permission } });
    };
    for (const event of [decided, requested, observed]) expect(current(event(1, before))).toEqual(event(2, after));
  });

  test("of an observation without a decision, or with no words for it, changes nothing", () => {
    for (const observation of [{ ok: true }, { ok: false, permission: { decision: "deny" } }]) {
      const data = { intentId: "a", observation };
      expect(current(old("tool.observed", 1, data))).toEqual(old("tool.observed", 2, data));
    }
  });
});
