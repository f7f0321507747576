import { hiddenRows } from "../cli/render/inventory.ts";
import { canBeEnabled, failedWords } from "../cli/render/servers.ts";
import { say } from "../cli/render/shown.ts";
import { bytesText, type Column, counted, oneLine, renderTable } from "../cli/render/table.ts";
import { besideMargin } from "../cli/render/wrap.ts";
import type { Agent, ContextUse } from "../contract/app/agent.ts";
import type { App, DoctorCheck } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import type { UndoOptions, UndoReport } from "../contract/app/undo.ts";
import { modelName } from "../contract/model.ts";
import type { ListedServer } from "../contract/server/admin.ts";
import type { ServerStatus } from "../contract/server/server.ts";
import type { RuleText } from "../contract/settings.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import type { NoteTone } from "./screen.ts";

const modeWords: Readonly<Record<Mode, string>> = {
  default: "allows reads; asks before edits, commands with effects and network access",
  acceptEdits: "also allows edits in the workspace",
  plan: "allows reads and searches; denies everything else",
  dontAsk: "denies everything that would ask",
  bypass: "allows everything, except where a rule, a hook or a protected path asks",
  auto: "allows edits and project code in the sandbox; asks before deletes, installs and network access",
};

export function modesText(now: Mode): string {
  return marked(modes.map((mode) => ({ name: mode, words: modeWords[mode], isChosen: mode === now })));
}

export function modelsInSettings(app: Pick<App, "settings">, options: DoorOptions): readonly string[] {
  const settings = app.settings(options);
  if (!settings.ok) return [];
  const { model, fallback, providers } = settings.value.models;
  const described = Object.entries(providers).flatMap(([provider, { models = {} }]) =>
    Object.keys(models).map((id) => `${provider}/${id}`),
  );
  return [...new Set([...(model === undefined ? [] : [model]), ...fallback, ...described])];
}

export async function modelsText(
  app: Pick<App, "settings" | "findModels">,
  agent: Pick<Agent, "chain" | "context">,
  options: DoorOptions,
): Promise<string> {
  const [first, ...others] = agent.chain.models.map(({ ref }) => modelName(ref));
  const name = first ?? "";
  const why = agent.chain.reason.startsWith(`${name}: `)
    ? agent.chain.reason.slice(name.length + 2)
    : agent.chain.reason;
  const known = new Map([
    [name, why],
    ...others.map((other) => [other, "fallback"] as const),
    ...(await app.findModels())
      .filter((found) => found.name !== name)
      .map((found) => [found.name, found.from] as const),
    ...modelsInSettings(app, options)
      .filter((other) => other !== name && !others.includes(other))
      .map((other) => [other, "settings"] as const),
  ]);
  const rows = marked([...known].map(([one, words]) => ({ name: one, words, isChosen: one === name })));
  const hint = known.size === 1 ? "no other models found; " : `${counted(known.size, "model")}; `;
  const { assumed } = agent.context();
  const { provider, id } = agent.chain.models[0].ref;
  const setting = `\nThe context window of ${name} is unknown. To set it: providers.${provider}.models["${id}"].contextTokens in your settings.`;
  return `${rows}\n${hint}/model provider/id selects any other model${assumed ? setting : ""}`;
}

interface MarkedRow {
  readonly name: string;
  readonly words: string;
  readonly isChosen: boolean;
}

const longestName = 34;

function marked(choices: readonly MarkedRow[]): string {
  const width = Math.min(longestName, Math.max(...choices.map(({ name }) => name.length)));
  return choices
    .map(({ name, words, isChosen }) => `${isChosen ? "●" : " "} ${name.padEnd(width)}  ${words}`)
    .join("\n");
}

function contextShare({ tokens, limit }: ContextUse): string {
  return `${limit === 0 ? 0 : Math.round((tokens / limit) * 100)} %`;
}

export function contextSummary(use: ContextUse): string {
  const { limit, assumed } = use;
  return `context ${contextShare(use)}${limit === 0 ? "" : ` of ${assumed ? "~" : ""}${thousands(limit)}`}`;
}

export function contextDetail(use: ContextUse): string {
  const { tokens, limit, assumed } = use;
  const size = `${tokens.toLocaleString("en")} of ${limit.toLocaleString("en")} tokens`;
  return `context ${contextShare(use)} full: ${size}${assumed ? "; assumed, because this model is unknown" : ""}`;
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

const columns: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "MAY", spare: true, text: ({ risks }) => risks.join(", ") },
  { title: "DESCRIPTION", text: ({ description }) => firstSentence(description) },
];

