import { quoted } from "../../base/text.ts";
import type { RunReport } from "../../contract/app/agent.ts";
import type { RunStop } from "../../contract/events/run.ts";
import type { CheckedClaim } from "../../contract/verification.ts";
import { policyPatch, readArtifact } from "../render/observation.ts";
import { below, lines, type Shown, say, type Tone } from "../render/shown.ts";
import { counted, oneLine } from "../render/table.ts";
import type { View } from "../render/wrap.ts";
import { type ExitCode, exitCodes } from "../report.ts";

const listedPaths = 20;

export function renderReport(report: RunReport, view: View, rulesFile: string): Shown {
  const { paint, wrap, row, label, copied } = view;
  const { stop, detail = "", unanswered, verifications, lastChange } = report;
  const rules = [...new Set(unanswered.flatMap((ask) => ask.rules))];
  const several = (name: string, rows: readonly (string | Shown)[]) =>
    rows.map((text, index) => row(index === 0 ? name : "", text));
  return lines([
    ...(stop === "done" ? [] : below(label("stopped"), `${stop}: ${detail}`).map(wrap)),
    row("answer", saidNothing(report) ? paint("warning", "the model ended without an answer") : undefined),
    canGoOn(report) ? copied(label("to continue"), say`gauntlet run --continue 'continue'`) : undefined,
    ...several("changed", changedRows(report)),
    ...several(
      "checked",
      verifications.map(({ passed, kinds, command, afterChange }) => {
        const what = `${kinds.join(", ")}: ${oneLine(command, 100)}`;
        if (!passed) return paint("bad", `✗ ${what}`);
        if (afterChange === lastChange) return paint("good", `✓ ${what}`);
        return paint("warning", `! ${what} passed before the last change`);
      }),
    ),
    ...several(
      "claims",
      distinctClaims(report).map((claim) => paint(toneOf[claim.verdict], claimText(claim))),
    ),
    ...unansweredRows(report).flatMap(({ title, recovery, changes }, index) => [
      row(index === 0 ? "not asked" : "", paint("warning", `needs approval: ${title}`)),
      changes === undefined ? undefined : copied(label("its changes"), readArtifact(changes)),
      row("", recovery),
    ]),
    ...(rules.length === 0
      ? []
      : [
          copied(label("to allow it"), say`${rules.map((rule) => `--allow ${quoted(rule)}`).join(" ")}`),
          copied(label("or settings"), say`${policyPatch(rules)}`),
          row("", `in ${rulesFile}`),
        ]),
    row("used", usageText(report)),
    row("session", report.sessionId),
  ]);
}

function canGoOn({ stop, turns }: RunReport): boolean {
  return stop === "max_turns" || stop === "interrupted" || (stop === "budget" && turns > 0);
}

function saidNothing({ stop, answer }: RunReport): boolean {
  return stop === "done" && answer.trim() === "";
}

const toneOf: Readonly<Record<CheckedClaim["verdict"], Tone>> = {
  supported: "good",
  unsupported: "warning",
  contradicted: "bad",
};

export function distinctClaims({ claims }: Pick<RunReport, "claims">): readonly CheckedClaim[] {
  return [...new Map(claims.map((claim) => [claimText(claim), claim])).values()];
}

function claimText({ verdict, phrase, reason }: CheckedClaim): string {
  return `${verdict}: “${oneLine(phrase, 80)}”. ${reason}`;
}

function unansweredRows({ unanswered }: RunReport) {
  const rows = unanswered.map(({ title, rules, recovery, changes }) => ({
    title: oneLine(title, 100),
    changes,
    recovery: rules.length > 0 ? undefined : recovery,
  }));
  return [...new Map(rows.map((row) => [`${row.title}\n${row.recovery}`, row])).values()];
}

function changedRows({ changed, unlisted }: RunReport): readonly string[] {
  const shown = changed
    .slice(0, listedPaths)
    .map(({ path, change, whileRunning }) => `${change} ${path}${whileRunning ? " (while a command ran)" : ""}`);
  const more = changed.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  if (unlisted !== undefined) shown.push(`${counted(unlisted, "path")} in dependencies, caches or git's own files`);
  return shown;
}

function usageText({ turns, calls, usage, costUsd, durationMs }: RunReport): string {
  const denied = calls.denied === 0 ? "" : `, ${calls.denied} denied`;
  const money = costUsd === undefined ? "" : `, $${costUsd.toFixed(4)}`;
  const tokens = `${counted(usage.inputTokens, "token")} in (${usage.cacheReadTokens} cached), ${usage.outputTokens} out`;
  return `${counted(turns, "turn")}, ${counted(calls.all, "call")}${denied}, ${tokens}${money}, ${(durationMs / 1000).toFixed(1)} s`;
}

const ofStop: Readonly<Record<RunStop, ExitCode>> = {
  done: exitCodes.done,
  max_turns: exitCodes.failed,
  budget: exitCodes.failed,
  interrupted: exitCodes.interrupted,
  provider_error: exitCodes.providerFailed,
  hook_stopped: exitCodes.denied,
  log_unavailable: exitCodes.failed,
};

export function runExitCode(report: RunReport, options: { readonly requireVerification: boolean }): ExitCode {
  if (report.stop !== "done") return ofStop[report.stop];
  if (report.unanswered.length > 0) return exitCodes.approvalNeeded;
  return options.requireVerification && whyUnverified(report) !== undefined ? exitCodes.failed : exitCodes.done;
}

export function whyUnverified({
  claims,
  changed,
  unlisted = 0,
  verifications,
  lastChange,
}: RunReport): string | undefined {
  const unproven = claims.find(({ verdict }) => verdict !== "supported");
  if (unproven !== undefined) return `a claim is ${unproven.verdict}: ${unproven.reason}`;
  if (changed.length + unlisted === 0) return undefined;
  const current = verifications.filter(({ afterChange }) => afterChange === lastChange);
  if (current.length === 0) return "files were changed, and no check ran after the last change.";
  const failed = current.find(({ passed }) => !passed);
  return failed === undefined ? undefined : `\`${failed.command}\` failed after the last change.`;
}
