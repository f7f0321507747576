import type { Command } from "commander";
import { nearestTools } from "../../../base/nearest.ts";
import type { MenuEntry } from "../../../contract/tool-facts.ts";
import { type CommandContext, examples } from "../../command.ts";
import { type DoorFlags, declareDoorFlags, doorOptionsOf } from "../../door-options.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { block, labeller, lines, type Shown, say } from "../../render/shown.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { offeredText } from "./list.ts";

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
