import {
  type ListedChange,
  type PermissionPrompt,
  type PermissionRequest,
  touchesFilesOnly,
} from "../../contract/verdict.ts";
import { diffLine, editView, inputBesideDiff } from "./diff-view.ts";
import { below, lines, type Paint, Shown, say, type Tone } from "./shown.ts";
import { counted } from "./table.ts";
import type { View } from "./wrap.ts";

interface RenderedPrompt {
  readonly shown: Shown;
  readonly leftOut: number;
}

export const fewestLines = 12;

interface PromptView extends View {
  readonly whole: boolean;
  readonly mostLines?: number;
  readonly paged?: boolean;
}

/**
 * Everything that a yes would cover. The content of a file may be cut in its middle unless `whole`; a command
 * never is: what it does may hide in any line of it.
 */
export function renderPrompt(request: PermissionRequest, view: PromptView): RenderedPrompt {
  const { prompt } = request;
  if (prompt.changes !== undefined) return renderChanges(prompt, prompt.changes, view);
  const { paint, line, row, wrap, fold, label, whole, mostLines = fewestLines, paged = false } = view;
  const filesOnly = touchesFilesOnly(request);
  const brief = paged && !whole;
  const change = changeLines(prompt, paint, { filesOnly, whole, mostLines, paged });
  const title = line`${paint("warning", "?")} ${paint("strong", titleOf(request, filesOnly))}`;
  const effects = brief ? prompt.effects.filter((effect) => !isSaid(effect, request, { filesOnly })) : prompt.effects;
  const sandbox = wrap(say`${label("sandbox")}${prompt.sandbox}`);
  const about = row("described", prompt.about);
  const shown = lines([
    say``,
    title,
    ...change.shown.map(fold),
    ...(change.shown.length > mostLines + 2 && !paged ? [title] : []),
    brief && about !== undefined ? firstRows(about, 3) : about,
    row("risk", `${prompt.risk}: ${prompt.reason}`),
    ...endedLines(prompt, view),
    ...(prompt.parts ?? []).map((part) => row("part", part)),
    ...effects.map((effect) => row("touches", effect)),
    filesOnly ? undefined : brief && usualSandbox.test(prompt.sandbox) ? firstRows(sandbox, 1) : sandbox,
    brief && usualLimit.test(prompt.outputLimit) ? undefined : row("output", prompt.outputLimit),
    row("it says", prompt.intentReason),
    ...(brief ? [] : (prompt.suggestedRules ?? []).map((rule) => row("rule", rule))),
    brief ? undefined : row("always to", prompt.savesTo),
  ]);
  return { shown, leftOut: change.leftOut };
}

function renderChanges(prompt: PermissionPrompt, changes: readonly ListedChange[], view: PromptView): RenderedPrompt {
  const { paint, line, row, fold, whole, mostLines = fewestLines, paged = false } = view;
  // The effects end with a count where there are many; what is asked about elsewhere is only there.
  const elsewhere = prompt.effects.filter((effect) => effect.startsWith("!"));
  const listed = whole ? [...elsewhere, ...changes.map((change) => change.line)] : prompt.effects;
  const text = prompt.diff?.trimEnd() ?? "";
  const diff = text === "" ? [] : text.split("\n").map((one) => diffLine(one, paint));
  const action = fold(indented(paint("accent", prompt.action)));
  const cut = whole ? { shown: diff, leftOut: 0 } : cutMiddle(diff, { paint, mostLines });
  const shown = lines([
    say``,
    line`${paint("warning", "?")} ${paint("strong", prompt.title)}`,
    // It has run, and deletions must not be pushed out of a small window by it.
    whole ? action : firstRows(action, paged ? 1 : 2),
    ...listed.map((one) => fold(indented(paint(toneOf(one), one)))),
    row("risk", `${prompt.risk}: ${prompt.reason}`),
    ...endedLines(prompt, view),
    ...cut.shown.map((one) => fold(indented(one))),
    ...(paged && !whole
      ? []
      : [
          row("so far", `${prompt.sandbox} ${prompt.outputLimit}`),
          ...(prompt.suggestedRules ?? []).map((rule) => row("rule", rule)),
        ]),
  ]);
  return { shown, leftOut: cut.leftOut };
}

function endedLines({ ended }: PermissionPrompt, { label, fold }: View): readonly Shown[] {
  return ended === undefined ? [] : below(label("ended"), ended, 0).map(fold);
}

