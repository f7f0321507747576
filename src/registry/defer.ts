import type { Deferral, Tool, VisibilityContext } from "../contract/tool.ts";

/** Core tools are always there: what may be left out says so itself, and nobody asked for it to stay. */
export function isDeferrable(tool: Tool): boolean {
  return tool.defer && !tool.alwaysLoad;
}

export function isLoaded(tool: Tool, { deferring, deferral }: VisibilityContext): boolean {
  return deferring !== true || !isDeferrable(tool) || deferral?.loaded.includes(tool.name) === true;
}

/**
 * What is always there first, then what was asked for in the order in which it came, then names alone: whatever is
 * loaded later changes nothing before it, and so the beginning of a request stays the same, byte for byte.
 */
export function inOrder(tools: readonly Tool[], context: VisibilityContext): readonly Tool[] {
  if (context.deferring !== true) return tools;
  const loaded = new Set(context.deferral?.loaded);
  const asked = [...loaded].flatMap((name) => tools.filter((tool) => tool.name === name && isDeferrable(tool)));
  const rest = tools.filter((tool) => isDeferrable(tool) && !loaded.has(tool.name));
  return [...tools.filter((tool) => !isDeferrable(tool)), ...asked, ...rest];
}

const bytesPerToken = 4;

/** Whether there is too much to show. Weighed once: the tools of a registry do not change. */
export function measureMenu(tools: readonly Tool[]): (deferral: Deferral) => boolean {
  const some = tools.some(isDeferrable);
  let bytes: number | undefined;
  return ({ above, share, contextTokens }) => {
    if (!some) return false;
    if (tools.length > above) return true;
    bytes ??= tools.reduce((sum, tool) => sum + weightOf(tool), 0);
    return bytes / bytesPerToken > share * contextTokens;
  };
}

function weightOf({ name, description, inputJsonSchema }: Tool): number {
  return name.length + description.length + JSON.stringify(inputJsonSchema).length;
}
