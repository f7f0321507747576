import type { Tool } from "../contract/tool.ts";

export interface AssemblySources {
  readonly base: readonly Tool[];
  /** Tools from elsewhere, for example MCP servers. A name or alias of the base is never shadowed. */
  readonly merged: readonly Tool[];
  readonly features: Readonly<Record<string, boolean>>;
  readonly denied: (name: string) => string | undefined;
}

export interface DroppedTool {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly stage: "feature" | "deny" | "ambiguous" | "duplicate";
  readonly why: string;
}

export interface Assembly {
  readonly tools: readonly Tool[];
  readonly dropped: readonly DroppedTool[];
}

export function assembleTools(sources: AssemblySources): Assembly {
  const dropped: DroppedTool[] = [];
  const enabled = (tools: readonly Tool[]) => filterFeatures(tools, sources.features, dropped);
  const permitted = (tools: readonly Tool[]) => filterDenied(tools, sources.denied, dropped);
  const merged = [...permitted(enabled(sources.base)), ...permitted(enabled(sources.merged))];
  const tools = withoutDuplicates(withoutAmbiguous(merged, dropped), dropped);
  return { tools: byName(tools), dropped };
}

function byName(tools: readonly Tool[]): readonly Tool[] {
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  return [...named.keys()].sort().flatMap((name) => named.get(name) ?? []);
}

function filterFeatures(
  tools: readonly Tool[],
  features: Readonly<Record<string, boolean>>,
  dropped: DroppedTool[],
): readonly Tool[] {
  return tools.filter((tool) => {
    if (tool.feature === undefined || features[tool.feature] === true) return true;
    dropped.push({ ...namesOf(tool), stage: "feature", why: `feature ${tool.feature} is off` });
    return false;
  });
}

function filterDenied(
  tools: readonly Tool[],
  denied: AssemblySources["denied"],
  dropped: DroppedTool[],
): readonly Tool[] {
  return tools.filter((tool) => {
    const rule = [tool.name, ...tool.aliases].map(denied).find((found) => found !== undefined);
    if (rule === undefined) return true;
    dropped.push({ ...namesOf(tool), stage: "deny", why: `removed by the rule ${rule}` });
    return false;
  });
}

function withoutAmbiguous(tools: readonly Tool[], dropped: DroppedTool[]): readonly Tool[] {
  const counts = new Map<string, number>();
  for (const { name, source } of tools) if (source === "mcp") counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.filter((tool) => {
    if (tool.source !== "mcp" || counts.get(tool.name) === 1) return true;
    dropped.push({ ...namesOf(tool), stage: "ambiguous", why: "several tools of its server would have this name" });
    return false;
  });
}

function withoutDuplicates(tools: readonly Tool[], dropped: DroppedTool[]): readonly Tool[] {
  const taken = new Set<string>();
  return tools.filter((tool) => {
    const names = [tool.name, ...tool.aliases];
    const clash = names.find((name) => taken.has(name));
    if (clash !== undefined) {
      dropped.push({ ...namesOf(tool), stage: "duplicate", why: `${clash} is the name of an earlier tool` });
      return false;
    }
    for (const name of names) taken.add(name);
    return true;
  });
}

function namesOf({ name, aliases }: Tool): Pick<DroppedTool, "name" | "aliases"> {
  return { name, aliases };
}
