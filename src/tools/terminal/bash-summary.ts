import { basename } from "node:path";
import type { SettledChanges } from "../../contract/changes.ts";
import type { Failure } from "../../contract/codes.ts";
import { aSecret, type PathException } from "../../contract/effect.ts";
import type { CommandResult, NetworkFacts } from "../../contract/ports.ts";
import type { ContentDraft, RawResult, Summary } from "../../contract/tool.ts";
import { failureSummary, note } from "../summary.ts";
import { knownOutput, previewIsAll, shownCommand, streamFacts } from "./command-text.ts";
import { notableFirst, notableNote, type ShownChange, shownChanges } from "./shown-changes.ts";
import { recognizeTests, type TestReport } from "./test-report.ts";

export interface BashResult extends CommandResult {
  readonly command: string;
  /** As shown to the model: relative inside the workspace. */
  readonly shownCwd: string;
  readonly shownCwdAfter?: string;
  readonly shownChanges: readonly ShownChange[];
  readonly shownHidden: readonly PathException[];
  readonly hints?: readonly string[];
}

const listedTests = 20;
const listedFiles = 3;
const keptChanges = 200;
const listedReasons = 5;
const listedSecrets = 5;

export function summarizeBash(
  result: RawResult<BashResult>,
  call: { readonly command: string; readonly description?: string },
): Summary {
  const name = shownCommand(call.command);
  const title = titleOf(name, call.description);
  const { data } = result;
  if (data === undefined) return result.ok ? noData(title) : failureSummary(title, result.failure);
  if (data.job !== undefined) return backgroundSummary(title, name, data, data.job);

  const output = `${knownOutput(data.stdout)}\n${knownOutput(data.stderr)}`;
  const tests = recognizeTests(output);
  const sentence =
    data.reopened !== undefined && result.ok
      ? reopenedSentence(name, data)
      : result.ok
        ? passedSentence(name, tests)
        : failedSentence(name, result.failure, data, tests);
  const moved = data.shownCwdAfter === undefined ? "" : ` The working directory is now "${data.shownCwdAfter}".`;
  return {
    title,
    summary: `${sentence}${changesNote(data)}${moved}`,
    model: [
      ...failingTests(tests),
      ...(data.reopened === undefined ? outputDrafts(data) : []),
      ...networkNotes(data),
      ...note("sandbox", data.hints ?? []),
      ...hiddenNotes(data.shownHidden, { failed: !result.ok, text: `${data.command}\n${output}` }),
      ...shownChanges(
        data.shownChanges,
        data.settled === undefined ? "files that changed while it ran" : "files changed by the command",
      ),
      ...settledNotes(data.settled, data.confined),
    ],
    user: `${sentence}${hiddenRemark(data.shownHidden)}${notableNote(data.shownChanges)}`,
    data: facts(data, tests),
  };
}

/** The command comes first: the model's description never replaces it. */
export function titleOf(command: string, description: string | undefined): string {
  return description === undefined ? command : `${command} (${description})`;
}

export function outputDrafts(
  { stdout, stderr }: Pick<CommandResult, "stdout" | "stderr">,
  nothing = "(no output)",
): readonly ContentDraft[] {
  const drafts: readonly ContentDraft[] = [
    { format: "stream", stream: stdout, label: "stdout" },
    { format: "stream", stream: stderr, label: "stderr" },
  ];
  const written = drafts.filter((draft) => draft.format === "stream" && draft.stream.bytes > 0);
  return written.length > 0 ? written : [{ format: "text", text: nothing }];
}

function noData(title: string): Summary {
  return { title, summary: `${title} finished.`, model: [], user: `${title} finished.` };
}

function backgroundSummary(title: string, name: string, data: BashResult, job: string): Summary {
  const sentence = `${name} continues in the background as ${job}.`;
  return {
    title,
    summary: sentence,
    model: [
      ...outputDrafts(data, "(no output yet)"),
      ...note("sandbox", data.hints ?? []),
      ...(data.keepsView ? [keepsView] : []),
    ],
    user: sentence,
    next: { tool: "task_output", input: { id: job } },
    data: facts(data, undefined),
  };
}

function passedSentence(name: string, tests: TestReport | undefined): string {
  if (tests === undefined) return `${name} finished with exit code 0.`;
  if (tests.failed > 0) return `${name} ended with exit code 0, but ${failedTests(tests)}.`;
  return `${name} passed: ${tests.passed} ${tests.passed === 1 ? "test" : "tests"} passed.`;
}

function reopenedSentence(name: string, { changed, settled }: BashResult): string {
  const rest = settled?.discarded?.length ? ", and the rest was discarded" : "";
  const was = changed.length === 0 ? "had nothing left to apply" : `was applied${rest}`;
  return `The earlier change of ${name} ${was}. The command did not run again.`;
}

function failedSentence(
  name: string,
  failure: Failure,
  { exitCode, signal }: BashResult,
  tests: TestReport | undefined,
): string {
  if (failure.code !== "command_failed")
    return `${name}${exitCode ? ` (exit code ${exitCode})` : ""}: ${failure.message}`;
  if (tests !== undefined && tests.failed > 0) return `${name} failed: ${failedTests(tests)}.`;
  const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
  const despite = tests === undefined || tests.passed === 0 ? "" : `, though ${tests.passed} tests passed`;
  return signal === null ? `${name} failed ${how}${despite}.` : `${name} was ended ${how}${despite}.`;
}

