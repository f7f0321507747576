import { digestOf, sha256 } from "../../base/digest.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ServerEntry } from "../../contract/server/server.ts";
import { type Definition, type Pinned, pinText, readPin } from "./definitions.ts";
import { keptText, readKept } from "./kept-definitions.ts";

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
