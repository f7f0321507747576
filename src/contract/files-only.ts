import type { PermissionRequest } from "./verdict.ts";

const fileEffect = /^(?:reads|lists|writes|deletes|keeps) \//;

/**
 * No process runs, so no sandbox holds one. Whatever does not look exactly like a file tool's question counts
 * as a command and is shown in full.
 */
export function touchesFilesOnly({ tool, prompt }: Pick<PermissionRequest, "tool" | "prompt">): boolean {
  return prompt.title === `Allow ${tool}?` && prompt.effects.every((effect) => fileEffect.test(effect));
}
