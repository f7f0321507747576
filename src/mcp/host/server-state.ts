import { z } from "zod";
import { digestOf, sha256 } from "../../base/digest.ts";
import { isRecord } from "../../base/json.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ListedServer } from "../../contract/server/admin.ts";
import type { ServerEntry, ServerTool } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import type { PrivateFiles } from "../../host/state/private-text.ts";
import { bounded } from "../tools/bounded-text.ts";

export type StateFiles = Pick<PrivateFiles, "read" | "write" | "remove">;

export interface Definition {
  readonly name: string;
  readonly tool: ServerTool;
  /** As a model may see it. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly description: string;
  readonly searchHint: string;
  /** Over the server's whole definition. */
  readonly hash: string;
  /** Over what a model sees, except the name. */
  readonly shownHash: string;
}

export interface ApprovedDefinition {
  readonly hash: string;
  readonly tool: ServerTool;
}

export interface ServerState {
  /** The definitions of the last start; `undefined` if it never started. */
  known(): readonly Definition[] | undefined;
  keep(definitions: readonly Definition[]): void;
  pinned(tool: string): ApprovedDefinition | "unreadable" | undefined;
  pin(definition: Definition): Outcome<void>;
  /** A failure is kept until the server starts or a test of it succeeds. */
  noteTest(test: { readonly at: string; readonly failed: string | undefined; readonly loggedOut?: true }): void;
  failedTest(): ListedServer["failed"];
}

const failedTest = z.object({ at: z.iso.datetime(), why: z.string(), loggedOut: z.literal(true).optional() });
const longestWhy = 2_000;

/** A changed entry or another workspace is another server. Variables are not filled in, so no secret is hashed. */
export function serverDirectory({ name, setting }: ServerEntry, workspace: string): string {
  const { disabled: _, ...meant } = setting;
  return `${name.replace(/[^A-Za-z0-9_-]/g, "_")}-${digestOf([name, meant, workspace]).slice(0, 16)}`;
}

export function serverState(entry: ServerEntry, workspace: string, files: StateFiles): ServerState {
  const directory = serverDirectory(entry, workspace);
  const testFile = `${directory}/failed-test.json`;
  const fileOf = (tool: string) => `${directory}/agreed-${sha256(tool).slice(0, 32)}.json`;
  const pinned: ServerState["pinned"] = (tool) => {
    const read = files.read(fileOf(tool));
    if (!read.ok) return "unreadable";
    return read.value === undefined ? undefined : readPin(read.value);
  };
  return {
    pinned,
    known() {
      const read = files.read(`${directory}/tools.json`);
      return read.ok ? readKept(read.value) : undefined;
    },
    keep(definitions) {
      const text = keptText(definitions);
      if (text !== undefined) files.write(`${directory}/tools.json`, text);
      files.remove(testFile);
    },
    pin(definition) {
      const before = pinned(definition.name);
      if (typeof before === "object" && before.hash === definition.hash) return ok(undefined);
      return files.write(fileOf(definition.name), pinText(definition));
    },
    noteTest({ at, failed, loggedOut }) {
      if (failed === undefined) files.remove(testFile);
      else files.write(testFile, JSON.stringify({ at, why: bounded(failed, longestWhy), loggedOut }));
    },
    failedTest() {
      const text = files.read(testFile);
      return text.ok && text.value !== undefined ? failedTest.safeParse(parsedJson(text.value)).data : undefined;
    },
  };
}

export function isChanged(state: Pick<ServerState, "pinned">, { name, hash }: Definition): boolean {
  const pinned = state.pinned(name);
  return pinned !== undefined && (pinned === "unreadable" || pinned.hash !== hash);
}

export function hashOf({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool): string {
  return digestOf({ name, title, description, inputSchema, outputSchema, annotations });
}

const pinShape = z.object({
  hash: z.string(),
  tool: z.object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: z.record(z.string(), z.unknown()),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
    annotations: z.record(z.string(), z.unknown()).optional(),
  }),
});

export function pinText({ hash, tool }: Definition): string {
  return JSON.stringify({ hash, tool });
}

/** `unreadable` for anything but our own record; it approves nothing. */
export function readPin(text: string): ApprovedDefinition | "unreadable" {
  const { data } = pinShape.safeParse(parsedJson(text));
  return data !== undefined && hashOf(data.tool) === data.hash ? data : "unreadable";
}

/** Increase it when `Definition` changes for the same tool. */
const format = 4;
const mostKept = 900 * 1024;

export function keptText(definitions: readonly Definition[]): string | undefined {
  const body = JSON.stringify({ format, tools: definitions.map((definition) => [definition.name, definition]) });
  const text = `${sha256(body)}\n${body}`;
  return Buffer.byteLength(text) > mostKept ? undefined : text;
}

/** A cache: the server's real list is checked before a call. */
export function readKept(text = ""): readonly Definition[] | undefined {
  const [sum, body = ""] = text.split("\n", 2);
  const kept = sha256(body) === sum ? parsedJson(body) : undefined;
  if (!isRecord(kept) || kept.format !== format || !Array.isArray(kept.tools)) return undefined;
  return kept.tools.map(([, definition]) => definition);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
