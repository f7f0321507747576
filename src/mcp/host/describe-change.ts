import { visibleText } from "../../contract/visible-text.ts";
import { type Definition, type Pinned, textOf } from "./definitions.ts";

/** What a server says of a tool now against what somebody agreed to, as a unified diff that can hide nothing. */
export async function describeChange(before: Pinned | "unreadable" | undefined, { tool }: Definition): Promise<string> {
  if (before === undefined || before === "unreadable") {
    return `What was agreed to is not readable any more. The server says now:\n${visibleText(textOf(tool))}`;
  }
  const { createTwoFilesPatch } = await import("diff");
  const names = [`agreed/${tool.name}`, `now/${tool.name}`] as const;
  return visibleText(createTwoFilesPatch(...names, textOf(before.tool), textOf(tool), undefined, undefined));
}
