import type { PermissionRequest } from "../../contract/verdict.ts";

/** Its server says something else of it than was agreed to. Nothing else of a server has a diff beside its call. */
export function isRedefined({ tool, prompt }: PermissionRequest): boolean {
  return tool.startsWith("mcp__") && prompt.diff !== undefined;
}

/** A yes to the call is one to what its server says of it now, and that holds for good. */
export function onceWords(request: PermissionRequest): string {
  return isRedefined(request) ? "once, and take the new words as agreed" : "once";
}
