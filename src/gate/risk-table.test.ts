import { expect, test } from "vitest";
import type { Risk } from "../contract/effect.ts";
import { modes } from "../contract/verdict.ts";
import { type CallConfinement, decideByRisk } from "./risk-table.ts";

const strictness = { allow: 0, ask: 1, deny: 2 };
const risks: readonly Risk[] = ["R0", "R1", "R2", "R3", "R4", "R5"];

//                              R0      R1      R2      R3      R4      R5
test.each<[string, CallConfinement, ...string[]]>([
  ["default", "sandbox", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["acceptEdits", "sandbox", "allow", "allow", "allow", "ask", "ask", "deny"],
  ["plan", "sandbox", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["dontAsk", "sandbox", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["bypass", "sandbox", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["auto", "sandbox", "allow", "allow", "allow", "allow", "ask", "deny"],
  ["default", "direct", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["acceptEdits", "direct", "allow", "allow", "allow", "ask", "ask", "deny"],
  ["auto", "direct", "allow", "allow", "allow", "ask", "ask", "deny"],
  ["default", "ports", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["acceptEdits", "ports", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["auto", "ports", "allow", "allow", "ask", "ask", "ask", "deny"],
  ["default", "none", "ask", "ask", "ask", "ask", "deny", "deny"],
  ["acceptEdits", "none", "ask", "ask", "ask", "ask", "deny", "deny"],
  ["auto", "none", "ask", "ask", "ask", "ask", "deny", "deny"],
])("%s with %s", (mode, confinement, ...expected) => {
  const known = modes.find((candidate) => candidate === mode) ?? "default";
  expect(risks.map((risk) => decideByRisk(risk, known, confinement))).toEqual(expected);
});

test("less confinement and more risk are never laxer", () => {
  for (const mode of modes) {
    for (const [index, risk] of risks.entries()) {
      const by = (confinement: CallConfinement) => strictness[decideByRisk(risk, mode, confinement)];
      expect(by("direct")).toBeGreaterThanOrEqual(by("sandbox"));
      expect(by("ports")).toBeGreaterThanOrEqual(by("direct"));
      expect(by("none")).toBeGreaterThanOrEqual(by("ports"));
      const lower = risks[index - 1];
      if (lower === undefined) continue;
      for (const confinement of ["sandbox", "direct", "ports", "none"] as const) {
        expect(by(confinement)).toBeGreaterThanOrEqual(strictness[decideByRisk(lower, mode, confinement)]);
      }
    }
  }
});
