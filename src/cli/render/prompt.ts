import type { PermissionPrompt, PermissionRequest } from "../../contract/verdict.ts";
import { diffLine } from "./diff.ts";
import { editView } from "./edit-view.ts";
import { labeller, lines, type Paint, type Shown, say } from "./shown.ts";
import type { View } from "./wrap.ts";

export interface RenderedPrompt {
  readonly shown: Shown;
  /** Lines of the change that were left out. What a person did not look at can still be looked at. */
  readonly leftOut: number;
}

/** More would push the title off a small screen. What is left out is said on up to two lines beside these. */
const mostLines = 12;

/**
 * Everything that a yes would cover. The content of a file may be cut in its middle unless `whole`; a command
 * never is: what it does may hide in any line of it.
 */
export function renderPrompt(request: PermissionRequest, view: View & { readonly whole: boolean }): RenderedPrompt {
  const { prompt } = request;
  const { paint, wrap, fold, whole } = view;
  const label = labeller(paint);
  const filesOnly = touchesFilesOnly(request);
  const change = changeLines(prompt, paint, { filesOnly, whole });
  const title = say`${paint("warning", "?")} ${paint("strong", prompt.title)}`;
  const shown = lines([
    say``,
    title,
    ...change.shown.map(fold),
    ...(change.shown.length > mostLines + 2 ? [title] : []),
    wrap(say`${label("risk")}${prompt.risk}: ${prompt.reason}`),
    ...(prompt.parts ?? []).map((part) => wrap(say`${label("part")}${part}`)),
    ...prompt.effects.map((effect) => wrap(say`${label("touches")}${effect}`)),
    ...(filesOnly ? [] : [wrap(say`${label("sandbox")}${prompt.sandbox}`)]),
    wrap(say`${label("output")}${prompt.outputLimit}`),
    ...(prompt.intentReason === undefined ? [] : [wrap(say`${label("it says")}${prompt.intentReason}`)]),
    ...rulesOf(prompt).map((rule) => wrap(say`${label("rule")}${rule}`)),
    ...(prompt.savesTo === undefined ? [] : [wrap(say`${label("always to")}${prompt.savesTo}`)]),
  ]);
  return { shown, leftOut: change.leftOut };
}

/** What a yes that is remembered would cover. */
function rulesOf({ suggestedRule, suggestedRules }: PermissionPrompt): readonly string[] {
  return suggestedRules ?? (suggestedRule === undefined ? [] : [suggestedRule]);
}

/** Where a diff says what becomes of the files, the input is looked at only by those who want to see all of it. */
function changeLines(
  prompt: PermissionPrompt,
  paint: Paint,
  { filesOnly, whole }: { readonly filesOnly: boolean; readonly whole: boolean },
): { readonly shown: readonly Shown[]; readonly leftOut: number } {
  const diff = prompt.diff?.split("\n") ?? [];
  const isUnified = diff.some((line) => line.startsWith("@@ "));
  const edit = filesOnly && !isUnified ? editView(prompt.action) : undefined;
  const input =
    edit?.map((line) => diffLine(line, paint)) ?? prompt.action.split("\n").map((line) => paint("accent", line));
  const changed = diff.map((line) => diffLine(line, paint));
  if (whole || !filesOnly) return { shown: [...input, ...changed].map(indented), leftOut: 0 };

  const main = cutMiddle(isUnified ? changed : [...input, ...changed], paint);
  if (!isUnified) return { ...main, shown: main.shown.map(indented) };
  const unsaid = paint("warning", `⟨${input.length} lines of input left out⟩`);
  return { shown: [...main.shown, unsaid].map(indented), leftOut: main.leftOut + input.length };
}

function cutMiddle(
  all: readonly Shown[],
  paint: Paint,
): { readonly shown: readonly Shown[]; readonly leftOut: number } {
  const leftOut = Math.max(0, all.length - mostLines);
  if (leftOut === 0) return { shown: all, leftOut };
  const half = mostLines / 2;
  const mark = paint("warning", `⟨${leftOut} lines left out⟩`);
  return { shown: [...all.slice(0, half), mark, ...all.slice(-half)], leftOut };
}

function indented(line: Shown): Shown {
  return say`  ${line}`;
}

const fileEffect = /^(?:reads|lists|writes|deletes|keeps) \//;

/**
 * No process runs, so no sandbox holds one. Whatever does not look exactly like a file tool's question counts
 * as a command and is shown in full.
 */
function touchesFilesOnly({ tool, prompt }: PermissionRequest): boolean {
  return prompt.title === `Allow ${tool}?` && prompt.effects.every((effect) => fileEffect.test(effect));
}
