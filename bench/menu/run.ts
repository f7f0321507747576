import { createHash } from "node:crypto";
import type { VisibilityContext } from "../../src/contract/tool.ts";
import type { MenuEntry } from "../../src/contract/tool-facts.ts";
import { assembleTools } from "../../src/registry/assemble.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { defaultSettings } from "../../src/settings/fold-layers.ts";
import { builtinTools } from "../../src/tools/index.ts";
import { rankTools } from "../../src/tools/session/rank-tools.ts";
import { writeSection } from "../section.ts";
import { catalogue, questions } from "./catalogue.ts";

/** `npm run bench:menu`: what a menu of 5 servers and 300 tools costs a model, and whether a search finds the one that is meant. */

const tools = [...builtinTools(defaultSettings.limits), ...catalogue()];
const registry = createRegistry(assembleTools({ base: tools, merged: [], features: {}, denied: () => undefined }));
const plain: VisibilityContext = {
  mode: "default",
  hasWorkspace: true,
  sandbox: { backend: "bubblewrap", enforces: true, detail: "", limits: [] },
};
const deferral = { loaded: [], contextTokens: 200_000, above: 60, share: 0.1 };
const deferred: VisibilityContext = { ...plain, deferral, deferring: registry.isDeferring(deferral) };

const bytesOf = (entries: readonly MenuEntry[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);
const offered = (context: VisibilityContext) => registry.menu(context).filter(({ visible }) => visible);
const all = offered(plain);
const core = offered(deferred).filter(({ loaded }) => loaded);
const names = offered(deferred).filter(({ deferrable }) => deferrable);
const namesBytes = names.reduce((sum, { name }) => sum + name.replace(/^mcp__.+?__/, "").length + 2, 0);
const after = bytesOf(core) + namesBytes;

const ranks = questions.map(([question, meant]) => {
  const place = rankTools(question, names).findIndex(({ name }) => name === meant);
  return { question, meant, place: place === -1 ? Number.POSITIVE_INFINITY : place + 1 };
});
const within = (most: number) => ranks.filter(({ place }) => place <= most).length / ranks.length;
const reciprocal = ranks.reduce((sum, { place }) => sum + 1 / place, 0) / ranks.length;

const text = (context: VisibilityContext) => JSON.stringify(offered(context));
const again = createRegistry(
  assembleTools({ base: [...tools].reverse(), merged: [], features: {}, denied: () => undefined }),
);
const stable = text(deferred) === JSON.stringify(again.menu(deferred).filter(({ visible }) => visible));

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
const rows: readonly (readonly [string, string, string, boolean])[] = [
  [
    "menu in every request : all schemas",
    `${(after / bytesOf(all)).toFixed(2)}×`,
    "≤ 0.25×",
    after <= 0.25 * bytesOf(all),
  ],
  ["the tool that is meant is among the five that come", percent(within(5)), "≥ 95 %", within(5) >= 0.95],
  ["it is the first", percent(within(1)), "≥ 70 %", within(1) >= 0.7],
  ["bytes are the same whatever the order of registration", stable ? "yes" : "no", "yes", stable],
];
writeSection("menu", [
  "## Many tools",
  "",
  `Written by \`npm run bench:menu\`: 5 servers with ${names.length} tools beside ours. All schemas are ${bytesOf(all)} bytes; with deferral every request has ${bytesOf(core)} bytes of schemas and ${namesBytes} of names. ${questions.length} questions; mean reciprocal rank ${reciprocal.toFixed(2)}.`,
  "",
  "| figure | measured | goal | |",
  "|---|---:|---:|---|",
  ...rows.map(
    ([figure, measured, goal, met]) => `| ${figure} | ${measured} | ${goal} | ${met ? "met" : "**missed**"} |`,
  ),
]);
for (const { question, meant, place } of ranks.filter(({ place }) => place > 5)) {
  console.log(`not among five: ${question} → ${meant} (${place})`);
}
console.log(`menu ${createHash("sha256").update(text(deferred)).digest("hex").slice(0, 12)}`);

process.exitCode = rows.every(([, , , met]) => met) ? 0 : 1;
