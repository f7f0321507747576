import type { Settings } from "../../contract/settings.ts";
import type { Tool } from "../../contract/tool.ts";
import { readArtifact } from "../session/read-artifact.ts";
import { completeServerArgument } from "./complete-argument.ts";
import { chosenServerPrompt, getServerPrompt } from "./get-prompt.ts";
import { listServerResources } from "./list-resources.ts";
import { readServerResource } from "./read-resource.ts";
import { watchServerResource } from "./watch-resource.ts";

/** For sessions that have servers, with their names. */
export function serverTools(limits: Settings["limits"], servers: readonly string[]): readonly Tool[] {
  return [listServerResources(servers), readServerResource(limits), chosenServerPrompt(limits)];
}

/** For sessions that pass their servers on, with what they kept of too long answers. */
export function passingTools(limits: Settings["limits"]): readonly Tool[] {
  const ofServers = [readServerResource, watchServerResource, getServerPrompt].map((tool) => tool(limits));
  return [...ofServers, completeServerArgument, readArtifact];
}
