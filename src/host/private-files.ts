import { rmSync, statSync } from "node:fs";
import { messageOf } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { readSmallText } from "./read-small-text.ts";
import { updatePrivateText } from "./update-private-text.ts";

/** Small texts in a directory of ours, readable by nobody else. Names are ours as well. */
export interface PrivateFiles {
  /** `undefined` when there is none. */
  read(name: string): Outcome<string | undefined>;
  /** As long as it is the same, so is the text. `undefined` when there is none. */
  stamp(name: string): Outcome<string | undefined>;
  write(name: string, text: string): Outcome<void>;
  remove(name: string): Outcome<void>;
}

export function privateFiles(directory: string): PrivateFiles {
  const fileOf = (name: string) => `${directory}/${name}`;
  return {
    read(name) {
      try {
        return ok(readSmallText(fileOf(name)));
      } catch (error) {
        return fail("tool_failed", `${fileOf(name)} cannot be read: ${messageOf(error)}`);
      }
    },
    stamp(name) {
      try {
        const stat = statSync(fileOf(name), { bigint: true, throwIfNoEntry: false });
        return ok(
          stat === undefined ? undefined : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`,
        );
      } catch (error) {
        return fail("tool_failed", `${fileOf(name)} cannot be read: ${messageOf(error)}`);
      }
    },
    write: (name, text) => updatePrivateText(fileOf(name), () => ok(text)),
    remove(name) {
      try {
        rmSync(fileOf(name), { force: true });
        return ok(undefined);
      } catch (error) {
        return fail("tool_failed", `${fileOf(name)} cannot be removed: ${messageOf(error)}`);
      }
    },
  };
}
