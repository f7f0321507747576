import type { Tool } from "../../contract/tool.ts";
import { type CommandLimits, createBash } from "./bash.ts";
import { taskOutput } from "./task-output.ts";
import { taskStop } from "./task-stop.ts";

export function terminalTools(limits: CommandLimits): readonly Tool[] {
  return [createBash(limits), taskOutput, taskStop];
}
