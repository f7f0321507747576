import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { digestOf, sha256 } from "../../base/digest.ts";
import { isRecord } from "../../base/json.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { Clock } from "../../contract/ids.ts";
import type { ListedServer } from "../../contract/server/admin.ts";
import type { ServerEntry, ServerTool } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { bounded } from "../tools/bounded-text.ts";

/** Small private files of ours, by relative name. */
export interface StateFiles {
  /** `undefined` when there is none. */
  read(name: string): Outcome<string | undefined>;
  /** As long as it is the same, so is the text. `undefined` when there is none. */
  stamp(name: string): Outcome<string | undefined>;
  write(name: string, text: string): Outcome<void>;
}

/** What is known of one server from earlier sessions. */
export interface ServerState {
  /** Definitions as they were when it ran last; `undefined` when it never did. */
  known(): readonly Definition[] | undefined;
  keep(definitions: readonly Definition[]): void;
  /** What was agreed to under this name. */
  pinned(tool: string): Pinned | "unreadable" | undefined;
  pin(definition: Definition): Outcome<void>;
}

/** Another entry, or the same in another workspace, is another server. The entry is not filled in, so no secret is hashed. */
export function serverDirectory({ name, setting }: ServerEntry, workspace: string): string {
  // Switched off it is still the same server.
  const { disabled: _, ...meant } = setting;
  return `${name.replace(/[^A-Za-z0-9_-]/g, "_")}-${digestOf([name, meant, workspace]).slice(0, 16)}`;
}

export function serverState(entry: ServerEntry, workspace: string, files: StateFiles): ServerState {
  const directory = serverDirectory(entry, workspace);
  const pins = new Map<string, { readonly file: string; stamp?: string; pin?: ReturnType<typeof readPin> }>();
  const pinOf = (tool: string) => {
    const known = pins.get(tool) ?? { file: `${directory}/agreed-${sha256(tool).slice(0, 32)}.json` };
    pins.set(tool, known);
    return known;
  };
  return {
    known() {
      const read = files.read(`${directory}/tools.json`);
      return read.ok ? readKept(read.value) : undefined;
    },
    keep(definitions) {
      const text = keptText(definitions);
      if (text !== undefined) files.write(`${directory}/tools.json`, text);
    },
    pinned(tool) {
      const known = pinOf(tool);
      // Asked for several times in every call: what lies there is read when it is another. The stamp comes first, so
      // that whatever is put there meanwhile is seen the next time.
      const stamp = files.stamp(known.file);
      if (stamp.ok && stamp.value !== undefined && known.stamp === stamp.value) return known.pin;
      delete known.pin;
      delete known.stamp;
      if (!stamp.ok) return "unreadable";
      if (stamp.value === undefined) return undefined;
      const read = files.read(known.file);
      if (!read.ok) return "unreadable";
      if (read.value === undefined) return undefined;
      known.pin = readPin(read.value);
      known.stamp = stamp.value;
      return known.pin;
    },
    pin(definition) {
      const { name, hash } = definition;
      const known = pinOf(name);
      // The gate has looked at it a moment ago; what happened to it since is seen with the next call.
      const before = known.stamp === undefined ? this.pinned(name) : known.pin;
      if (typeof before === "object" && before.hash === hash) return ok(undefined);
      return files.write(known.file, pinText(definition));
    },
  };
}

/** Does the server describe the tool in other words than somebody agreed to? Not where nobody ever did. */
export function isChanged(state: Pick<ServerState, "pinned">, { name, hash }: Definition): boolean {
  const pinned = state.pinned(name);
  return pinned !== undefined && (pinned === "unreadable" || pinned.hash !== hash);
}

/** A tool of a server that can be offered. */
export interface Definition {
  /** In the server's own spelling. */
  readonly name: string;
  readonly tool: ServerTool;
  /** As a model may see it. */
  readonly inputSchema: JsonSchema;
  /** The same of its structured results. Absent also where it is one that nobody should be given. */
  readonly outputSchema?: JsonSchema | undefined;
  readonly description: string;
  readonly searchHint: string;
  /** Over everything that the server says of it. */
  readonly hash: string;
  /** Over what a model sees of it, but for its name. */
  readonly shownHash: string;
}

