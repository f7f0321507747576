import { digestOf } from "../base/digest.ts";
import { nearestTools } from "../base/nearest.ts";
import { messageOf } from "../base/text.ts";
import type { Refusal } from "../contract/codes.ts";
import type { ToolOffers } from "../contract/server/admin.ts";
import {
  type Deferral,
  type SkillLimit,
  type Tool,
  toolSearchName,
  type Visibility,
  type VisibilityContext,
} from "../contract/tool.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import type { Assembly } from "./assemble.ts";
import { inOrder, isDeferrable, isLoaded, measureMenu } from "./defer.ts";
import { modelSchema } from "./model-schema.ts";
import { searchableNames, withNames } from "./searchable-names.ts";

export interface Found {
  readonly tool: Tool;
  readonly alias?: string;
}

export interface ShownTool {
  readonly tool: Tool;
  readonly loaded: boolean;
}

export interface Registry {
  readonly tools: readonly Tool[];
  readonly dropped: Assembly["dropped"];
  find(name: string): Found | undefined;
  suggest(name: string): readonly string[];
  menu(context: VisibilityContext): readonly MenuEntry[];
  shown(context: VisibilityContext): readonly ShownTool[];
  menuHash(context: VisibilityContext): string;
  isDeferring(deferral: Deferral): boolean;
  refresh(): boolean;
}

export function createLiveRegistry(
  offers: ToolOffers,
  { assemble, changed }: { assemble(offered: readonly Tool[]): Assembly; changed(): void },
): Registry {
  let version = offers.version;
  let current = createRegistry(assemble(offers.tools()));
  return {
    get tools() {
      return current.tools;
    },
    get dropped() {
      return current.dropped;
    },
    find: (name) => current.find(name),
    suggest: (name) => current.suggest(name),
    menu: (context) => current.menu(context),
    shown: (context) => current.shown(context),
    menuHash: (context) => current.menuHash(context),
    isDeferring: (deferral) => current.isDeferring(deferral),
    refresh() {
      if (offers.version === version) return false;
      version = offers.version;
      current = createRegistry(assemble(offers.tools()));
      changed();
      return true;
    },
  };
}

export function createRegistry(assembly: Assembly): Registry {
  const byName = new Map<string, Found>();
  for (const tool of assembly.tools) {
    for (const alias of tool.aliases) byName.set(alias, { tool, alias });
  }
  for (const tool of assembly.tools) byName.set(tool.name, { tool });

  const measure = measureMenu(assembly.tools);
  let last: Look | undefined;
  /** Asked for several times in every turn, and what is visible depends on nothing but the context. */
  function look(context: VisibilityContext): Look {
    if (last !== undefined && isSame(last.context, context)) return last;
    const visible = inOrder(assembly.tools, context).filter((tool) => visibilityOf(tool, context).visible);
    const shown = visible.map((tool) => ({ tool, loaded: isLoaded(tool, context) }));
    last = { context: { ...context }, shown };
    return last;
  }
  return {
    tools: assembly.tools,
    dropped: assembly.dropped,
    find: (name) => byName.get(name),
    suggest(name) {
      const near = nearestTools(name, [...byName.keys()]).map((known) => byName.get(known)?.tool.name ?? known);
      return near.length > 0 ? [...new Set(near)] : byHint(name, assembly.tools);
    },
    menu(context) {
      const names = context.deferring === true ? searchableNames(look(context).shown) : undefined;
      return inOrder(assembly.tools, context).map((tool) => menuEntry(tool, context, names));
    },
    shown: (context) => look(context).shown,
    menuHash(context) {
      const looked = look(context);
      looked.hash ??= digestOf(looked.shown.map(hashed));
      return looked.hash;
    },
    isDeferring: (deferral) => measure(deferral),
    refresh: () => false,
  };
}

interface Look {
  readonly context: VisibilityContext;
  readonly shown: readonly ShownTool[];
  hash?: string;
}

