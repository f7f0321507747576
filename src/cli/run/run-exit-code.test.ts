import { describe, expect, test } from "vitest";
import { check, runReport } from "../../../test/support/run-report.ts";
import type { RunReport } from "../../contract/app/agent.ts";
import { type RunStop, runStops } from "../../contract/events/run.ts";
import type { CheckedClaim } from "../../contract/verification.ts";
import { runExitCode } from "./report.ts";

const claim = (verdict: CheckedClaim["verdict"]): CheckedClaim => ({
  kind: "fixed",
  phrase: "Fixed.",
  verdict,
  reason: "Because.",
  evidence: [],
});
const changed: RunReport["changed"] = [{ path: "a.ts", change: "modified" }];
const ask = { intentId: "i", tool: "bash", title: "npm test", rules: ["Bash(npm test)"] };

describe("the exit code of a run", () => {
  test.each<[RunStop, number]>([
    ["done", 0],
    ["max_turns", 1],
    ["budget", 1],
    ["log_unavailable", 1],
    ["hook_stopped", 3],
    ["provider_error", 5],
    ["interrupted", 130],
  ])("%s: %i", (stop, code) => {
    expect(runExitCode(runReport({ stop }), { requireVerification: false })).toBe(code);
  });

  test("every way to stop has one", () => {
    const codes = runStops.map((stop) => runExitCode(runReport({ stop }), { requireVerification: false }));
    expect(codes.every((code) => [0, 1, 3, 5, 130].includes(code))).toBe(true);
  });

  test("a question that nobody answered is told before anything that was not verified", () => {
    const report = runReport({ unanswered: [ask], claims: [claim("unsupported")] });
    expect(runExitCode(report, { requireVerification: true })).toBe(4);
    expect(runExitCode(runReport({ stop: "interrupted", unanswered: [ask] }), { requireVerification: true })).toBe(130);
  });

  test.each<[string, Partial<RunReport>, number]>([
    ["nothing was done", {}, 0],
    ["a claim that was borne out", { claims: [claim("supported")] }, 0],
    ["one that was not", { claims: [claim("supported"), claim("unsupported")] }, 1],
    ["one that is untrue", { claims: [claim("contradicted")] }, 1],
    ["a change and no check", { changed, lastChange: 7 }, 1],
    ["a change that is not listed, and no check", { unlisted: 1, lastChange: 7 }, 1],
    ["a change and a check of it", { changed, lastChange: 7, verifications: [check("tests", true, 7)] }, 0],
    ["a change after the check", { changed, lastChange: 9, verifications: [check("tests", true, 7)] }, 1],
    [
      "one check passed, one failed",
      { changed, lastChange: 7, verifications: [check("lint", true, 7), check("tests", false, 7)] },
      1,
    ],
    [
      "a failed check of an earlier state says nothing about this one",
      { changed, lastChange: 7, verifications: [check("lint", false, 3), check("tests", true, 7)] },
      0,
    ],
  ])("with a verification required, %s", (_name, report, code) => {
    expect(runExitCode(runReport(report), { requireVerification: true })).toBe(code);
    expect(runExitCode(runReport(report), { requireVerification: false })).toBe(0);
  });
});
