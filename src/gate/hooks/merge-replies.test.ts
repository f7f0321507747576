import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HookAnswer } from "../../contract/verdict.ts";
import { type HookReply, mergeReplies } from "./hook-reply.ts";

type Said = Partial<HookReply>;

function merge(...replies: readonly Said[]): HookAnswer {
  return mergeReplies(
    replies.map((reply, index) => ({ label: `h${index + 1}`, reply: { exit: "ok", ignored: [], ...reply } })),
  );
}

const allow: Said = { decision: "allow", reason: "yes" };
const ask: Said = { decision: "ask", reason: "hm" };
const defer: Said = { decision: "defer", reason: "you" };
const deny: Said = { decision: "deny", reason: "no" };

describe("what several hooks say together", () => {
  test.each<[string, readonly Said[], HookAnswer]>([
    ["nothing", [], { decision: "none" }],
    ["no opinion", [{}, {}], { decision: "none" }],
    ["one yes is enough where nobody objects", [{}, allow], { decision: "allow", reason: "yes (hook h2)" }],
    ["ask beats allow", [allow, ask], { decision: "ask", reason: "hm (hook h2)" }],
    ["defer beats ask", [ask, defer, allow], { decision: "ask", reason: "you (hook h2)" }],
    ["deny beats all", [allow, defer, ask, deny], { decision: "deny", reason: "no (hook h4)" }],
    ["every reason is told", [deny, deny], { decision: "deny", reason: "no (hook h1); no (hook h2)" }],
    [
      "a failure that blocks",
      [allow, { ...deny, exit: "timeout" }],
      { decision: "deny", reason: 'the hook "h2" failed: no', failed: ["h2"] },
    ],
    [
      "a failure beside a no",
      [deny, { ...deny, exit: "failed" }],
      { decision: "deny", reason: 'no (hook h1); the hook "h2" failed: no' },
    ],
    [
      "a failure that does not",
      [allow, { exit: "failed", reason: "x" }],
      { decision: "allow", reason: "yes (hook h1)" },
    ],
    [
      "one change",
      [{ input: { a: 1 } }, allow],
      { decision: "allow", reason: "yes (hook h2)", revision: { hook: "h1", input: { a: 1 } } },
    ],
    [
      "the same change twice",
      [{ input: { a: 1, b: 2 } }, { input: { b: 2, a: 1 } }],
      { decision: "none", revision: { hook: "h1", input: { a: 1, b: 2 } } },
    ],
    [
      "two changes",
      [
        { ...allow, input: { a: 1 } },
        { ...allow, input: { a: 2 } },
      ],
      { decision: "deny", reason: "the hooks h1 and h2 change the input in different ways" },
    ],
    ["nothing is changed for a no", [{ input: { a: 1 } }, deny], { decision: "deny", reason: "no (hook h2)" }],
    [
      "remarks of all",
      [{ context: "one" }, { ...allow, context: "two" }],
      {
        decision: "allow",
        reason: "yes (hook h2)",
        remarks: [
          { hook: "h1", text: "one" },
          { hook: "h2", text: "two" },
        ],
      },
    ],
    ["stop", [allow, { stop: "enough" }], { decision: "deny", reason: "a hook stops the run: enough", stop: "enough" }],
  ])("%s", (_name, replies, expected) => {
    expect(merge(...replies)).toEqual(expected);
  });

  test("the order in which they stand decides nothing", () => {
    const one = fc.constantFrom<Said>({}, allow, ask, defer, deny, { input: { a: 1 } }, { input: { a: 2 } });
    const both = fc
      .array(one, { maxLength: 6 })
      .chain((said) => fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length })));
    fc.assert(
      fc.property(both, ([said, shuffled]) => {
        const [first, second] = [merge(...said), merge(...shuffled)];
        expect(second.decision).toBe(first.decision);
        expect(second.revision?.input).toEqual(first.revision?.input);
        if (said.some(({ decision }) => decision === "deny")) expect(first.decision).toBe("deny");
      }),
    );
  });
});
