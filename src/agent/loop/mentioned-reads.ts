import path from "node:path";
import { mentionsIn } from "../../base/text.ts";
import type { IntentInput } from "../../contract/intent.ts";
import type { Journey } from "../../session/journey.ts";

/** Of one message; further names stay words. */
const mostMentions = 20;

/** What a message names and what is there, as calls: files are read, directories listed. */
export function mentionedReads(
  { metadata, log }: Pick<Journey, "metadata" | "log">,
  message: string,
): readonly Pick<IntentInput, "tool" | "input">[] {
  const { workspace } = log.state;
  const kindOf = (name: string) => {
    try {
      return metadata.lstat(path.resolve(workspace, name))?.kind;
    } catch {
      // Too long for a name, or behind a directory that nobody may enter.
      return undefined;
    }
  };
  const found = new Map<string, "read" | "list">();
  for (const names of mentionsIn(message)) {
    const name = names.find((one) => kindOf(one) !== undefined);
    if (name !== undefined) found.set(name, kindOf(name) === "directory" ? "list" : "read");
    if (found.size === mostMentions) break;
  }
  return [...found].map(([name, tool]) => ({ tool, input: { path: name } }));
}
