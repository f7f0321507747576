import type { Tool } from "../../contract/tool.ts";
import { toolSearch } from "./tool-search.ts";

export const menuTools: readonly Tool[] = [toolSearch];
