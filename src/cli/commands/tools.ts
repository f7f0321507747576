import type { Command } from "commander";
import { nearestTools } from "../../base/nearest.ts";
import { groupedNumber } from "../../base/text.ts";
import type { Settings } from "../../contract/settings.ts";
import type { MenuEntry } from "../../contract/tool-facts.ts";
import { type CommandContext, type DoorFlags, declareDoorFlags, doorOptionsOf, examples } from "../flags.ts";
import { hiddenRows } from "../render/inventory.ts";
import { block, labeller, lines, type Shown, say } from "../render/shown.ts";
import { bytesText, type Column, counted, renderTable } from "../render/table.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printShown, reportFailure } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("The catalogue as a model would see it, with sizes.");
  declareToolsList(command.command("list"), context);
  declareToolsShow(command.command("show"), context);
}

export function declareToolsList(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command.summary("all tools").description("All tools, what they may do, and what each costs a model in bytes."),
  )
    .option("--sizes", "what each costs a model, largest first, and what would be left out")
    .option("--model <provider/id>", "as this model would see them; the settings name the usual one")
    .addHelpText(
      "after",
      examples(
        ["gauntlet tools list", "Now:"],
        ["gauntlet tools list --mode plan", "What plan mode leaves:"],
        ["gauntlet tools list --sizes", "What they cost:"],
        ["gauntlet tools list --sizes --model ollama/qwen3", "What a small model would be shown:"],
      ),
    )
    .action(async (flags: ListFlags) => end(await listTools(surface, flags)));
}

interface ListFlags extends DoorFlags {
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

export function offeredText({ visible, hiddenBecause, loaded }: MenuEntry): string {
  if (!visible) return `no: ${hiddenBecause ?? "hidden"}`;
  return loaded ? "yes" : "by name";
}

const mostNamed = 5;

const sizes: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: (tool) => tool.name, tone: (tool) => (tool.loaded ? "strong" : "quiet") },
  { title: "SOURCE", spare: true, text: (tool) => tool.source },
  { title: "BYTES", align: "right", text: (tool) => groupedNumber(tool.bytes) },
  { title: "TOKENS", align: "right", text: (tool) => `~${groupedNumber(tokensOf(tool))}` },
  { title: "SHOWN", text: (tool) => (tool.loaded ? "with schema" : "by name") },
];

const bytesPerToken = 4;

function tokensOf({ bytes }: MenuEntry): number {
  return Math.ceil(bytes / bytesPerToken);
}

function sizesTable(offered: readonly MenuEntry[], surface: Surface): Shown {
  const largest = [...offered].sort((a, b) => b.bytes - a.bytes);
  return renderTable(largest, sizes, surface.stdout);
}

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
    `by name until it is searched for, because there are ${why}`,
  ];
}

async function listTools(surface: Surface, flags: ListFlags): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const options = await doorOptionsOf(flags, surface, app);
    if (!options.ok) return reportFailure(surface, options.failure, { json: flags.json ?? false });
    const model = flags.model === undefined ? {} : { model: { wanted: flags.model } };
    const menu = await app.menu({ ...options.value, ...model });
    if (!menu.ok) return reportFailure(surface, menu.failure, { json: flags.json ?? false });
    if (flags.json === true) {
      await printJson(surface, menu.value);
      return exitCodes.done;
    }
    const settings = app.settings(options.value);
    if (!settings.ok) return reportFailure(surface, settings.failure, { json: false });
    const { paint, wrap } = viewOn(surface.stdout);
    const offered = menu.value.filter((tool) => tool.visible);
    const table = flags.sizes ? sizesTable(offered, surface) : renderTable(menu.value, columns, surface.stdout);
    await printShown(surface, table);
    const rows = [
      ...(flags.sizes ? [] : hiddenRows(menu.value, { mostNamed })),
      ...costRows(menu.value, settings.value.tools),
    ];
    await printShown(surface, lines(rows.map((row) => wrap(paint("quiet", row)))));
    return exitCodes.done;
  });
}

export function declareToolsShow(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command
      .summary("one tool with its schema")
      .description("One tool exactly as a model would be told about it.")
      .argument("<name>", "name or alias"),
  )
    .addHelpText("after", examples(["gauntlet tools show edit", "What edit takes:"]))
    .action(async (name: string, flags: DoorFlags) => end(await showTool(surface, name, flags)));
}

async function showTool(surface: Surface, name: string, flags: DoorFlags): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const json = flags.json ?? false;
    const options = await doorOptionsOf(flags, surface, app);
    if (!options.ok) return reportFailure(surface, options.failure, { json: flags.json ?? false });
    const menu = await app.menu(options.value);
    if (!menu.ok) return reportFailure(surface, menu.failure, { json });
    const tool = menu.value.find((entry) => entry.name === name || entry.aliases.includes(name));
    if (tool === undefined) {
      const names = new Map(
        menu.value.flatMap((entry) => [entry.name, ...entry.aliases].map((known) => [known, entry.name])),
      );
      const meant = [...new Set(nearestTools(name, [...names.keys()]).map((known) => names.get(known)))];
      return reportFailure(
        surface,
        {
          code: "unknown_tool",
          message: `There is no tool ${name}.`,
          recovery: meant.length === 0 ? "`gauntlet tools list` names them." : `Did you mean ${meant.join(" or ")}?`,
        },
        { json },
      );
    }
    if (json) await printJson(surface, tool);
    else await printShown(surface, renderTool(tool, viewOn(surface.stdout)));
    return exitCodes.done;
  });
}

function renderTool(tool: MenuEntry, { paint, wrap }: View): Shown {
  const label = labeller(paint);
  return lines([
    say`${paint("strong", tool.name)}  version ${tool.version}`,
    wrap(say`${tool.description}`),
    say``,
    wrap(say`${label("may")}${tool.risks.join(", ")}`),
    wrap(say`${label("family")}${tool.family}, ${tool.source}, ${tool.ownership}`),
    wrap(say`${label("offered")}${offeredText(tool)}`),
    wrap(say`${label("aliases")}${tool.aliases.length === 0 ? "none" : tool.aliases.join(", ")}`),
    say`${label("size")}${tool.bytes} bytes`,
    say`${label("hash")}${tool.schemaHash}`,
    say`${label("input")}`,
    block(JSON.stringify(tool.inputSchema, null, 2)),
  ]);
}
