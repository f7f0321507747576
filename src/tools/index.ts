import type { Settings } from "../contract/settings.ts";
import type { Tool } from "../contract/tool.ts";
import { artifactTools } from "./artifact/index.ts";
import { fileTools } from "./file/index.ts";
import { menuTools } from "./menu/index.ts";
import { todo } from "./plan/todo.ts";
import { searchTools } from "./search/index.ts";
import { skillTools } from "./skill/index.ts";
import { terminalTools } from "./terminal/index.ts";

export function builtinTools(limits: Settings["limits"]): readonly Tool[] {
  return [...fileTools, ...searchTools, ...terminalTools(limits), ...artifactTools, ...menuTools, ...skillTools, todo];
}
