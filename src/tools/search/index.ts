import type { Tool } from "../../contract/tool.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";

export const searchTools: readonly Tool[] = [grep, glob];
