import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { Door } from "../contract/app/door.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";

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
      return fail("bad_request", `${resource.uri} is not text. Only text can be sent.`, { field: "prompt" });
    }
    default:
      return fail("bad_request", `Prompt content of type ${block.type} is not supported.`, {
        field: "prompt",
      });
  }
}

export function wordsOf(parts: readonly PromptPart[]): string {
  return joined(parts.flatMap((part) => ("words" in part ? [part.words] : [])));
}

export function messageText(parts: readonly PromptPart[], withheld: ReadonlySet<Embedded>): string {
  const mark = (part: Embedded) => `[${withheld.has(part) ? "not attached" : "attached"}: ${shownAddress(part)}]`;
  return joined(parts.map((part) => ("words" in part ? part.words : mark(part))));
}

function joined(texts: readonly string[]): string {
  return texts.join("\n").trim();
}

export function shownAddress({ uri }: Embedded): string {
  return visibleText(uri.replace(/\s+/g, " "));
}

export function embeddedText(embedded: readonly Embedded[]): string {
  return embedded.map((one) => `Content of ${shownAddress(one)}:\n${fenced(one.text)}`).join("\n\n");
}

function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

interface AddressedFiles {
  readonly file?: string;
  readonly perhaps: readonly string[];
}

export function addressedFiles({ uri }: Embedded): Outcome<AddressedFiles> {
  const found = filesAt(uri);
  // Some programs stop reading a name at a zero byte.
  if (found !== undefined && ![found.file ?? "", ...found.perhaps].some((name) => name.includes("\0")))
    return ok(found);
  return fail("bad_request", "its address is not a file on this machine");
}

function filesAt(uri: string): AddressedFiles | undefined {
  const url = URL.parse(uri);
  // Some editors send a path instead of an address.
  if (url === null) return { file: uri, perhaps: shorterNames(uri) };
  if (url.protocol !== "file:") {
    // Editors have their own schemes for files, and `name.md:1` is a path that looks like an address.
    const names = [uri, decoded(url.pathname), url.searchParams.get("path") ?? ""].filter((name) => name !== "");
    return { perhaps: [...new Set(names.flatMap((name) => [name, ...shorterNames(name)]))] };
  }
  try {
    const file = fileURLToPath(url);
    return { file, perhaps: shorterNames(file) };
  } catch {
    return undefined;
  }
}

function shorterNames(name: string): readonly string[] {
  const last = name.lastIndexOf("/") + 1;
  const cut = [name.replace(/[#?][^#?]*$/, ""), name.slice(0, last) + upToSign(name.slice(last)), upToSign(name)];
  const names = [name, ...cut].flatMap((one) => [one, withoutLine(one), withoutLine(withoutLine(one))]);
  return [...new Set(names.map((one) => one.trim()))].filter((one) => one !== name && one !== "");
}

function upToSign(name: string): string {
  return name.replace(/[#?].*$/s, "");
}

function withoutLine(name: string): string {
  return name.replace(/:\d{1,9}(?:-\d{1,9})?$/, "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The texts of files that are denied to the model, with the reason. Files that would only ask may be attached. */
export async function withheldTexts(
  door: Pick<Door, "explain">,
  embedded: readonly Embedded[],
): Promise<ReadonlyMap<Embedded, string>> {
  const checked = await Promise.all(embedded.map(async (one) => [one, await whyClosed(door, one)] as const));
  return new Map(checked.flatMap(([one, why]) => (why === undefined ? [] : [[one, why] as const])));
}

async function whyClosed(door: Pick<Door, "explain">, embedded: Embedded): Promise<string | undefined> {
  const addressed = addressedFiles(embedded);
  if (!addressed.ok) return addressed.failure.message;
  const { file, perhaps } = addressed.value;
  for (const path of [...(file === undefined ? [] : [file]), ...perhaps]) {
    const { decision, reason, effects } = await door.explain({ tool: "read", input: { path } });
    const exists = effects.some((effect) => effect.op === "read" && ["file", "special"].includes(effect.path.kind));
    if (decision === "deny" && (exists || path === file)) return reason;
  }
  return undefined;
}
