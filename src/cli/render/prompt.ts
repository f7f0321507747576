import type { PermissionRequest } from "../../contract/verdict.ts";
import { labeller, lines, type Paint, type Shown, say } from "./shown.ts";

/** Everything that a yes would cover. Nothing is shortened: what is not shown was not agreed to. */
export function renderPrompt(request: PermissionRequest, paint: Paint): Shown {
  const { prompt } = request;
  const label = labeller(paint);
  return lines([
    say``,
    say`${paint("warning", "?")} ${paint("strong", prompt.title)}`,
    ...prompt.action.split("\n").map((line) => say`  ${paint("accent", line)}`),
    ...(prompt.diff === undefined ? [] : prompt.diff.split("\n").map((line) => diffLine(line, paint))),
    say`${label("risk")}${prompt.risk}: ${prompt.reason}`,
    ...prompt.effects.map((effect) => say`${label("touches")}${effect}`),
    say`${label("sandbox")}${prompt.sandbox}`,
    say`${label("output")}${prompt.outputLimit}`,
    ...(prompt.intentReason === undefined ? [] : [say`${label("it says")}${prompt.intentReason}`]),
    ...(prompt.suggestedRule === undefined ? [] : [say`${label("session rule")}${prompt.suggestedRule}`]),
  ]);
}

function diffLine(line: string, paint: Paint): Shown {
  if (line.startsWith("+")) return paint("good", line);
  if (line.startsWith("-")) return paint("bad", line);
  return line.startsWith("@") ? paint("accent", line) : say`${line}`;
}
