import { digestOf } from "../base/digest.ts";
import { isRecord } from "../base/json.ts";
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
import type { JsonSchema, MenuEntry } from "../contract/tool-facts.ts";
import type { ToolAssembly } from "./assemble.ts";
import { inOrder, isDeferrable, isLoaded, measureMenu, searchableNames, withNames } from "./deferral.ts";

export interface FoundTool {
  readonly tool: Tool;
  readonly alias?: string;
}

export interface ShownTool {
  readonly tool: Tool;
  readonly loaded: boolean;
}

export interface Registry {
  readonly tools: readonly Tool[];
  readonly dropped: ToolAssembly["dropped"];
  find(name: string): FoundTool | undefined;
  suggest(name: string): readonly string[];
  menu(context: VisibilityContext): readonly MenuEntry[];
  shown(context: VisibilityContext): readonly ShownTool[];
  menuHash(context: VisibilityContext): string;
  isDeferring(deferral: Deferral): boolean;
  refresh(): boolean;
}

/** Tools from `offers` may change, but only with `refresh`. */
export function createLiveRegistry(
  offers: ToolOffers,
  { assemble, changed }: { assemble(offered: readonly Tool[]): ToolAssembly; changed(): void },
): Registry {
  let version = offers.version;
  const next = () => {
    if (offers.version === version) return undefined;
    version = offers.version;
    return assemble(offers.tools());
  };
  return createRegistry(assemble(offers.tools()), { next, changed });
}

export function createRegistry(
  first: ToolAssembly,
  live?: { next(): ToolAssembly | undefined; changed(): void },
): Registry {
  let { tools, dropped } = first;
  let byName = indexed(tools);
  let measure = measureMenu(tools);
  let last: ShownCache | undefined;
  /** Read several times in every turn. */
  function look(context: VisibilityContext): ShownCache {
    if (last !== undefined && isSame(last.context, context)) return last;
    const visible = inOrder(tools, context).filter((tool) => visibilityOf(tool, context).visible);
    const shown = visible.map((tool) => ({ tool, loaded: isLoaded(tool, context) }));
    last = { context: { ...context }, shown };
    return last;
  }
  return {
    get tools() {
      return tools;
    },
    get dropped() {
      return dropped;
    },
    find: (name) => byName.get(name),
    suggest(name) {
      const near = nearestTools(name, [...byName.keys()]).map((known) => byName.get(known)?.tool.name ?? known);
      return near.length > 0 ? [...new Set(near)] : byHint(name, tools);
    },
    menu(context) {
      const names = context.deferring === true ? searchableNames(look(context).shown) : undefined;
      return inOrder(tools, context).map((tool) => menuEntry(tool, context, names));
    },
    shown: (context) => look(context).shown,
    menuHash(context) {
      const looked = look(context);
      looked.hash ??= digestOf(looked.shown.map(({ tool, loaded }) => (loaded ? tool.schemaHash : `${tool.name}?`)));
      return looked.hash;
    },
    isDeferring: (deferral) => measure(deferral),
    refresh() {
      const assembly = live?.next();
      if (assembly === undefined) return false;
      ({ tools, dropped } = assembly);
      byName = indexed(tools);
      measure = measureMenu(tools);
      last = undefined;
      live?.changed();
      return true;
    },
  };
}

function indexed(tools: readonly Tool[]): ReadonlyMap<string, FoundTool> {
  const aliases = tools.flatMap((tool) => tool.aliases.map((alias) => [alias, { tool, alias }] as const));
  return new Map<string, FoundTool>([...aliases, ...tools.map((tool) => [tool.name, { tool }] as const)]);
}

interface ShownCache {
  readonly context: VisibilityContext;
  readonly shown: readonly ShownTool[];
  hash?: string;
}

const contextFields = ["mode", "phase", "sandbox", "hasWorkspace", "deferring", "skill", "hasSkills"] as const;

function isSame(a: VisibilityContext, b: VisibilityContext): boolean {
  return a.deferral?.loaded === b.deferral?.loaded && contextFields.every((field) => a[field] === b[field]);
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

export function notVisible(tool: Tool, { reason, recovery }: Extract<Visibility, { visible: false }>): Refusal {
  return {
    phase: "lookup",
    code: "tool_not_visible",
    message: `Tool ${tool.name} is not available: ${reason}.`,
    recovery,
  };
}

export function visibilityOf(tool: Tool, context: VisibilityContext): Visibility {
  const { skill } = context;
  const limit = skill && [skill, ...(skill.within ?? [])].find((one) => !leaves(one, tool));
  if (limit !== undefined) return leftOutBy(limit);
  if (tool.requiresWorkspace && !context.hasWorkspace) {
    return { visible: false, reason: `${tool.name} needs a workspace and this session has none` };
  }
  try {
    return tool.visible(context);
  } catch (error) {
    return { visible: false, reason: `its availability check failed: ${messageOf(error)}` };
  }
}

function leaves({ allowedTools }: SkillLimit, { aliases, family, name }: Tool): boolean {
  return family === "session" || (allowedTools?.some((one) => one === name || aliases.includes(one)) ?? true);
}

function leftOutBy({ name, allowedTools = [] }: SkillLimit): Visibility {
  return {
    visible: false,
    reason: `the active skill ${name} allows only these tools: ${allowedTools.join(", ") || "none"}`,
    recovery: `Continue with these tools, or stop and tell the user what is missing: their next message ends the skill ${name}.`,
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
  const { version, family, risks, source, ownership, aliases, schemaHash, searchHint } = tool;
  return {
    ...{ name, version, description, family, risks, source, ownership, aliases, schemaHash, inputSchema, searchHint },
    bytes: Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema })),
    visible: visibility.visible,
    deferrable: isDeferrable(tool),
    loaded: isLoaded(tool, context),
    hiddenBecause: visibility.visible ? undefined : visibility.reason,
  };
}

const bounds = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);

export function modelSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => kept(key, value)));
}

function kept(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (bounds.has(key) || (key === "additionalProperties" && value === false)) return [];
  if (schemaMaps.has(key) && isRecord(value)) {
    return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reduced(inner)]))]];
  }
  if (Array.isArray(value)) return [[key, schemaLists.has(key) ? value.map(reduced) : value]];
  return [[key, innerSchemas.has(key) ? reduced(value) : value]];
}

const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const schemaLists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const innerSchemas = new Set(["items", "additionalProperties", "not"]);

function reduced(value: unknown): unknown {
  return isRecord(value) ? modelSchema(value) : value;
}
