import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { isPlainName, longestAddress } from "../../base/text.ts";
import { exactName, type ServerPrompt, type ServerResource } from "../../contract/server/server.ts";
import { boundedWords } from "../tools/bounded-text.ts";
import { serverUri } from "./addresses.ts";

export interface Admitted<Entry> {
  readonly entries: readonly Entry[];
  readonly refused?: string;
}

export interface OfferSource {
  readonly server: string;
  readonly redact: (text: string) => string;
}

const most = { entries: 500, name: 128, arguments: 50, title: 200, words: 2_000 };

export function admitPrompts(source: OfferSource, prompts: readonly ServerPrompt[]): Admitted<Prompt> {
  const { server, redact } = source;
  const { line, words } = boundedWords(redact);
  return admit(prompts, {
    redact,
    isUsable: ({ name, values }) =>
      isPlainName(name, most.name) &&
      values.length <= most.arguments &&
      values.every((value) => isPlainName(value.name, most.name)),
    namesOf: ({ name, values }) => [name, ...values.map((value) => value.name)],
    entryOf: ({ name, title, description, values }) => ({
      name: exactName({ server, tool: name }),
      title: title && line(title, most.title),
      description: inWordsOf("Prompt", source, description),
      arguments: values.map((value) => ({
        name: value.name,
        description: value.description && words(value.description, most.words),
        required: value.required,
      })),
    }),
  });
}

export function admitResources(source: OfferSource, all: readonly ServerResource[]): Admitted<Resource> {
  const found = all.filter(({ template }) => template === undefined);
  return admitAddresses(source, found, (about, uri) => ({ ...about, uri }));
}

export function admitTemplates(source: OfferSource, all: readonly ServerResource[]): Admitted<ResourceTemplateType> {
  const found = all.filter(({ template }) => template === true);
  return admitAddresses(source, found, (about, uriTemplate) => ({ ...about, uriTemplate }));
}

function admitAddresses<Entry>(
  source: OfferSource,
  found: readonly ServerResource[],
  entryOf: (about: Pick<Resource, "name" | "description" | "mimeType">, uri: string) => Entry,
): Admitted<Entry> {
  const { server, redact } = source;
  const { line } = boundedWords(redact);
  return admit(found, {
    redact,
    isUsable: ({ uri }) => isPlainName(uri, longestAddress),
    namesOf: ({ uri }) => [uri],
    entryOf: ({ uri, name, description, mediaType }) => {
      const about = {
        name: line(name, most.title),
        description: inWordsOf("Resource", source, description),
        mimeType: mediaType && line(mediaType, most.title),
      };
      return entryOf(about, serverUri({ server, uri }));
    },
  });
}

interface Admitting<Given, Entry> extends Pick<OfferSource, "redact"> {
  readonly isUsable: (one: Given) => boolean;
  readonly namesOf: (one: Given) => readonly [string, ...string[]];
  readonly entryOf: (one: Given) => Entry;
}

function admit<Given, Entry>(
  given: readonly Given[],
  { redact, isUsable, namesOf, entryOf }: Admitting<Given, Entry>,
): Admitted<Entry> {
  const plain = given.filter(isUsable);
  const usable = plain.filter((one) => namesOf(one).every((name) => redact(name) === name));
  const byName = new Map<string, Given>();
  for (const one of usable) {
    const [name] = namesOf(one);
    if (!byName.has(name)) byName.set(name, one);
  }
  const entries = [...byName.values()].slice(0, most.entries).map(entryOf);
  const left = given.length - entries.length;
  if (left === 0) return { entries };
  const reasons = [
    ...(plain.length < given.length
      ? ["a name is too long or has invisible characters, or there are too many arguments"]
      : []),
    ...(usable.length < plain.length ? [secretName] : []),
    ...(byName.size < usable.length ? ["a name is used twice"] : []),
    ...(byName.size > most.entries ? [`a server may offer at most ${most.entries}`] : []),
  ];
  return { entries, refused: `${left} not offered: ${reasons.join("; ")}` };
}

export const secretName = "a name contains a secret";

function inWordsOf(what: string, { server, redact }: OfferSource, said: string | undefined): string {
  if (said === undefined || said.trim() === "") return `${what} of the MCP server ${server}, without a description.`;
  return `${what} of the MCP server ${server}, in its words: ${boundedWords(redact).words(said, most.words)}`;
}

export type ReportProblem = (server: string, what: string, why: string | undefined) => void;
