import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declareToolsList } from "./tools/list.ts";
import { declareToolsShow } from "./tools/show.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("The catalogue as a model would see it, with sizes.");
  declareToolsList(command.command("list"), context);
  declareToolsShow(command.command("show"), context);
}
