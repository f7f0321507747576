import type { Command } from "commander";
import type { MenuEntry } from "../../../contract/app.ts";
import { type CommandContext, examples } from "../../command.ts";
import { type DoorFlags, declareDoorFlags, doorOptionsOf } from "../../door-options.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { lines, painter, say } from "../../render/shown.ts";
import { bytesText, type Column, counted, renderTable } from "../../render/table.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";

export function declareToolsList(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command.summary("all tools").description("All tools, what they may do, and what each costs a model in bytes."),
  )
    .addHelpText(
      "after",
      examples(["gauntlet tools list", "Now:"], ["gauntlet tools list --mode plan", "What plan mode leaves:"]),
    )
    .action(async (flags: DoorFlags) => end(await listTools(surface, flags)));
}

const columns: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: (tool) => tool.name, tone: (tool) => (tool.visible ? "strong" : "quiet") },
  { title: "VERSION", text: (tool) => tool.version },
  { title: "FAMILY", text: (tool) => tool.family },
  { title: "MAY", text: (tool) => tool.risks.join(", ") },
  { title: "SOURCE", text: (tool) => tool.source },
  { title: "BYTES", align: "right", text: (tool) => String(tool.bytes) },
  { title: "OFFERED", text: (tool) => (tool.visible ? "yes" : `no: ${tool.hiddenBecause ?? "hidden"}`) },
];

async function listTools(surface: Surface, flags: DoorFlags): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const options = await doorOptionsOf(flags, surface, app);
    if (!options.ok) return reportFailure(surface, options.failure, { json: flags.json ?? false });
    const menu = await app.menu(options.value);
    if (!menu.ok) return reportFailure(surface, menu.failure, { json: flags.json ?? false });
    if (flags.json === true) {
      await printJson(surface, menu.value);
      return exitCodes.done;
    }
    const paint = painter(surface.stdout);
    const offered = menu.value.filter((tool) => tool.visible);
    const bytes = offered.reduce((sum, tool) => sum + tool.bytes, 0);
    await printShown(surface, renderTable(menu.value, columns, surface.stdout));
    await printShown(
      surface,
      lines([paint("quiet", say`${counted(offered.length, "tool")} offered, ${bytesText(bytes)}`)]),
    );
    return exitCodes.done;
  });
}
