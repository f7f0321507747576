import { digestOf } from "../base/digest.ts";
import type { Refusal } from "../contract/codes.ts";
import type { IdentifiedIntent, ToolIntent } from "../contract/intent.ts";
import type { SchemaIssue, Tool, VisibilityContext } from "../contract/tool.ts";
import type { DroppedTool } from "./assemble.ts";
import { isLoaded } from "./defer.ts";
import { normalizeInput } from "./normalize-input.ts";
import { notVisible, type Registry, visibilityOf } from "./registry.ts";

export type Identified =
  | { readonly ok: true; readonly value: IdentifiedIntent }
  | { readonly ok: false; readonly refusal: Refusal };

export type KnownTools = Pick<Registry, "tools" | "dropped" | "find" | "suggest">;

export async function identifyIntent(
  intent: ToolIntent,
  registry: KnownTools,
  visibility: VisibilityContext,
): Promise<Identified> {
  const found = registry.find(intent.tool);
  if (found === undefined) return refuse(unknownTool(intent.tool, registry, visibility));
  const { tool } = found;

  const shown = visibilityOf(tool, visibility);
  if (!shown.visible) return refuse(notVisible(tool, shown));

  if (!isLoaded(tool, visibility)) {
    return refuse({
      phase: "lookup",
      code: "tool_not_loaded",
      message: `Tool ${tool.name} is known by name only; its schema was not loaded.`,
      recovery: `Call tool_search with the query "select:${tool.name}", then call it.`,
    });
  }

  const normalized = normalizeInput(intent.input, tool.inputAliases);
  const parsed = await parseInput(tool, normalized.input);
  if (!parsed.ok) return refuse(parsed.refusal);

  const { input, digest } = parsed;
  const aliasUsed = found.alias === undefined ? [] : [{ written: found.alias, canonical: tool.name }];
  return {
    ok: true,
    value: {
      intent,
      tool,
      input,
      digest,
      spellings: [...aliasUsed, ...normalized.spellings],
    },
  };
}

type Parsed =
  | { readonly ok: true; readonly input: unknown; readonly digest: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** A tool from outside may throw; that is its failure and nobody else's. */
async function parseInput(tool: Tool, written: unknown): Promise<Parsed> {
  try {
    if (tool.prepare !== undefined) await tool.prepare();
    const validation = tool.input["~standard"].validate(written);
    const parsed = validation instanceof Promise ? await validation : validation;
    if (parsed.issues !== undefined) return { ok: false, refusal: invalidInput(tool, parsed.issues) };
    const { name, version, definitionHash } = tool;
    const definition = definitionHash === undefined ? [] : [definitionHash];
    return { ok: true, input: parsed.value, digest: digestOf([name, version, ...definition, parsed.value]) };
  } catch (error) {
    const message = `${tool.name} failed while reading its input: ${error instanceof Error ? error.message : error}`;
    return { ok: false, refusal: { phase: "validate", code: "tool_failed", message, happened: "nothing" } };
  }
}

function refuse(refusal: Refusal): Identified {
  return { ok: false, refusal };
}

const withoutDropped: Readonly<Record<Exclude<DroppedTool["stage"], "duplicate">, string>> = {
  deny: "Go on without it. Only a person can take that rule back: it stands in permissions.deny of the settings or after --deny.",
  feature: "Go on without it. Only a person can switch it on, under features in the settings.",
  ambiguous: "Go on without it. Its server has to give each of its tools a name of its own.",
};

function unknownTool(name: string, registry: KnownTools, visibility: VisibilityContext): Refusal {
  const removed = registry.dropped.find((dropped) => dropped.name === name || dropped.aliases.includes(name));
  if (removed !== undefined && removed.stage !== "duplicate") {
    return {
      phase: "lookup",
      code: "tool_not_visible",
      message: `Tool ${removed.name} is not available: ${removed.why}.`,
      recovery: withoutDropped[removed.stage],
    };
  }
  const seen = registry.tools.filter((tool) => visibilityOf(tool, visibility).visible).map((tool) => tool.name);
  const near = registry.suggest(name).filter((known) => seen.includes(known));
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  const others = seen.length === 0 ? "No tool is offered as things are." : `Choose one of: ${seen.join(", ")}.`;
  return {
    phase: "lookup",
    code: "unknown_tool",
    message: `There is no tool named ${JSON.stringify(name.slice(0, 100))}.${hint}`,
    recovery: near.length > 0 ? `Propose ${near[0]} instead, or another tool of the menu.` : others,
  };
}

function invalidInput(tool: Tool, issues: readonly SchemaIssue[]): Refusal {
  const described = issues.map((issue) => ({ field: fieldPath(issue), message: issue.message.replace(/\.$/, "") }));
  const first = described[0] ?? { field: "input", message: "does not match the schema" };
  return {
    phase: "validate",
    code: "schema_invalid",
    field: first.field,
    message: described.map((issue) => `${issue.field}: ${issue.message}`).join("; "),
    recovery: `Fields of ${tool.name}: ${fieldNames(tool)}.`,
  };
}

function fieldPath(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment));
  return path.reduce<string>(
    (text, segment) => (typeof segment === "number" ? `${text}[${segment}]` : `${text}.${String(segment)}`),
    "input",
  );
}

function fieldNames(tool: Tool): string {
  const properties = tool.inputJsonSchema.properties;
  const required = tool.inputJsonSchema.required;
  if (typeof properties !== "object" || properties === null) return "see the tool's schema";
  const mandatory = Array.isArray(required) ? required : [];
  return Object.keys(properties)
    .map((name) => (mandatory.includes(name) ? name : `${name}?`))
    .join(", ");
}
