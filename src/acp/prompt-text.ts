import type { ContentBlock } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

/** What the person wrote, or a text that they put beside it, under its address. */
export type PromptPart = { readonly words: string } | Embedded;

export interface Embedded {
  readonly uri: string;
  readonly text: string;
}

export function promptParts(blocks: readonly ContentBlock[]): Outcome<readonly PromptPart[]> {
  const parts: PromptPart[] = [];
  for (const block of blocks) {
    const part = partOf(block);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  const isEmpty = parts.every((part) => "words" in part && part.words.trim() === "");
  return isEmpty ? fail("bad_request", "The prompt is empty.", { field: "prompt" }) : ok(parts);
}

function partOf(block: ContentBlock): Outcome<PromptPart> {
  switch (block.type) {
    case "text":
      return ok({ words: block.text });
    case "resource_link":
      return ok({ words: `[${block.name}](${block.uri})` });
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return ok({ uri: resource.uri, text: resource.text });
      return fail("bad_request", `${resource.uri} is no text, and only text can be sent.`, { field: "prompt" });
    }
    default:
      return fail("bad_request", `A prompt with content of the kind ${block.type} cannot be sent.`, {
        field: "prompt",
      });
  }
}

/** Without what stands beside it: only what was written can be a command. */
export function wordsOf(parts: readonly PromptPart[]): string {
  return joined(parts.flatMap((part) => ("words" in part ? [part.words] : [])));
}

/** With a mark where each text stands that is sent beside it, or not sent at all. */
export function messageText(parts: readonly PromptPart[], withheld: ReadonlySet<Embedded>): string {
  return joined(parts.map((part) => ("words" in part ? part.words : mark(part, withheld))));
}

export function marksOf(embedded: readonly Embedded[], withheld: ReadonlySet<Embedded>): string {
  return joined(embedded.map((one) => mark(one, withheld)));
}

function joined(texts: readonly string[]): string {
  return texts.join("\n").trim();
}

function mark(embedded: Embedded, withheld: ReadonlySet<Embedded>): string {
  return `[${withheld.has(embedded) ? "not attached" : "attached"}: ${shownAddress(embedded)}]`;
}

/** In one line, with whatever it hides made visible. */
export function shownAddress({ uri }: Embedded): string {
  return visibleText(uri.replace(/\s+/g, " "));
}

/** Each under its address, apart from the others. */
export function embeddedText(embedded: readonly Embedded[]): string {
  return embedded.map((one) => `Content of ${shownAddress(one)}:\n${fenced(one.text)}`).join("\n\n");
}

/** A fence that the text itself does not have. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
