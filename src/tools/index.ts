import type { Settings } from "../contract/settings.ts";
import type { Tool } from "../contract/tool.ts";
import { deleteTool } from "./file/delete.ts";
import { edit } from "./file/edit.ts";
import { list } from "./file/list.ts";
import { move } from "./file/move.ts";
import { multiEdit } from "./file/multi-edit.ts";
import { patch } from "./file/patch.ts";
import { read } from "./file/read.ts";
import { write } from "./file/write.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { readArtifact } from "./session/read-artifact.ts";
import { todo } from "./session/todo.ts";
import { toolSearch } from "./session/tool-search.ts";
import { skill } from "./skill/skill.ts";
import { skillsList, skillsSearch } from "./skill/skills-list.ts";
import { skillsRead } from "./skill/skills-read.ts";
import { type CommandLimits, createBash } from "./terminal/bash.ts";
import { taskOutput } from "./terminal/task-output.ts";
import { taskStop } from "./terminal/task-stop.ts";

export function builtinTools(limits: Settings["limits"]): readonly Tool[] {
  return [...fileTools, ...searchTools, ...terminalTools(limits), ...artifactTools, ...menuTools, ...skillTools, todo];
}

const artifactTools: readonly Tool[] = [readArtifact];

/** There is no `open` tool: a program on the user's desktop has no bounded effect that a permit could name. */
export const fileTools: readonly Tool[] = [read, write, edit, multiEdit, patch, list, move, deleteTool];

const menuTools: readonly Tool[] = [toolSearch];

export const searchTools: readonly Tool[] = [grep, glob];

const skillTools: readonly Tool[] = [skillsList, skillsSearch, skillsRead, skill];

function terminalTools(limits: CommandLimits): readonly Tool[] {
  return [createBash(limits), taskOutput, taskStop];
}
