import { type Outcome, ok } from "../../contract/codes.ts";
import { digestOf, sha256 } from "../../contract/digest.ts";
import type { ServerEntry } from "../../contract/server.ts";
import { type Definition, keptText, type Pinned, pinText, readKept, readPin } from "./definitions.ts";

/** Small private files of ours, by relative name. */
export interface StateFiles {
  /** `undefined` when there is none. */
  read(name: string): Outcome<string | undefined>;
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
export function serverState(entry: ServerEntry, workspace: string, files: StateFiles): ServerState {
  const directory = `${entry.name.replace(/[^A-Za-z0-9_-]/g, "_")}-${digestOf([entry.name, entry.setting, workspace]).slice(0, 16)}`;
  /** Looked at with every call of a tool, and parsed when it says something else. */
  const parsed = new Map<string, { readonly text: string; readonly pin: ReturnType<typeof readPin> }>();
  const pinFile = (tool: string) => `${directory}/agreed-${sha256(tool).slice(0, 32)}.json`;
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
      const read = files.read(pinFile(tool));
      if (!read.ok) return "unreadable";
      const text = read.value;
      if (text === undefined) return undefined;
      const last = parsed.get(tool);
      if (last?.text === text) return last.pin;
      const pin = readPin(text);
      parsed.set(tool, { text, pin });
      return pin;
    },
    pin(definition) {
      const { tool, hash } = definition;
      const before = this.pinned(tool.name);
      if (typeof before === "object" && before.hash === hash) return ok(undefined);
      return files.write(pinFile(tool.name), pinText(definition));
    },
  };
}
