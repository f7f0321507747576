import type { ShellWord } from "./shell-tree.ts";

/**
 * The value of a word, read a second time and independently of the parser: only plain characters, quotes and
 * escapes. Anything that bash would expand, and any doubt, gives the reason instead.
 */
export function readWord(text: string): ShellWord | { readonly why: string } {
  let value = "";
  let glob = false;
  let braced = false;
  let at = 0;
  const tilde = /^~(?:\/|$)/.test(text);
  if (text.startsWith("~") && !tilde) return { why: "~ with a name is expanded" };
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { why: "a quote is not closed" };
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      if ("why" in quoted) return quoted;
      value += quoted.value;
      at = quoted.end;
    } else if (character === "\\") {
      const next = text[at + 1];
      if (next === undefined) return { why: "it ends with a backslash" };
      // Joined lines can turn a word into the number of a redirection.
      if (next === "\n") return { why: "a word goes on in the next line" };
      value += next;
      at += 2;
    } else if (character === "$" && at + 1 === text.length) {
      value += character;
      at += 1;
    } else {
      if (expands.has(character)) return { why: `an unquoted ${character} is expanded` };
      if (character.charCodeAt(0) > 126) return { why: "it has unquoted characters outside ASCII" };
      if (character === "~" && /[=:]$/.test(text.slice(0, at))) return { why: "~ after = or : may be expanded" };
      if (character === "*" || character === "?" || character === "[") glob = true;
      if (character === "{") braced = true;
      if (braced && (character === "," || text.startsWith("..", at))) return { why: "braces are expanded" };
      value += character;
      at += 1;
    }
  }
  return { text, value, glob, tilde };
}

const expands: ReadonlySet<string> = new Set(["$", "`", "(", ")", "<", ">", "|", "&", ";", " ", "\t", "\n"]);

function readDoubleQuoted(
  text: string,
  start: number,
): { readonly value: string; readonly end: number } | { readonly why: string } {
  let value = "";
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    const next = text[at + 1] ?? "";
    if (character === '"') return { value, end: at + 1 };
    if (character === "`") return { why: "a command is substituted" };
    if (character === "$" && !/^["\s/|).,:%^~+=\]}]$/.test(next)) return { why: "an unescaped $ is expanded" };
    // A joined line may put a dollar in front of what it expands.
    if (character === "\\" && next === "\n") return { why: "a word goes on in the next line" };
    if (character === "\\" && '$`"\\'.includes(next) && next !== "") {
      value += next;
      at += 1;
    } else {
      value += character;
    }
  }
  return { why: "a quote is not closed" };
}

/** Characters that make a text read differently from what it does, or that bash and people split differently. */
export function disguise(text: string): string | undefined {
  if (!text.isWellFormed()) return "it is not valid Unicode";
  const found =
    /[^\P{C}\n\t]|[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|\p{Default_Ignorable_Code_Point}/u.exec(
      text,
    );
  if (found === null) return undefined;
  return `it contains the invisible character U+${found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Everything in a text that could be a word, whatever quotes and operators say. */
export function roughWords(text: string): readonly string[] {
  return text.split(/[^\w./:@%+=,-]+/).filter((word) => word !== "");
}
