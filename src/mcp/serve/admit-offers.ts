import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { isPlainName, longestAddress } from "../../contract/plain-name.ts";
import type { ServerPrompt, ServerResource } from "../../contract/server.ts";
import { exactName } from "../../contract/server-tool-name.ts";
import { bounded, boundedLine } from "../host/bounded-text.ts";
import { serverUri } from "./addresses.ts";

/** What of a server's list can be passed on. One entry that cannot takes no other with it. */
export interface Admitted<Entry> {
  readonly entries: readonly Entry[];
  /** How many are left out, and why. */
  readonly refused?: string;
}

const most = { entries: 500, name: 128, arguments: 50, title: 200, words: 2_000 };

export function admitPrompts(server: string, prompts: readonly ServerPrompt[]): Admitted<Prompt> {
  return admit(
    prompts.filter(
      ({ name, values }) =>
        isPlainName(name, most.name) &&
        values.length <= most.arguments &&
        values.every((value) => isPlainName(value.name, most.name)),
    ),
    { of: prompts.length, nameOf: ({ name }) => name },
    ({ name, title, description, values }) => ({
      name: exactName({ server, tool: name }),
      ...(title === undefined ? {} : { title: boundedLine(title, most.title) }),
      description: inWordsOf("Prompt", server, description),
      arguments: values.map((value) => ({
        name: value.name,
        ...(value.description === undefined ? {} : { description: bounded(value.description, most.words) }),
        required: value.required,
      })),
    }),
  );
}

export function admitResources(server: string, all: readonly ServerResource[]): Admitted<Resource> {
  const found = all.filter(({ template }) => template === undefined);
  return admitAddresses(server, found, (about, uri) => ({ ...about, uri }));
}

export function admitTemplates(server: string, all: readonly ServerResource[]): Admitted<ResourceTemplateType> {
  const found = all.filter(({ template }) => template === true);
  return admitAddresses(server, found, (about, uriTemplate) => ({ ...about, uriTemplate }));
}

function admitAddresses<Entry>(
  server: string,
  found: readonly ServerResource[],
  entryOf: (about: Pick<Resource, "name" | "description" | "mimeType">, uri: string) => Entry,
): Admitted<Entry> {
  return admit(
    found.filter(({ uri }) => isPlainName(uri, longestAddress)),
    { of: found.length, nameOf: ({ uri }) => uri },
    ({ uri, name, description, mediaType }) => {
      const about = {
        name: boundedLine(name, most.title),
        description: inWordsOf("Resource", server, description),
        ...(mediaType === undefined ? {} : { mimeType: boundedLine(mediaType, most.title) }),
      };
      return entryOf(about, serverUri({ server, uri }));
    },
  );
}

/** Of several with one name, the first. */
function admit<Given, Entry>(
  usable: readonly Given[],
  { of, nameOf }: { readonly of: number; readonly nameOf: (one: Given) => string },
  entryOf: (one: Given) => Entry,
): Admitted<Entry> {
  const byName = new Map<string, Given>();
  for (const one of usable) if (!byName.has(nameOf(one))) byName.set(nameOf(one), one);
  const entries = [...byName.values()].slice(0, most.entries).map(entryOf);
  const left = of - entries.length;
  if (left === 0) return { entries };
  const reasons = [
    ...(usable.length < of ? ["a name that is too long, hides something or has too many arguments"] : []),
    ...(byName.size < usable.length ? ["a name that another one has"] : []),
    ...(byName.size > most.entries ? [`more than ${most.entries} of one server`] : []),
  ];
  return { entries, refused: `${left} are not offered: ${reasons.join("; ")}` };
}

function inWordsOf(what: string, server: string, said: string | undefined): string {
  if (said === undefined || said.trim() === "")
    return `${what} of the MCP server ${server}, which does not describe it.`;
  return `${what} of the MCP server ${server}, in its words: ${bounded(said, most.words)}`;
}