function hashed({ tool, loaded }: ShownTool): string {
  return loaded ? tool.schemaHash : `${tool.name}?`;
}

function isSame(a: VisibilityContext, b: VisibilityContext): boolean {
  return (
    a.mode === b.mode &&
    a.phase === b.phase &&
    a.sandbox === b.sandbox &&
    a.hasWorkspace === b.hasWorkspace &&
    a.deferring === b.deferring &&
    a.deferral?.loaded === b.deferral?.loaded &&
    a.skill === b.skill &&
    a.hasSkills === b.hasSkills
  );
}

function byHint(name: string, tools: readonly Tool[]): readonly string[] {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2);
  return tools
    .map((tool) => ({ tool, hits: words.filter((word) => hintWords(tool).has(word)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, 3)
    .map(({ tool }) => tool.name);
}

function hintWords({ searchHint = "" }: Tool): ReadonlySet<string> {
  return new Set(searchHint.toLowerCase().split(/[^a-z0-9]+/));
}

function names({ name, aliases }: Tool): readonly string[] {
  return [name, ...aliases];
}

export function notVisible(tool: Tool, { reason, recovery }: Extract<Visibility, { visible: false }>): Refusal {
  const message = `Tool ${tool.name} is not available: ${reason}.`;
  const refusal = { phase: "lookup", code: "tool_not_visible", message } as const;
  return recovery === undefined ? refusal : { ...refusal, recovery };
}

export function visibilityOf(tool: Tool, context: VisibilityContext): Visibility {
  const limit = limitsOf(context.skill).find((skill) => !leaves(skill, tool));
  if (limit !== undefined) return leftOutBy(limit);
  if (tool.requiresWorkspace && !context.hasWorkspace) {
    return { visible: false, reason: `${tool.name} needs a workspace and this session has none` };
  }
  try {
    return tool.visible(context);
  } catch (error) {
    return { visible: false, reason: `whether to offer it could not be determined: ${messageOf(error)}` };
  }
}

function limitsOf(skill: SkillLimit | undefined): readonly SkillLimit[] {
  return skill === undefined ? [] : [skill, ...(skill.within ?? [])];
}

function leaves({ allowedTools }: SkillLimit, tool: Tool): boolean {
  return (
    allowedTools === undefined || tool.family === "session" || names(tool).some((name) => allowedTools.includes(name))
  );
}

function leftOutBy({ name, allowedTools = [] }: SkillLimit): Visibility {
  return {
    visible: false,
    reason: `the skill ${name}, which is being followed, narrows the tools to ${allowedTools.join(", ") || "none"}`,
    recovery: `Go on with what it leaves, or stop and tell the person what is missing: their next message ends the skill ${name}.`,
  };
}

function descriptionOf(tool: Tool, context: VisibilityContext): string {
  try {
    return tool.describe(context);
  } catch {
    return tool.description;
  }
}

export function describedTool(
  tool: Tool,
  context: VisibilityContext,
): Pick<MenuEntry, "name" | "description" | "inputSchema"> {
  const description = descriptionOf(tool, context);
  return { name: tool.name, description, inputSchema: modelSchema(tool.inputJsonSchema) };
}

export function menuEntry(tool: Tool, context: VisibilityContext, names?: string): MenuEntry {
  const visibility = visibilityOf(tool, context);
  const described = describedTool(tool, context);
  const { name, description, inputSchema } =
    names === undefined || tool.name !== toolSearchName ? described : withNames(described, names);
  return {
    name,
    version: tool.version,
    description,
    family: tool.family,
    risks: tool.risks,
    source: tool.source,
    ownership: tool.ownership,
    aliases: tool.aliases,
    schemaHash: tool.schemaHash,
    inputSchema,
    ...(tool.searchHint === undefined ? {} : { searchHint: tool.searchHint }),
    bytes: Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema })),
    visible: visibility.visible,
    deferrable: isDeferrable(tool),
    loaded: isLoaded(tool, context),
    ...(visibility.visible ? {} : { hiddenBecause: visibility.reason }),
  };
}
