import type { Tool } from "../../contract/tool.ts";
import { deleteTool } from "./delete.ts";
import { edit } from "./edit.ts";
import { list } from "./list.ts";
import { move } from "./move.ts";
import { multiEdit } from "./multi-edit.ts";
import { patch } from "./patch.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

/** There is no `open`: starting a program on the user's desktop has no bounded effect that a permit could name. */
export const fileTools: readonly Tool[] = [read, write, edit, multiEdit, patch, list, move, deleteTool];
