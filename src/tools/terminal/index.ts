import type { Tool } from "../../contract/tool.ts";
import { createBash } from "./bash.ts";
import { taskOutput } from "./task-output.ts";
import { taskStop } from "./task-stop.ts";

export const terminalTools: readonly Tool[] = [
  createBash({ commandTimeoutMs: 600_000, foregroundMs: 120_000 }),
  taskOutput,
  taskStop,
];
