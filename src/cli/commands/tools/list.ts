import type { Command } from "commander";
import { groupedNumber } from "../../../base/text.ts";
import type { Settings } from "../../../contract/settings.ts";
import type { MenuEntry } from "../../../contract/tool-facts.ts";
import { type CommandContext, examples } from "../../command.ts";
import { type DoorFlags, declareDoorFlags, doorOptionsOf } from "../../door-options.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { hiddenRows } from "../../render/hidden-tools.ts";
import { lines, type Shown } from "../../render/shown.ts";
import { bytesText, type Column, counted, renderTable } from "../../render/table.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";

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

/** A model is shown the schema of what is offered, or its name alone until it searches for it. */
export function offeredText({ visible, hiddenBecause, loaded }: MenuEntry): string {
  if (!visible) return `no: ${hiddenBecause ?? "hidden"}`;
  return loaded ? "yes" : "by name";
}

/** The table has the names. */
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

/** What every request begins with, what stays away until a model asks for it, and why. */
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
