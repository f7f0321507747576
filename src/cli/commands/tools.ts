import type { Command } from "commander";
import { nearestTools } from "../../base/nearest.ts";
import { groupedNumber } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Settings } from "../../contract/settings.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { type CommandContext, type DoorFlags, declareDoorFlags, doorOptionsOf, examples } from "../flags.ts";
import { hiddenRows } from "../render/inventory.ts";
import { block, joinShown, lines, type Shown, say } from "../render/shown.ts";
import { bytesText, type Column, counted, renderTable } from "../render/table.ts";
import type { View } from "../render/wrap.ts";
import type { Ended } from "../report.ts";
import { type CommandRun, onApp } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Tools as a model sees them, with sizes.");
  declareList(command.command("list"), context);
  declareShow(command.command("show"), context);
}

function declareList(command: Command, context: CommandContext): void {
  declareDoorFlags(
    command.summary("list tools").description("List all tools, their permissions, and their size in a model request."),
  )
    .option("--sizes", "show the size of each tool, largest first, and which are deferred")
    .option("--model <provider/id>", "show the tools as this model sees them; by default the configured model")
    .addHelpText(
      "after",
      examples(
        ["gauntlet tools list", "Current tools:"],
        ["gauntlet tools list --mode plan", "Tools in plan mode:"],
        ["gauntlet tools list --sizes", "Sizes:"],
        ["gauntlet tools list --sizes --model ollama/qwen3", "Sizes for a small model:"],
      ),
    )
    .action(onApp(context, (run, flags: ToolListFlags) => listTools(run, flags)));
}

interface ToolListFlags extends DoorFlags {
  readonly sizes?: boolean;
  readonly model?: string;
}

const columns: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: (tool) => tool.name, tone: (tool) => (tool.visible ? "strong" : "quiet") },
  { title: "FAMILY", spare: true, text: (tool) => tool.family },
  { title: "MAY", spare: "last", text: (tool) => tool.risks.join(", ") },
  { title: "SOURCE", spare: true, text: (tool) => tool.source },
  { title: "BYTES", align: "right", text: (tool) => String(tool.bytes) },
  { title: "OFFERED", text: (tool) => (tool.visible ? offeredText(tool) : "no") },
];

function offeredText({ visible, hiddenBecause, loaded }: MenuEntry): string {
  if (!visible) return `no: ${hiddenBecause ?? "hidden"}`;
  return loaded ? "yes" : "by name";
}

const mostNamed = 5;

const sizes: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: (tool) => tool.name, tone: (tool) => (tool.loaded ? "strong" : "quiet") },
  { title: "SOURCE", spare: true, text: (tool) => tool.source },
  { title: "BYTES", align: "right", text: (tool) => groupedNumber(tool.bytes) },
  { title: "TOKENS", align: "right", text: (tool) => `~${groupedNumber(Math.ceil(tool.bytes / bytesPerToken))}` },
  { title: "SHOWN", text: (tool) => (tool.loaded ? "with schema" : "by name") },
];

const bytesPerToken = 4;

function costRows(menu: readonly MenuEntry[], { deferAbove, deferShare }: Settings["tools"]): readonly string[] {
  const offered = menu.filter(({ visible }) => visible);
  const sum = (tools: readonly MenuEntry[]) => bytesText(tools.reduce((bytes, tool) => bytes + tool.bytes, 0));
  const left = offered.filter(({ loaded }) => !loaded);
  const shown = offered.filter(({ loaded }) => loaded);
  const all = `${counted(offered.length, "tool")} offered`;
  if (left.length === 0) return [`${all}, ${sum(shown)} in every request`];
  const why =
    menu.length > deferAbove
      ? `more than ${deferAbove} tools (tools.deferAbove)`
      : `schemas of more than ${Math.round(deferShare * 1000) / 10} % of the model's context (tools.deferShare)`;
  return [
    `${all}: ${shown.length} with their schemas, ${sum(shown)} in every request; ${left.length} by name, ${sum(left)} when a model loads them`,
    `listed by name only, until searched for: ${why}`,
  ];
}

async function listTools({ app, surface, show }: CommandRun, flags: ToolListFlags): Promise<Ended> {
  const options = await doorOptionsOf(flags, surface, app);
  if (!options.ok) return options;
  const model = flags.model === undefined ? undefined : { wanted: flags.model };
  const menu = await app.menu({ ...options.value, model });
  const settings = app.settings(options.value);
  if (!settings.ok) return settings;
  return show(menu, (tools, { paint, wrap }) => {
    const rows = [...(flags.sizes ? [] : hiddenRows(tools, { mostNamed })), ...costRows(tools, settings.value.tools)];
    const table = flags.sizes
      ? renderTable(
          tools.filter(({ visible }) => visible).toSorted((a, b) => b.bytes - a.bytes),
          sizes,
          surface.stdout,
        )
      : renderTable(tools, columns, surface.stdout);
    return joinShown([table, lines(rows.map((row) => wrap(paint("quiet", row))))], "");
  });
}

function declareShow(command: Command, context: CommandContext): void {
  declareDoorFlags(
    command
      .summary("show a tool and its schema")
      .description("Show one tool exactly as it is described to a model.")
      .argument("<name>", "name or alias"),
  )
    .addHelpText("after", examples(["gauntlet tools show edit", "Show the input of edit:"]))
    .action(
      onApp(context, async ({ app, surface, show }, name: string, flags: DoorFlags) => {
        const options = await doorOptionsOf(flags, surface, app);
        if (!options.ok) return options;
        const menu = await app.menu(options.value);
        return show(menu.ok ? findTool(menu.value, name) : menu, renderTool);
      }),
    );
}

function findTool(menu: readonly MenuEntry[], name: string): Outcome<MenuEntry> {
  const found = menu.find((entry) => entry.name === name || entry.aliases.includes(name));
  if (found !== undefined) return ok(found);
  const names = new Map(menu.flatMap((entry) => [entry.name, ...entry.aliases].map((known) => [known, entry.name])));
  const meant = [...new Set(nearestTools(name, [...names.keys()]).map((known) => names.get(known)))];
  const recovery =
    meant.length === 0 ? "`gauntlet tools list` lists all tools." : `Did you mean ${meant.join(" or ")}?`;
  return fail("unknown_tool", `There is no tool ${name}.`, { recovery });
}

function renderTool(tool: MenuEntry, { paint, wrap, row, label }: View): Shown {
  return lines([
    say`${paint("strong", tool.name)}  version ${tool.version}`,
    wrap(say`${tool.description}`),
    say``,
    row("may", tool.risks.join(", ")),
    row("family", `${tool.family}, ${tool.source}, ${tool.ownership}`),
    row("offered", offeredText(tool)),
    row("aliases", tool.aliases.length === 0 ? "none" : tool.aliases.join(", ")),
    row("size", `${tool.bytes} bytes`),
    say`${label("hash")}${tool.schemaHash}`,
    label("input"),
    block(JSON.stringify(tool.inputSchema, null, 2)),
  ]);
}
