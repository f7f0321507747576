import { digestOf } from "../base/digest.ts";
import { isRecord } from "../base/json.ts";
import { messageOf } from "../base/text.ts";
import type { Refusal } from "../contract/codes.ts";
import type { AcceptedSpelling, CheckedIntent, IdentifiedIntent, ToolIntent } from "../contract/intent.ts";
import type { PreconditionView } from "../contract/ports.ts";
import type { SchemaIssue, Tool, VisibilityContext } from "../contract/tool.ts";
import type { DroppedTool } from "./assemble.ts";
import { isLoaded } from "./deferral.ts";
import { notVisible, type Registry, visibilityOf } from "./registry.ts";

type Checkable<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };
export type Identified = Checkable<IdentifiedIntent>;
export type Checked = Checkable<CheckedIntent>;

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
      message: `The schema of ${tool.name} is not loaded.`,
      recovery: `Call tool_search with the query "select:${tool.name}", then call it.`,
    });
  }

  const normalized = normalizeInput(intent.input, tool.inputAliases);
  const parsed = await parseInput(tool, normalized.input);
  if (!parsed.ok) return parsed;
  const aliasUsed = found.alias === undefined ? [] : [{ written: found.alias, canonical: tool.name }];
  return { ok: true, value: { intent, tool, ...parsed.value, spellings: [...aliasUsed, ...normalized.spellings] } };
}

/** A tool from outside may throw; that fails this call only. */
async function parseInput(
  tool: Tool,
  written: unknown,
): Promise<Checkable<Pick<IdentifiedIntent, "input" | "digest">>> {
  try {
    if (tool.prepare !== undefined) await tool.prepare();
    const validation = tool.input["~standard"].validate(written);
    const parsed = validation instanceof Promise ? await validation : validation;
    if (parsed.issues !== undefined) return { ok: false, refusal: invalidInput(tool, parsed.issues) };
    const { name, version, definitionHash } = tool;
    const definition = definitionHash === undefined ? [] : [definitionHash];
    const digest = digestOf([name, version, ...definition, parsed.value]);
    return { ok: true, value: { input: parsed.value, digest } };
  } catch (error) {
    const message = `${tool.name} failed while reading its input: ${messageOf(error)}`;
    return { ok: false, refusal: { phase: "validate", code: "tool_failed", message, happened: "nothing" } };
  }
}

function refuse(refusal: Refusal): Identified {
  return { ok: false, refusal };
}

const withoutDropped: Readonly<Record<Exclude<DroppedTool["stage"], "duplicate">, string>> = {
  deny: "Continue without it. A user must remove the rule from permissions.deny in the settings, or from --deny.",
  feature: "Continue without it. A user must enable it under features in the settings.",
  ambiguous: "Continue without it. Its server must give each tool a unique name.",
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
  const others = seen.length === 0 ? "No tool is available." : `Choose one of: ${seen.join(", ")}.`;
  return {
    phase: "lookup",
    code: "unknown_tool",
    message: `There is no tool named ${JSON.stringify(name.slice(0, 100))}.${hint}`,
    recovery: near.length > 0 ? `Call ${near[0]} instead, or another available tool.` : others,
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

/** Runs after all earlier calls have ended, so it sees their changes, and before permission is asked. */
export async function checkIntent(
  identified: IdentifiedIntent,
  visibility: VisibilityContext,
  view: PreconditionView,
): Promise<Checked> {
  const { tool } = identified;
  const shown = visibilityOf(tool, visibility);
  if (!shown.visible) return { ok: false, refusal: notVisible(tool, shown) };
  const failure = await tool.preconditions?.(identified.input as never, view);
  if (failure !== undefined) return { ok: false, refusal: { ...failure, phase: "validate" } };
  return { ok: true, value: identified as CheckedIntent };
}

export interface NormalizedInput {
  readonly input: unknown;
  readonly spellings: readonly AcceptedSpelling[];
}

function normalizeInput(input: unknown, aliases: Readonly<Record<string, string>>): NormalizedInput {
  const spellings: AcceptedSpelling[] = [];
  return { input: rename(input, new Map(Object.entries(aliases)), spellings, true), spellings };
}

function rename(
  value: unknown,
  aliases: ReadonlyMap<string, string>,
  spellings: AcceptedSpelling[],
  descend: boolean,
): unknown {
  if (!isRecord(value)) return value;
  let changed = false;
  const taken = new Set<string>();
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const canonical = aliases.get(key);
    const accepted = canonical !== undefined && !Object.hasOwn(value, canonical) && !taken.has(canonical);
    if (accepted) taken.add(canonical);
    if (accepted) spellings.push({ written: key, canonical });
    const renamed =
      descend && Array.isArray(inner) ? inner.map((item) => rename(item, aliases, spellings, false)) : inner;
    changed ||= accepted || renamed !== inner;
    return [accepted ? canonical : key, renamed];
  });
  return changed ? Object.fromEntries(entries) : value;
}