function firstSentence(description: string): string {
  const words = description.replace(/^Tool of the MCP server \S+, in its words: /, "");
  return words.split(/(?<=\.)\s/)[0] ?? "";
}

const wide = 76;

export function menuText(menu: readonly MenuEntry[], width: number): string {
  const offered = menu.filter(({ visible }) => visible);
  const shown = offered.filter(({ loaded }) => loaded);
  const left = offered.filter(({ loaded }) => !loaded);
  const bytes = shown.reduce((sum, tool) => sum + tool.bytes, 0);
  const fitting = width < wide ? columns.filter(({ spare }) => spare !== true) : columns;
  const table = renderTable(shown, fitting, { colour: false, columns: width }).text.trimEnd();
  return [
    ...(shown.length === 0 ? [] : [table]),
    `${counted(shown.length, "tool")} with schemas, ${bytesText(bytes)} in every request`,
    ...(left.length === 0 ? [] : [`loaded on demand: ${namesOf(left)}`]),
    ...hiddenRows(menu, { mostNamed: menu.length }),
  ].join("\n");
}

function namesOf(tools: readonly MenuEntry[]): string {
  return tools.map(({ name }) => name).join(", ");
}

const layerWords: Readonly<Record<RuleText["layer"], string>> = {
  managed: "your company's settings",
  command_line: "the command line",
  user_project: "your settings for this project",
  project: "the project's settings",
  user: "your settings",
  session: "this session",
};

export function permissionsText(
  rules: readonly Pick<RuleText, "action" | "text" | "layer" | "origin">[],
  grants: readonly { readonly rule: string }[],
): string {
  const rows = [
    ...rules.map(({ action, text, layer }) => `${action.padEnd(6)} ${text}  (${layerWords[layer]})`),
    ...grants.map(({ rule }) => `allow  ${rule}  (${layerWords.session})`),
  ];
  if (rows.length === 0) return "No rules. The mode and the risk of a call decide.";
  const files = [...new Set(rules.filter(({ layer }) => layer !== "command_line").map(({ origin }) => origin))];
  const removing = [
    ...(files.length === 0 ? [] : [`To remove a saved rule, delete it from ${files.join(" or ")}.`]),
    ...(grants.length === 0 ? [] : ["Rules of this session end with the session (/new)."]),
  ];
  return [...new Set(rows), ...removing].join("\n");
}

interface Row {
  readonly name: string;
  readonly state: string;
  readonly transport: string;
  readonly facts: string;
}

export function serversText(
  here: readonly ServerStatus[],
  listed: readonly ListedServer[],
  { columns }: { readonly columns: number },
): string {
  const isHere = (one: ListedServer) => here.some((server) => isSame(server, one));
  const rows = [
    ...here.map((server) =>
      rowHere(
        server,
        listed.find((one) => isSame(server, one)),
      ),
    ),
    ...listed.filter((one) => !isHere(one)).map(rowElsewhere),
  ];
  const [name, state] = [rows.map((row) => row.name), rows.map((row) => row.state)].map(widest);
  return rows.flatMap((row) => rowLines(row, { columns, name: name ?? 0, state: state ?? 0 })).join("\n") || none;
}

const none = "No MCP servers configured. To add one: gauntlet mcp add --help";

function isSame(server: ServerStatus, one: ListedServer): boolean {
  return server.name === one.name && server.origin === one.origin && (one.inForce || one.broken === true);
}

function rowHere({ name, state, transport, protocol, tools, detail }: ServerStatus, listed?: ListedServer): Row {
  if (state !== "ready" && listed?.broken === true)
    return { name, state: "broken", transport, facts: listed.detail ?? "" };
  if (state === "configured" && listed?.failed !== undefined) {
    const { what, text, again } = failedWords(name, listed.failed);
    return { name, state: what, transport, facts: `${text}\nretry: ${again}` };
  }
  const facts = state === "ready" ? `${counted(tools, "tool")}, protocol ${protocol ?? "unknown"}` : (detail ?? "");
  return { name, state: state.replace("_", " "), transport, facts };
}

