import type { Tool } from "../../contract/tool.ts";
import { completeServerArgument } from "./complete-argument.ts";
import { getServerPrompt } from "./get-prompt.ts";
import { listServerResources } from "./list-resources.ts";
import { readServerResource } from "./read-resource.ts";

/** For sessions that have servers. */
export const serverTools: readonly Tool[] = [listServerResources, readServerResource];

/** For sessions that pass their servers on. Prompts are for people to choose: no model is offered them as tools. */
export const passingTools: readonly Tool[] = [readServerResource, getServerPrompt, completeServerArgument];