function toneOf(line: string): Tone {
  if (line.startsWith("D") || line.startsWith("R")) return "bad";
  return line.startsWith("A") ? "good" : line.startsWith("!") ? "warning" : "accent";
}

/** Only the usual sandbox may be shortened: that there is none, or another one, is always shown in full. */
const usualSandbox = /^Commands see only the workspace\b/;
const usualLimit = /^At most \d+ characters and \d+ lines go to the model$/;

function firstRows(wrapped: Shown, count: number): Shown {
  const rows = wrapped.text.split("\n");
  if (rows.length <= count) return wrapped;
  const first = rows.slice(0, count).join("\n");
  return new Shown(`${first.replace(/[\s,;]+\S*$/, "")} …`);
}

function titleOf(request: PermissionRequest, filesOnly: boolean): string {
  const title = filesOnly ? fileTitle(request) : request.prompt.title;
  return isRedefined(request) ? `${title} Its definition changed since you approved it.` : title;
}

function fileTitle({ tool, prompt }: PermissionRequest): string {
  const [first, ...others] = pathsOf(prompt);
  if (first === undefined) return prompt.title;
  return `Allow ${tool} of ${first}${others.length === 0 ? "" : ` and ${others.length} more`}?`;
}

function pathsOf({ effects }: PermissionPrompt): readonly string[] {
  return [...new Set(effects.flatMap((effect) => touchedFile.exec(effect)?.[1] ?? []))];
}

function isSaid(
  effect: string,
  { prompt }: PermissionRequest,
  { filesOnly }: { readonly filesOnly: boolean },
): boolean {
  if (filesOnly) return pathsOf(prompt).length === 1 && touchedFile.test(effect);
  return prompt.reason.includes(effect.replace(/, which may do anything that the sandbox permits$/, ""));
}

interface ChangeView extends Pick<Required<PromptView>, "whole" | "mostLines" | "paged"> {
  readonly filesOnly: boolean;
}

function changeLines(
  prompt: PermissionPrompt,
  paint: Paint,
  { filesOnly, whole, mostLines, paged }: ChangeView,
): { readonly shown: readonly Shown[]; readonly leftOut: number } {
  const diff = prompt.diff?.split("\n") ?? [];
  const isUnified = diff.some((line) => line.startsWith("@@ "));
  const edit = filesOnly && !isUnified ? editView(prompt.action) : undefined;
  const action = filesOnly && isUnified ? inputBesideDiff(prompt.action, diff.join("\n")) : prompt.action.split("\n");
  const input = edit?.map((line) => diffLine(line, paint)) ?? action.map((line) => paint("accent", line));
  const changed = diff.map((line) => diffLine(line, paint));
  if (whole || !filesOnly) return { shown: [...input, ...changed].map(indented), leftOut: 0 };

  const main = cutMiddle(isUnified ? changed : [...input, ...changed], { paint, mostLines });
  if (!isUnified) return { ...main, shown: main.shown.map(indented) };
  // The diff shows everything that happens to the files. A key shows the input that it was made from.
  const beside = paged ? [] : [paint("quiet", `⟨the call's own input, ${counted(input.length, "line")}, with v⟩`)];
  return { shown: [...main.shown, ...beside].map(indented), leftOut: main.leftOut + input.length };
}

function cutMiddle(
  all: readonly Shown[],
  { paint, mostLines }: { readonly paint: Paint; readonly mostLines: number },
): { readonly shown: readonly Shown[]; readonly leftOut: number } {
  const leftOut = Math.max(0, all.length - mostLines);
  if (leftOut === 0) return { shown: all, leftOut };
  const half = Math.floor(mostLines / 2);
  const mark = paint("warning", `⟨${leftOut} lines left out⟩`);
  return { shown: [...all.slice(0, mostLines - half), mark, ...all.slice(-half)], leftOut };
}

function indented(line: Shown): Shown {
  return say`  ${line}`;
}

const touchedFile = /^(?:reads|lists|writes|deletes) (\/.*)$/;

function isRedefined({ tool, prompt }: PermissionRequest): boolean {
  return tool.startsWith("mcp__") && prompt.diff !== undefined;
}

/** Approval of the call also approves the tool's new definition, permanently. */
export function onceWords(request: PermissionRequest): string {
  return isRedefined(request) ? "once, and approve the new definition" : "once";
}