function rowElsewhere(listed: ListedServer): Row {
  const { name, transport = "", detail = "", inForce, broken, disabled, hash } = listed;
  if (inForce) return { name, state: "new", transport, facts: "starts with the next session (/new)" };
  if (broken === true) return { name, state: "broken", transport, facts: detail };
  if (disabled === true)
    return {
      name,
      state: "disabled",
      transport,
      facts: canBeEnabled(listed) ? `gauntlet mcp enable ${name}` : detail,
    };
  return hash === undefined
    ? { name, state: "inactive", transport, facts: detail }
    : { name, state: "not trusted", transport, facts: `${detail}: gauntlet trust` };
}

interface Widths {
  readonly columns: number;
  readonly name: number;
  readonly state: number;
}

function rowLines({ name, state, transport, facts }: Row, widths: Widths): readonly string[] {
  const line = `${name.padEnd(widths.name)}  ${state.padEnd(widths.state)}  ${transport.padEnd(mostTransport)}`;
  if (!facts.includes("\n") && `${line}  ${facts}`.length <= widths.columns) return [`${line}  ${facts}`.trimEnd()];
  const below = facts.split("\n").flatMap((row) => {
    const words = row.trimStart();
    const first = say`    ${row.slice(0, row.length - words.length)}`;
    return besideMargin(say`${words}`, { columns: widths.columns, first });
  });
  return [line.trimEnd(), ...below.map(({ text }) => text)];
}

const mostTransport = "stdio".length;

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

export function jobsText(jobs: readonly { readonly command: string }[]): string {
  if (jobs.length === 0) return "No command runs in the background.";
  return [...jobs.map(({ command }, index) => `${index + 1}  ${oneLine(command)}`), "/jobs stop 1 stops one."].join(
    "\n",
  );
}

export function readUndo(argument: string): Pick<UndoOptions, "last" | "dryRun" | "force"> {
  const words = argument.split(/\s+/);
  const last = Number(words.find((word) => /^[1-9]\d{0,3}$/.test(word)) ?? 1);
  return { last, dryRun: !words.includes("yes"), force: false };
}

export function undoText(report: UndoReport): [NoteTone, string] {
  const { outcome, extent, blocked, calls, steps, left, conflicts, never } = report;
  const what = calls.map(({ title }) => title).join("; ");
  const count = calls.length === 1 ? "" : `${calls.length} `;
  const would = blocked ? "would " : "";
  const rows = [
    ...steps.map(
      ({ action, path, note }) =>
        `  ${action === "nothing" ? "" : would}${action.replaceAll("_", " ")}  ${path}${note === undefined ? "" : `  (${note})`}`,
    ),
    ...left.map(({ path, change }) => `  unchanged  ${path}  (${change} while a direct command ran)`),
    ...conflicts.map(({ path, detail }) => `  ${path}: ${detail}`),
    ...never.map((one) => `  ${one}`),
    ...(extent === "none" ? [`  /undo ${calls.length + 1} includes the previous call.`] : []),
  ];
  const untouched = left.length === 0 ? "Cannot be reverted" : "A direct command cannot be reverted";
  const refused =
    conflicts.length === 0 || extent === "none"
      ? `${untouched}: ${what}`
      : "Not reverted: other changes would be lost. To revert anyway: gauntlet undo --force";
  const heads = {
    planned: blocked ? refused : `Type /undo ${count}yes to revert (${extent}): ${what}`,
    done: `Reverted (${extent}): ${what}`,
    refused,
    failed: `Partly reverted. ${report.failure?.message ?? ""} To continue: /undo ${count}yes`,
  } as const;
  const tone = outcome === "done" ? "good" : outcome === "planned" && !blocked ? "plain" : "bad";
  return [tone, [heads[outcome], ...rows].join("\n")];
}

export async function sessionChecks(
  app: Pick<App, "doctor" | "settings">,
  agent: Pick<Agent, "chain">,
  options: DoorOptions,
): Promise<readonly DoctorCheck[]> {
  const checks = await app.doctor({ fix: false });
  const settings = app.settings(options);
  if (!settings.ok || settings.value.models.model !== undefined) return checks;
  const detail = `${modelName(agent.chain.models[0].ref)} in this session; no model is set for the next one`;
  return checks.map((check) => (check.name === "model" ? { name: check.name, state: "ok", detail } : check));
}
