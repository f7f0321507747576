import type { ChangedTool } from "../../../contract/server/desk.ts";
import { type Shown, say } from "../../render/shown.ts";
import type { View } from "../../render/wrap.ts";

export function changedRows({ paint }: View): (changed: ChangedTool) => readonly Shown[] {
  return ({ name, diff }) => [
    say`${paint("warning", "changed")} since it was agreed to: ${paint("strong", name)}`,
    ...diff
      .trimEnd()
      .split("\n")
      .map((line) => say`  ${line}`),
  ];
}
