import type { Settings } from "../../contract/settings.ts";
import type { Tool } from "../../contract/tool.ts";
import { readArtifact } from "../session/read-artifact.ts";
import { completeServerArgument } from "./complete-argument.ts";
import { chosenServerPrompt, getServerPrompt } from "./get-prompt.ts";
import { listServerResources } from "./list-resources.ts";
import { readServerResource } from "./read-resource.ts";
import { watchServerResource } from "./watch-resource.ts";

export function serverTools(limits: Settings["limits"], servers: readonly string[]): readonly Tool[] {
  return [listServerResources(servers), readServerResource(limits), chosenServerPrompt(limits)];
}

export function passingTools(limits: Settings["limits"]): readonly Tool[] {
  const ofServers = [readServerResource, watchServerResource, getServerPrompt].map((tool) => tool(limits));
  return [...ofServers, completeServerArgument, readArtifact];
}
