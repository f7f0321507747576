import type { Tool } from "../../contract/tool.ts";
import { skill } from "./skill.ts";
import { skillsList, skillsSearch } from "./skills-list.ts";
import { skillsRead } from "./skills-read.ts";

export const skillTools: readonly Tool[] = [skillsList, skillsSearch, skillsRead, skill];
