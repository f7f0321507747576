import type { PermissionRequest } from "../../contract/verdict.ts";
import { diffLine } from "./diff.ts";
import { editView } from "./edit-view.ts";
import { labeller, lines, type Paint, type Shown, say } from "./shown.ts";
import type { View } from "./wrap.ts";

export interface RenderedPrompt {
  readonly shown: Shown;
  /** Lines of the change that were left out. What a person did not look at can still be looked at. */
  readonly leftOut: number;
}

/** More would push the title off a small screen. */
const mostLines = 12;

/**
 * Everything that a yes would cover. The content of a file may be cut in its middle unless `whole`; a command
 * never is: what it does may hide in any line of it.
 */
export function renderPrompt(request: PermissionRequest, view: View & { readonly whole: boolean }): RenderedPrompt {
  const { prompt } = request;
  const { paint, wrap, whole } = view;
  const label = labeller(paint);
  const filesOnly = touchesFilesOnly(request);
  const change = changeLines(request, paint, { filesOnly });
  const leftOut = filesOnly && !whole ? Math.max(0, change.length - mostLines) : 0;
  const half = mostLines / 2;
  const visible =
    leftOut === 0
      ? change
      : [...change.slice(0, half), paint("warning", `  ⟨${leftOut} lines left out⟩`), ...change.slice(-half)];
  const title = say`${paint("warning", "?")} ${paint("strong", prompt.title)}`;
  const shown = lines([
    say``,
    title,
    ...visible,
    ...(visible.length > mostLines + 1 ? [title] : []),
    wrap(say`${label("risk")}${prompt.risk}: ${prompt.reason}`),
    ...prompt.effects.map((effect) => wrap(say`${label("touches")}${effect}`)),
    ...(filesOnly ? [] : [wrap(say`${label("sandbox")}${prompt.sandbox}`)]),
    wrap(say`${label("output")}${prompt.outputLimit}`),
    ...(prompt.intentReason === undefined ? [] : [wrap(say`${label("it says")}${prompt.intentReason}`)]),
    ...(prompt.suggestedRule === undefined ? [] : [wrap(say`${label("session rule")}${prompt.suggestedRule}`)]),
  ]);
  return { shown, leftOut };
}

function changeLines(
  { prompt }: PermissionRequest,
  paint: Paint,
  options: { readonly filesOnly: boolean },
): readonly Shown[] {
  const diff = prompt.diff?.split("\n").map((line) => diffLine(line, paint)) ?? [];
  const edit = options.filesOnly ? editView(prompt.action) : undefined;
  const action =
    edit === undefined
      ? prompt.action.split("\n").map((line) => say`  ${paint("accent", line)}`)
      : edit.map((line) => say`  ${diffLine(line, paint)}`);
  return [...action, ...diff];
}

const fileEffect = /^(?:reads|lists|writes|deletes|keeps) \//;

/**
 * No process runs, so no sandbox holds one. Whatever does not look exactly like a file tool's question counts
 * as a command and is shown in full.
 */
function touchesFilesOnly({ tool, prompt }: PermissionRequest): boolean {
  return prompt.title === `Allow ${tool}?` && prompt.effects.every((effect) => fileEffect.test(effect));
}
