import type { Tool } from "../../contract/tool.ts";
import { listServerResources } from "./list-resources.ts";
import { readServerResource } from "./read-resource.ts";

/** For sessions that have servers. */
export const serverTools: readonly Tool[] = [listServerResources, readServerResource];
