import type { Tool } from "../contract/tool.ts";
import { artifactTools } from "./artifact/index.ts";
import { fileTools } from "./file/index.ts";
import { searchTools } from "./search/index.ts";
import { terminalTools } from "./terminal/index.ts";

export const builtinTools: readonly Tool[] = [...fileTools, ...searchTools, ...terminalTools, ...artifactTools];
