import type { ContentBlock } from "@agentclientprotocol/sdk";
import { fail, type Outcome, ok } from "../contract/codes.ts";

/** What the person wrote, with what they put beside it. Text of files is named as such and stands apart. */
export function promptText(blocks: readonly ContentBlock[]): Outcome<string> {
  const parts: string[] = [];
  for (const block of blocks) {
    const part = partText(block);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  const text = parts.join("\n").trim();
  return text === "" ? fail("bad_request", "The prompt is empty.") : ok(text);
}

function partText(block: ContentBlock): Outcome<string> {
  switch (block.type) {
    case "text":
      return ok(block.text);
    case "resource_link":
      return ok(`[${block.name}](${block.uri})`);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return ok(`Content of ${resource.uri}:\n${fenced(resource.text)}`);
      return fail("bad_request", `${resource.uri} is no text, and only text can be sent.`);
    }
    default:
      return fail("bad_request", `A prompt with content of the kind ${block.type} cannot be sent.`);
  }
}

/** A fence that the text itself does not have. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
