import { firstOf } from "../base/async.ts";
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

export interface ToolAssembly {
  readonly tools: readonly Tool[];
  readonly dropped: readonly DroppedTool[];
}

/** Feature gates, deny rules, ambiguous names, duplicates, then a deterministic order. */
export function assembleTools({ base, merged, features, denied }: AssemblySources): ToolAssembly {
  const dropped: DroppedTool[] = [];
  const without = (
    tools: readonly Tool[],
    stage: DroppedTool["stage"],
    whyNot: (tool: Tool) => string | undefined,
  ): readonly Tool[] =>
    tools.filter((tool) => {
      const why = whyNot(tool);
      if (why !== undefined) dropped.push({ name: tool.name, aliases: tool.aliases, stage, why });
      return why === undefined;
    });
  const permitted = (tools: readonly Tool[]) => {
    const enabled = without(tools, "feature", ({ feature }) =>
      feature === undefined || features[feature] === true ? undefined : `feature ${feature} is off`,
    );
    return without(enabled, "deny", (tool) => {
      const rule = firstOf(namesOf(tool), denied);
      return rule === undefined ? undefined : `removed by the rule ${rule}`;
    });
  };
  const all = [...permitted(base), ...permitted(merged)];
  // A server chooses the names and the order of its tools, so of several with one name none is offered.
  const byServer = Map.groupBy(
    all.filter(({ source }) => source === "mcp"),
    ({ name }) => name,
  );
  const unique = without(all, "ambiguous", ({ name, source }) =>
    source === "mcp" && byServer.get(name)?.length !== 1 ? "several tools of its server have this name" : undefined,
  );
  const taken = new Set<string>();
  const tools = without(unique, "duplicate", (tool) => {
    const clash = namesOf(tool).find((name) => taken.has(name));
    if (clash !== undefined) return `${clash} is the name of an earlier tool`;
    for (const name of namesOf(tool)) taken.add(name);
    return undefined;
  });
  return { tools: tools.toSorted((one, other) => (one.name < other.name ? -1 : 1)), dropped };
}

function namesOf({ name, aliases }: Tool): readonly string[] {
  return [name, ...aliases];
}
