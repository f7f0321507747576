import { quoted } from "../../base/text.ts";
import type { RunReport } from "../../contract/app/agent.ts";
import type { RunStop } from "../../contract/events/run.ts";
import type { CheckedClaim } from "../../contract/verification.ts";
import { policyPatch } from "../render/observation.ts";
import { below, labeller, lines, type Shown, say, type Tone } from "../render/shown.ts";
import { counted, oneLine } from "../render/table.ts";
import type { View } from "../render/wrap.ts";
import { type ExitCode, exitCodes } from "../report.ts";

const listedPaths = 20;

export function renderReport(report: RunReport, { paint, wrap, copied }: View, rulesFile: string): Shown {
  const label = labeller(paint);
  const row = (name: string, tone: Tone | undefined, text: string) =>
    wrap(say`${label(name)}${tone === undefined ? say`${text}` : paint(tone, text)}`);
  const rules = [...new Set(report.unanswered.flatMap((ask) => ask.rules))];
  return lines([
    ...(report.stop === "done" ? [] : below(label("stopped"), `${report.stop}: ${report.detail ?? ""}`).map(wrap)),
    ...(saidNothing(report) ? [row("answer", "warning", "the model ended without a word")] : []),
    ...(canGoOn(report) ? [copied(label("to go on"), say`gauntlet run --continue 'go on'`)] : []),
    ...changedRows(report).map((text, index) => row(index === 0 ? "changed" : "", undefined, text)),
    ...report.verifications.map(({ passed, kinds, command }, index) =>
      row(
        index === 0 ? "checked" : "",
        passed ? "good" : "bad",
        `${passed ? "✓" : "✗"} ${kinds.join(", ")}: ${oneLine(command, 100)}`,
      ),
    ),
    ...distinctClaims(report).map((claim, index) =>
      row(index === 0 ? "claims" : "", toneOf[claim.verdict], claimText(claim)),
    ),
    ...unansweredRows(report).flatMap(({ title, recovery, changes }, index) => [
      row(index === 0 ? "not asked" : "", "warning", `nobody could agree to: ${title}`),
      ...(changes === undefined ? [] : [copied(label(""), say`its changes: artifact ${changes}`)]),
      ...(recovery === undefined ? [] : [row("", undefined, recovery)]),
    ]),
    ...(rules.length === 0
      ? []
      : [
          copied(label("to allow it"), say`${rules.map((rule) => `--allow ${quoted(rule)}`).join(" ")}`),
          copied(label("or settings"), say`${policyPatch(rules)}`),
          wrap(say`${label("")}in ${rulesFile}`),
        ]),
    row("used", undefined, usageText(report)),
    row("session", undefined, report.sessionId),
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
  return [
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(unlisted === undefined ? [] : [`${counted(unlisted, "path")} in dependencies, caches or git's own books`]),
  ];
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