/** Over everything that a server says of a tool. */
export function hashOf({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool): string {
  return digestOf({ name, title, description, inputSchema, outputSchema, annotations });
}

export function isServerTool(value: unknown): value is ServerTool {
  if (!isRecord(value) || typeof value.name !== "string" || !isRecord(value.inputSchema)) return false;
  const isWords = (text: unknown) => text === undefined || typeof text === "string";
  const isJson = (json: unknown) => json === undefined || isRecord(json);
  return [value.title, value.description].every(isWords) && [value.outputSchema, value.annotations].every(isJson);
}

/** A definition that somebody agreed to. */
export interface Pinned {
  readonly hash: string;
  readonly tool: ServerTool;
}

export function pinText({ hash, tool }: Definition): string {
  return JSON.stringify({ hash, tool });
}

/** `unreadable` for what is no record of ours: whoever wrote it, nobody agreed to anything by it. */
export function readPin(text: string): Pinned | "unreadable" {
  const pinned = parsedJson(text);
  if (!isRecord(pinned) || !isServerTool(pinned.tool) || hashOf(pinned.tool) !== pinned.hash) return "unreadable";
  return { hash: pinned.hash, tool: pinned.tool };
}

/** `undefined` for what is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Another number whenever something else is made of the same tool, or it is kept in another way. */
const format = 3;
const mostKept = 900 * 1024;

/**
 * What is kept of a server for its next session; nothing when that is too much. A line for what is on the surface, behind
 * a line with its hash, and then one for the rest of each tool, whose hashes are on the surface.
 */
export function keptText(definitions: readonly Definition[]): string | undefined {
  const rests = definitions.map(({ tool, inputSchema, outputSchema, description, searchHint }) => {
    const rest: Rest = { tool, inputSchema, outputSchema, description, searchHint };
    return JSON.stringify(rest);
  });
  const tools = definitions.map(({ name, hash, shownHash }, at) => [name, hash, shownHash, sha256(rests[at] ?? "")]);
  const surface = JSON.stringify({ format, tools });
  const text = [sha256(surface), surface, ...rests].join("\n");
  return Buffer.byteLength(text) > mostKept ? undefined : text;
}

/**
 * Read at every start, so it is not taken apart again: its hash tells whether it is what was written. A server whose
 * file says otherwise is not known, and what it really offers is looked at before anything is sent to it.
 */
export function readKept(text: string | undefined): readonly Definition[] | undefined {
  const end = text?.indexOf("\n") ?? -1;
  if (text === undefined || end === -1) return undefined;
  const behind = text.indexOf("\n", end + 1);
  const surface = text.slice(end + 1, behind === -1 ? undefined : behind);
  if (sha256(surface) !== text.slice(0, end)) return undefined;
  const kept = parsedJson(surface);
  if (!isKept(kept)) return undefined;
  const rests = lazy(() => text.slice(end + surface.length + 2).split("\n"));
  return kept.tools.map((one, at) => new KeptDefinition(one, () => rests()[at] ?? ""));
}

type KeptTool = readonly [name: string, hash: string, shownHash: string, restHash: string];

function isKept(value: unknown): value is { readonly tools: readonly KeptTool[] } {
  return isRecord(value) && value.format === format && Array.isArray(value.tools) && value.tools.every(isKeptTool);
}

/** By hand: the same in zod takes ten times as long, and a session waits for it. */
function isKeptTool(value: unknown): value is KeptTool {
  return Array.isArray(value) && value.length === 4 && value.every((text) => typeof text === "string" && text !== "");
}

type Rest = Omit<Definition, "name" | "hash" | "shownHash">;

/** Of most tools that a server offers, a session needs no more than what is on the surface. */
class KeptDefinition implements Definition {
  readonly name: string;
  readonly shownHash: string;
  readonly #hash: string;
  readonly #restHash: string;
  readonly #text: () => string;
  #rest: { readonly read: Rest | undefined } | undefined;

  constructor([name, hash, shownHash, restHash]: KeptTool, text: () => string) {
    this.name = name;
    this.#hash = hash;
    this.shownHash = shownHash;
    this.#restHash = restHash;
    this.#text = text;
  }

  /** What cannot be read is nothing that anybody agreed to, and nothing that its server says. */
  get hash(): string {
    return this.#read() === undefined ? sha256(`unreadable ${this.#hash}`) : this.#hash;
  }

  get tool(): ServerTool {
    return this.#whole().tool;
  }

  get inputSchema(): JsonSchema {
    return this.#whole().inputSchema;
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#whole().outputSchema;
  }

  get description(): string {
    return this.#whole().description;
  }

  get searchHint(): string {
    return this.#whole().searchHint;
  }

  #whole(): Rest {
    return this.#read() ?? nothingOf(this.name);
  }

  #read(): Rest | undefined {
    this.#rest ??= { read: readRest(this.#text(), this.#restHash, this.#hash) };
    return this.#rest.read;
  }
}