function failedTests({ failed, passed, failures }: TestReport): string {
  const files = [...new Set(failures.flatMap((failure) => failure.file ?? []))];
  const more = files.length > listedFiles ? ` and ${files.length - listedFiles} more` : "";
  const where = files.length === 0 ? "" : ` (${files.slice(0, listedFiles).join(", ")}${more})`;
  return `${failed} of ${failed + passed} tests failed${where}`;
}

function failingTests(tests: TestReport | undefined): readonly ContentDraft[] {
  if (tests === undefined || tests.failures.length === 0) return [];
  const lines = tests.failures
    .slice(0, listedTests)
    .map(({ name, file }) => (file === undefined || file === name ? name : `${file}: ${name}`));
  const more = tests.failures.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  return note("failing tests", lines);
}

/** Why an install may have failed: the program's own message rarely says it. */
export function networkNotes({ unreached = [], networkOpen = false }: NetworkFacts): readonly ContentDraft[] {
  const open = "connections of commands are neither blocked nor recorded here";
  return note("network", [...unreached, ...(networkOpen ? [open] : [])]);
}

const keepsView: ContentDraft = {
  format: "text",
  label: "changes",
  text: "It runs on a copy of the workspace: its changes appear in the workspace only when it ends, and it may not see changes made there meanwhile. Stop a server or watcher, and start it again with run_in_background.",
};

const listedPaths = 20;

export function settledNotes(
  settled: SettledChanges | undefined,
  confined: CommandResult["confined"],
): readonly ContentDraft[] {
  if (settled === undefined) return [];
  const { id, discarded = [], dropped, special } = settled;
  const more = discarded.length - listedPaths;
  const word = id === undefined ? "discarded" : "not applied yet";
  const lines = [
    ...(id === undefined ? [] : [`kept as ${id}`]),
    ...discarded.slice(0, listedPaths).map(({ path, operation }) => `${word}: ${operation} ${path}`),
    ...(more > 0 ? [`${word}: ${more} more`] : []),
    ...(dropped > 0 ? [`dropped: ${dropped} cache ${dropped === 1 ? "file" : "files"}`] : []),
    ...special.slice(0, listedPaths).map((path) => `dropped, not a regular file: ${path}`),
    ...(discarded.length > 0 && confined?.offline === false
      ? ["data that it sent over the network cannot be recalled"]
      : []),
  ];
  const diff: readonly ContentDraft[] = settled.diff ? [{ format: "diff", label: "diff", text: settled.diff }] : [];
  return [...note("changes", lines), ...diff];
}

/**
 * To a command, a hidden file looks like a missing or empty one. Secrets are mentioned only if the command may have
 * missed one.
 */
function hiddenNotes(
  hidden: readonly PathException[],
  { failed, text }: { readonly failed: boolean; readonly text: string },
): readonly ContentDraft[] {
  // Not in `.env.example`.
  const holds = (name: string) => text.split(name).some((rest, at) => at > 0 && !/^[\w.-]/.test(rest));
  const isNamed = ({ path, rule }: PathException) => rule === undefined && holds(basename(path));
  const told = hidden.filter((one) => one.rule !== undefined || (one.reason === aSecret && (failed || isNamed(one))));
  const named = told.filter(isNamed).slice(0, listedSecrets);
  const byReason = [...Map.groupBy(told, ({ reason }) => reason)];
  const lines = byReason.slice(0, listedReasons).map(([reason, [first, ...more]]) => {
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    return `${first?.path}${others}: ${reason}`;
  });
  const [first] = named;
  if (first !== undefined) {
    const names = named.map(({ path }) => path).join(", ");
    lines.push(
      `The command or its output names ${names}. A rule such as Read(${first.path}) shows a file to commands, values redacted.`,
    );
  }
  if (byReason.length > listedReasons) lines.push(`and for ${byReason.length - listedReasons} more reasons`);
  return note("hidden from the command", lines);
}

function hiddenRemark(hidden: readonly PathException[]): string {
  return hidden.some(({ rule }) => rule !== undefined) ? " Rules hid some of the workspace from it." : "";
}

function changesNote({ shownChanges: { length }, settled }: BashResult): string {
  if (length === 0) return "";
  const files = `${length} ${length === 1 ? "file" : "files"}`;
  return settled === undefined ? ` While it ran, ${files} changed.` : ` It changed ${files}.`;
}

export function changesOf({ state, id, dropped, special, discarded = [] }: SettledChanges) {
  return { state, id, dropped, special: special.length, discarded: discarded.length };
}

function facts(data: BashResult, tests: TestReport | undefined): Record<string, unknown> {
  const artifacts = { stdout: data.stdout.artifact?.id, stderr: data.stderr.artifact?.id };
  return {
    command: data.command,
    cwd: data.shownCwd,
    cwdAfter: data.shownCwdAfter,
    exitCode: data.exitCode,
    signal: data.signal,
    durationMs: data.durationMs,
    ...streamFacts(data),
    truncated: !(previewIsAll(data.stdout) && previewIsAll(data.stderr)),
    fullOutput: artifacts.stdout || artifacts.stderr ? artifacts : undefined,
    changes: data.settled && changesOf(data.settled),
    ...(data.direct === undefined ? {} : { transaction: false, direct: data.direct }),
    changedCount: data.shownChanges.length,
    changed: notableFirst(data.shownChanges).slice(0, keptChanges),
    job: data.job,
    tests: tests && { ...tests, failures: tests.failures.slice(0, listedTests) },
  };
}
