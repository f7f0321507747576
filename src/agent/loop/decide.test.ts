import { describe, expect, test } from "vitest";
import { type ProviderErrorKind, providerErrorKinds } from "../../contract/model.ts";
import { decide, describeEnd, type RecoveryDecision, type RecoveryStep, remedies, type Situation } from "./decide.ts";

const halfway = () => 0.5;

function situation(
  kind: ProviderErrorKind,
  given: Partial<Situation> = {},
  error: Partial<Situation["error"]> = {},
): Situation {
  return {
    error: { kind, retryable: false, provider: "p", model: "m", message: "it failed", ...error },
    attempts: 1,
    reEmits: 0,
    canFallback: false,
    canCompact: false,
    leftMs: Number.POSITIVE_INFINITY,
    ...given,
  };
}

describe("what is done about an error", () => {
  /** Kind; with everything possible; with another model only; with nothing left. */
  const table: readonly [ProviderErrorKind, RecoveryStep, RecoveryStep, RecoveryStep][] = [
    ["auth", "fallback", "fallback", "configure"],
    ["rate_limit", "retry", "fallback", "fail"],
    ["quota", "fallback", "fallback", "configure"],
    ["timeout", "retry", "fallback", "fail"],
    ["overloaded", "retry", "fallback", "fail"],
    ["bad_request", "fail", "fail", "fail"],
    ["context_length", "compact", "fallback", "fail"],
    ["stream_interrupted", "retry", "fallback", "fail"],
    ["stream_incomplete", "retry", "fallback", "fail"],
    ["unsupported_feature", "fallback", "fallback", "configure"],
    ["malformed_tool_call", "re_emit", "fallback", "fail"],
    ["intent_parse_failed", "re_emit", "fallback", "fail"],
    ["model_unavailable", "retry", "fallback", "configure"],
    ["aborted", "retry", "fallback", "fail"],
    ["unknown", "retry", "fallback", "fail"],
  ];

  test("covers every kind", () => {
    expect(table.map(([kind]) => kind)).toEqual([...providerErrorKinds]);
    expect(Object.keys(remedies).sort()).toEqual([...providerErrorKinds].sort());
  });

  test.each(table)("%s: %s, else %s, else %s", (kind, first, second, last) => {
    const all = { canFallback: true, canCompact: true };
    const retryable = { retryable: true };
    const steps = [
      decide(situation(kind, all, retryable), halfway),
      decide(situation(kind, { canFallback: true, attempts: 4, reEmits: 2 }, retryable), halfway),
      decide(situation(kind, { attempts: 4, reEmits: 2 }, retryable), halfway),
    ].map(({ step }) => step);
    expect(steps).toEqual([first, second, last]);
  });

  test("what cannot pass is not tried again", () => {
    expect(decide(situation("unknown", {}, { retryable: false }), halfway)).toEqual({ step: "fail" });
  });
});

describe("how long it waits", () => {
  const delay = (given: Partial<Situation>, error: Partial<Situation["error"]>, random = halfway): RecoveryDecision =>
    decide(situation("rate_limit", given, { retryable: true, ...error }), random);

  type Row = [string, Partial<Situation>, Partial<Situation["error"]>, () => number, RecoveryDecision];
  const rows: Row[] = [
    ["longer each time, some of it by chance", { attempts: 1 }, {}, () => 0, { step: "retry", delayMs: 250 }],
    ["the second", { attempts: 2 }, {}, () => 1, { step: "retry", delayMs: 1_000 }],
    ["the third", { attempts: 3 }, {}, () => 0.5, { step: "retry", delayMs: 1_500 }],
    ["as the provider asks", { attempts: 1 }, { retryAfterMs: 20_000 }, () => 0, { step: "retry", delayMs: 20_000 }],
    ["never less than that", { attempts: 1 }, { retryAfterMs: 20_000 }, () => 1, { step: "retry", delayMs: 22_000 }],
    ["not for many minutes", { attempts: 1 }, { retryAfterMs: 600_000 }, () => 0, { step: "fail" }],
    ["another model rather", { canFallback: true }, { retryAfterMs: 600_000 }, () => 0, { step: "fallback" }],
    ["not longer than the run may last", { leftMs: 100 }, {}, () => 0.5, { step: "fail" }],
  ];
  test.each(rows)("%s", (_name, given, error, random, expected) => {
    expect(delay(given, error, random)).toEqual(expected);
  });
});

test.each<[ProviderErrorKind, "configure" | "fail", Partial<Situation["error"]>, string]>([
  ["overloaded", "fail", {}, "p/m: it failed"],
  ["overloaded", "fail", { retryAfterMs: 5_000 }, "p/m: it failed"],
  [
    "rate_limit",
    "fail",
    { retryAfterMs: 3_600_000 },
    "p/m: it failed. It requests a retry after 60 minutes, which is too long to wait.",
  ],
  [
    "context_length",
    "fail",
    {},
    "p/m: it failed. Choose a model with a larger context with --model, or start with a shorter message.",
  ],
  [
    "quota",
    "configure",
    {},
    "p/m: it failed. The account has no credit left; add credit, or choose another model with --model.",
  ],
])("the end by %s says what to do (%s)", (kind, step, error, told) => {
  expect(describeEnd(situation(kind, {}, error).error, step)).toBe(told);
});
