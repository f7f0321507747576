import type { Deferral, Tool, VisibilityContext } from "../contract/tool.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";

export function isDeferrable(tool: Tool): boolean {
  return tool.defer && !tool.alwaysLoad;
}

export function isLoaded(tool: Tool, { deferring, deferral }: VisibilityContext): boolean {
  return deferring !== true || !isDeferrable(tool) || deferral?.loaded.includes(tool.name) === true;
}

export function inOrder(tools: readonly Tool[], context: VisibilityContext): readonly Tool[] {
  if (context.deferring !== true) return tools;
  const loaded = new Set(context.deferral?.loaded);
  const asked = [...loaded].flatMap((name) => tools.filter((tool) => tool.name === name && isDeferrable(tool)));
  const rest = tools.filter((tool) => isDeferrable(tool) && !loaded.has(tool.name));
  return [...tools.filter((tool) => !isDeferrable(tool)), ...asked, ...rest];
}

const bytesPerToken = 4;

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

export function searchableNames(visible: readonly { readonly tool: Tool }[]): string {
  return groupedNames(visible.filter(({ tool }) => isDeferrable(tool)).map(({ tool }) => tool.name));
}

export function withNames<Described extends Pick<MenuEntry, "description">>(
  described: Described,
  names: string,
): Described {
  return { ...described, description: `${described.description}\n${names}` };
}

function groupedNames(names: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const behind = endOfServer(name);
    const prefix = name.slice(0, behind);
    const rest = name.slice(behind);
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [rest]);
    else group.push(rest);
  }
  return [...groups].map(([prefix, rest]) => `${prefix === "" ? "" : `${prefix}: `}${rest.join(", ")}`).join("\n");
}

function endOfServer(name: string): number {
  const at = name.startsWith("mcp__") ? name.indexOf("__", "mcp__?".length) : -1;
  return at === -1 ? 0 : at + "__".length;
}
