import { randomBytes } from "node:crypto";
import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/server";
import type { Offer } from "./offer.ts";
import { type PagedList, pagedList } from "./pages.ts";

/** The lists of an offer for all of its clients. */
export interface OfferedLists {
  readonly tools: PagedList<Tool>;
  readonly prompts: PagedList<Prompt>;
  readonly resources: PagedList<Resource>;
  readonly templates: PagedList<ResourceTemplateType>;
}

export function offeredLists({ tools, prompts, resources }: Offer): OfferedLists {
  const common = { key: randomBytes(32), now: () => performance.now() };
  return {
    tools: pagedList({
      ...common,
      name: "tools/list",
      load: () => tools?.list() ?? [],
      keyOf: ({ name }) => name,
    }),
    prompts: pagedList({
      ...common,
      name: "prompts/list",
      load: () => prompts?.list() ?? [],
      keyOf: ({ name }) => name,
    }),
    resources: pagedList({
      ...common,
      name: "resources/list",
      load: () => resources?.list() ?? [],
      keyOf: ({ uri }) => uri,
    }),
    templates: pagedList({
      ...common,
      name: "resources/templates/list",
      load: () => resources?.templates() ?? [],
      keyOf: ({ uriTemplate }) => uriTemplate,
    }),
  };
}