function readRest(text: string, restHash: string, hash: string): Rest | undefined {
  const rest = sha256(text) === restHash ? parsedJson(text) : undefined;
  return isRest(rest) && hashOf(rest.tool) === hash ? rest : undefined;
}

/** What is none of ours says nothing: the tool is shown without words, and called only if its server still offers it. */
function nothingOf(name: string): Rest {
  const nothing = { type: "object" };
  return { tool: { name, inputSchema: nothing }, inputSchema: nothing, description: name, searchHint: name };
}

function isRest(value: unknown): value is Rest {
  if (!isRecord(value) || !isServerTool(value.tool) || !isRecord(value.inputSchema)) return false;
  if (value.outputSchema !== undefined && !isRecord(value.outputSchema)) return false;
  return [value.description, value.searchHint].every((words) => typeof words === "string" && words !== "");
}

/** All of it: what to do about it stands at its end. */
const longestWhy = 2_000;
const fileIn = (directory: string) => `${directory}/failed-test.json`;
/** Written whenever it starts: when it is another one since, the test is out of date. */
const startedIn = (directory: string) => `${directory}/tools.json`;

/** Remembers a test that came to nothing, or that its login is gone, and forgets it with a test that did not. */
export function noteTest(
  files: StateFiles & { remove(name: string): Outcome<void> },
  directory: string,
  { at, failed, loggedOut }: { readonly at: string; readonly failed: string | undefined; readonly loggedOut?: true },
): void {
  if (failed === undefined) files.remove(fileIn(directory));
  else {
    const stamp = files.stamp(startedIn(directory));
    const since = stamp.ok ? stamp.value : undefined;
    files.write(fileIn(directory), JSON.stringify({ at, why: bounded(failed, longestWhy), since, loggedOut }));
  }
}

export function readFailedTest(files: StateFiles, directory: string): ListedServer["failed"] {
  const text = files.read(fileIn(directory));
  if (!text.ok || text.value === undefined) return undefined;
  const stamp = files.stamp(startedIn(directory));
  const shape = z.object({
    at: z.iso.datetime(),
    why: z.string(),
    since: z.exactOptional(z.string()),
    loggedOut: z.exactOptional(z.literal(true)),
  });
  try {
    const { since, why, ...facts } = shape.parse(JSON.parse(text.value));
    return stamp.ok && stamp.value === since ? { ...facts, why: bounded(why, longestWhy) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever changes these files besides us is a person in another process. */
const recentMs = 100;

/** Looks at a file that is there at most so often: a client that calls again and again asks about the same one. */
export function recentStamps(files: StateFiles, clock: Clock): StateFiles {
  const looked = new Map<string, { readonly at: number; readonly stamp: Outcome<string | undefined> }>();
  return {
    ...files,
    stamp(name) {
      const now = clock.now();
      const last = looked.get(name);
      if (last !== undefined && now >= last.at && now - last.at < recentMs) return last.stamp;
      const stamp = files.stamp(name);
      if (stamp.ok && stamp.value !== undefined) looked.set(name, { at: now, stamp });
      else looked.delete(name);
      return stamp;
    },
    write(name, text) {
      looked.delete(name);
      return files.write(name, text);
    },
  };
}
