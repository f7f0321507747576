import type { z } from "zod";
import { isRecord, readJsonText } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import { remoteServer, type ServerSetting, stdioServer } from "../contract/server/server.ts";
import { invalid, type ReadFile, type SettingsText } from "./parse-settings-text.ts";
import { readServers } from "./read-servers.ts";

/** The file is read at every start. */
const longestText = 256 * 1024;
export const mostServers = 100;
const shownNotes = 10;

/** Keys of other programs are reported, invalid entries left out. Fails if the list of servers cannot be read. */
export function readMcpFile({ path, text }: SettingsText): Outcome<ReadFile> {
  // A placeholder that we mount while a command runs, or that a killed process left behind.
  if (text.trim() === "") return ok({ file: {}, notes: [], broken: [] });
  const refuse = (problem: Parameters<typeof invalid>[1][number]) =>
    invalid(path, [problem], `Fix ${path} or move it aside. None of its servers is used.`);
  if (text.length > longestText) return refuse({ problem: `is larger than ${longestText} characters` });
  const json = readJsonText(text);
  if (!json.ok) return refuse(json);
  const { value, placeOf } = json;
  if (!isRecord(value)) return refuse({ problem: 'expected an object with "mcpServers"', place: placeOf("") });
  const { mcpServers: written = {}, ...others } = value;
  if (!isRecord(written)) {
    const field = "mcpServers";
    return refuse({ problem: "expected an object with a server for each name", field, place: placeOf(field) });
  }
  const all = Object.entries(written);
  const entries = all.slice(0, mostServers).map(([name, entry]) => ({ name, ...sharedEntry(entry) }));
  const { servers, broken } = readServers(entries, { path, placeOf });
  const notes = [
    ...Object.keys(others).map((key) => () => `${JSON.stringify(key)} is not supported`),
    ...entries.flatMap(({ name, unknown, meant }) =>
      unknown.map((key) => () => {
        const of = `${JSON.stringify(key)} of the server ${JSON.stringify(name)}`;
        return `${of} is not supported${meant(key)}`;
      }),
    ),
  ];
  return ok({ file: { mcpServers: servers }, notes: [...tooMany(all.length), ...shortened(notes)], broken });
}

export function tooMany(count: number): readonly string[] {
  if (count <= mostServers) return [];
  return [`it has ${count} servers; only the first ${mostServers} are read`];
}

function shortened(notes: readonly (() => string)[]): readonly string[] {
  const others = notes.length - shownNotes;
  const shown = notes.slice(0, shownNotes).map((note) => note());
  return others <= 0 ? shown : [...shown, `${others} more keys are not supported`];
}

const otherNames: ReadonlyMap<unknown, string> = new Map([
  ["streamableHttp", "streamable-http"],
  ["streamable_http", "streamable-http"],
  ["websocket", "ws"],
]);

interface SharedEntry {
  readonly value: unknown;
  readonly schema: z.ZodType<ServerSetting>;
  readonly unknown: readonly string[];
  readonly meant: (key: string) => string;
}

export function sharedEntry(written: unknown): SharedEntry {
  if (!isRecord(written)) return { value: written, schema: stdioServer(), unknown: [], meant: () => "" };
  const { type: given, ...entry } = written;
  const type = otherNames.get(given) ?? given;
  const isRemote = "url" in entry && (type === undefined ? !("command" in entry) : type !== "stdio");
  const schema = isRemote ? remoteServer() : stdioServer();
  const isKnown = (key: string) => Object.hasOwn(schema.shape, key);
  return {
    // Most programs write an address without a type for HTTP.
    value: {
      ...(type !== undefined ? { type } : isRemote ? { type: "http" } : {}),
      ...Object.fromEntries(Object.entries(entry).filter(([key]) => isKnown(key))),
    },
    schema,
    unknown: Object.keys(entry).filter((key) => !isKnown(key)),
    meant: (key) => {
      const [near] = nearest(key, Object.keys(schema.shape));
      return near === undefined || near in entry ? "" : `; did you mean ${near}?`;
    },
  };
}
