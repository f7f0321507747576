/**
 * What can be shown of a call whose arguments still stream: the fields that are complete in a few words, and the end
 * of the one that is being written. Only for looking at: nothing is decided by it.
 */
export interface PartialInput {
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** The text that is being written, decoded. */
  readonly writing: { readonly name: string; readonly text: string } | undefined;
}

const longFields = new Set(["content", "new_string", "patch", "command"]);

export function partialInput(json: string): PartialInput {
  const fields: { name: string; value: string }[] = [];
  let writing: PartialInput["writing"];
  for (const [, name = "", string, other] of json.matchAll(
    /"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*"?)|([^",}\]]+))/g,
  )) {
    const value = string ?? other?.trim() ?? "";
    const complete = string === undefined || /(?:^|[^\\])(?:\\\\)*"$/.test(string);
    if (complete && !longFields.has(name)) fields.push({ name, value: decode(value.replace(/"$/, "")) });
    else writing = { name, text: decode(value.replace(/"$/, "")) };
  }
  return { fields, writing };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** A last escape that is not complete yet is left out. */
function decode(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|u[0-9a-fA-F]{0,3}$|(.)|$)/g, (_all, hex?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return character === undefined ? "" : (escapes[character] ?? character);
  });
}
