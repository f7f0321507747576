import type { z } from "zod";
import { isRecord, readJsonText } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import { remoteServer, type ServerSetting, stdioServer } from "../contract/server/server.ts";
import type { BrokenServer, SettingsFile } from "../contract/settings.ts";
import { invalid, type SettingsText } from "./parse-settings-text.ts";
import { readServers } from "./read-servers.ts";

export interface McpFile {
  readonly file: SettingsFile;
  /** What other programs wrote there and we do not use. */
  readonly notes: readonly string[];
  readonly broken: readonly BrokenServer[];
}

/** What lies in a repository is looked into at every start: nobody needs more of it than this. */
const longestText = 256 * 1024;
export const mostServers = 100;
const shownNotes = 10;

/**
 * `.mcp.json`, which many programs write. Their own keys are left alone and named; an entry that cannot be read
 * without guessing is left out. Fails when there is no saying which servers it has.
 */
export function readMcpFile({ path, text }: SettingsText): Outcome<McpFile> {
  // Ours, put there to keep the name free while a command runs, or left behind by a process that died.
  if (text.trim() === "") return ok({ file: {}, notes: [], broken: [] });
  const refuse = (problem: Parameters<typeof invalid>[1][number]) =>
    invalid(path, [problem], `Mend ${path} or move it away; none of its servers is used.`);
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
    ...Object.keys(others).map((key) => () => `${JSON.stringify(key)} means nothing here`),
    ...entries.flatMap(({ name, unknown, meant }) =>
      unknown.map((key) => () => {
        const of = `${JSON.stringify(key)} of the server ${JSON.stringify(name)}`;
        return `${of} means nothing here${meant(key)}`;
      }),
    ),
  ];
  return ok({
    file: { mcpServers: servers },
    notes: [...tooMany(all.length), ...shortened(notes)],
    broken,
  });
}

export function tooMany(count: number): readonly string[] {
  if (count <= mostServers) return [];
  return [`it has ${count} servers; the first ${mostServers} are read, the others are left out`];
}

function shortened(notes: readonly (() => string)[]): readonly string[] {
  const others = notes.length - shownNotes;
  const shown = notes.slice(0, shownNotes).map((note) => note());
  return others <= 0 ? shown : [...shown, `${others} more keys mean nothing here`];
}

/** What other programs call a kind of server that we know by another name. */
const otherNames: ReadonlyMap<unknown, string> = new Map([
  ["streamableHttp", "streamable-http"],
  ["streamable_http", "streamable-http"],
  ["websocket", "ws"],
]);

interface SharedEntry {
  /** In our words. */
  readonly value: unknown;
  readonly schema: z.ZodType<ServerSetting>;
  /** Keys that are left out of it. */
  readonly unknown: readonly string[];
  /** The key that one of them was probably meant to be, as a question; nothing where the entry has that too. */
  readonly meant: (key: string) => string;
}

/** One entry as programs share it, which is also what people copy from a server's description. */
export function sharedEntry(written: unknown): SharedEntry {
  if (!isRecord(written)) return { value: written, schema: stdioServer(), unknown: [], meant: () => "" };
  const { type: given, ...entry } = written;
  const type = otherNames.get(given) ?? given;
  const isRemote = "url" in entry && (type === undefined ? !("command" in entry) : type !== "stdio");
  const schema = isRemote ? remoteServer() : stdioServer();
  const [known, unknown] = [true, false].map((wanted) =>
    Object.entries(entry).filter(([key]) => Object.hasOwn(schema.shape, key) === wanted),
  );
  return {
    // An address without a kind is what most programs write for plain HTTP.
    value: {
      ...(type !== undefined ? { type } : isRemote ? { type: "http" } : {}),
      ...Object.fromEntries(known ?? []),
    },
    schema,
    unknown: (unknown ?? []).map(([key]) => key),
    meant: (key) => {
      const [near] = nearest(key, Object.keys(schema.shape));
      return near === undefined || near in entry ? "" : `; did you mean ${near}?`;
    },
  };
}
