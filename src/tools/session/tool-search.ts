import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { defineTool, toolSearchName } from "../../contract/tool.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { summarizer } from "../summary.ts";
import { rankTools } from "./rank-tools.ts";

const input = lazy(() =>
  z.strictObject({
    query: z.string().min(1).max(500).describe('Words that say what you need, or "select:name,name" for exact names'),
    limit: z.exactOptional(z.int().min(1).max(20)).describe("5 if absent"),
  }),
);
type ToolSearchInput = z.infer<ReturnType<typeof input>>;

interface FoundTools {
  readonly loaded: readonly MenuEntry[];
  readonly unknown: readonly string[];
  /** Ambiguous names, one sentence each. */
  readonly unclear: readonly string[];
  readonly outOf: number;
  /** Servers that have not listed their tools yet. */
  readonly awaited: readonly string[];
}

const select = /^select:\s*/i;

/** Loads the full schemas of tools that a model knows by name only. They can be called from the next turn on. */
export const toolSearch = defineTool<ToolSearchInput, FoundTools>({
  name: toolSearchName,
  version: "1",
  description: "Loads tools that are listed here by name only. Search, then call what it loads.",
  family: "session",
  risks: ["read"],
  searchHint: "load find tools schema",
  aliases: ["ToolSearch"],
  input,
  alwaysLoad: true,
  requiresWorkspace: false,
  readOnly: () => true,
  concurrency: () => "safe",
  maxResultChars: 60_000,
  visible({ deferring, deferral }) {
    if (deferring === true) return { visible: true };
    // Without a model nothing is deferred.
    const isForModel = deferral !== undefined;
    const reason = isForModel ? "every tool is already loaded" : "without a model every tool can be called directly";
    return { visible: false, reason };
  },
  effects: () => ({ effects: [{ op: "session", what: sessionEffects.loadTools }] }),
  describeCall: ({ query }) => `Searches tools: ${query}`,

  async run({ query, limit = 5 }, { menu }) {
    const isExact = select.test(query);
    const find = () => {
      const entries = menu.deferred();
      const found = isExact
        ? selected(query, entries)
        : { loaded: rankTools(query, entries).slice(0, limit), unknown: [], unclear: [] };
      return { ...found, outOf: entries.length };
    };
    // Exact names that exist do not wait for servers.
    const awaited = isExact && find().unknown.length === 0 ? [] : await menu.arriving();
    const found = find();
    if (found.loaded.length > 0) menu.load(found.loaded.map(({ name }) => name));
    return { ok: true, data: { ...found, awaited } };
  },

  summarize: summarizer(
    ({ query }) => `Tools for ${query}`,
    ({ loaded, unknown, unclear, outOf, awaited }) => {
      const names = loaded.map(({ name }) => name);
      const sentences = [
        names.length === 0
          ? `No tool of ${outOf} matches.`
          : `Loaded ${names.length} of ${outOf} tools; they can be called from now on.`,
        ...(unknown.length === 0 ? [] : [`There is no ${unknown.join(", ")}.`]),
        ...unclear.map((sentence) => `${sentence}: select by the whole name.`),
        ...(awaited.length === 0 ? [] : [`Search again later for tools of ${awaited.join(", ")}, still starting.`]),
      ];
      const schemas = loaded.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      return {
        summary: sentences.join(" "),
        model: names.length === 0 ? [] : [{ format: "json", text: JSON.stringify(schemas, null, 1) }],
        user: names.join("\n"),
        data: { loaded: names },
      };
    },
  ),
});

function selected(query: string, entries: readonly MenuEntry[]): Pick<FoundTools, "loaded" | "unknown" | "unclear"> {
  const names = query
    .replace(select, "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const loaded = new Set<MenuEntry>();
  const unknown = new Set<string>();
  const unclear: string[] = [];
  for (const name of new Set(names)) {
    const exact = byName.get(name);
    // The menu lists a server once and its tools without the prefix, and models do the same.
    const meant = exact === undefined ? entries.filter((entry) => entry.name.endsWith(`__${name}`)) : [exact];
    const [only, ...others] = meant;
    if (only === undefined) unknown.add(name);
    else if (others.length === 0) loaded.add(only);
    else unclear.push(`${name} could be ${meant.map((entry) => entry.name).join(" or ")}`);
  }
  return { loaded: [...loaded], unknown: [...unknown], unclear };
}
