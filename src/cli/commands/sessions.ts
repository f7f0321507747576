import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declareSessionsEvents } from "./sessions/events.ts";
import { declareSessionsExport } from "./sessions/export.ts";
import { declareSessionsFork } from "./sessions/fork.ts";
import { declareSessionsImport } from "./sessions/import.ts";
import { declareSessionsList } from "./sessions/list.ts";
import { declareSessionsPrune } from "./sessions/prune.ts";
import { declareSessionsReplay } from "./sessions/replay.ts";
import { declareSessionsShow } from "./sessions/show.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Read and keep the log of past sessions. Nothing here touches a workspace.");
  declareSessionsList(command.command("list"), context);
  declareSessionsShow(command.command("show"), context);
  declareSessionsEvents(command.command("events"), context);
  declareSessionsReplay(command.command("replay"), context);
  declareSessionsFork(command.command("fork"), context);
  declareSessionsExport(command.command("export"), context);
  declareSessionsImport(command.command("import"), context);
  declareSessionsPrune(command.command("prune"), context);
}
