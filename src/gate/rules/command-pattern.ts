import { compileName, type NameGlob } from "../../base/name-glob.ts";
import type { EffectPart, PlainForm } from "../../contract/effect.ts";
import { baseName } from "../../programs/given-program.ts";
import { looseWords } from "../../shell/command-text.ts";

/** The content of `Bash(…)`. Matched against one simple command at a time, never against a whole list. */
export type CommandPattern =
  | { readonly kind: "every" }
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  /** `within` finds the pattern in a text padded with blanks, at the start of any word or program name. */
  | { readonly kind: "wildcard"; readonly text: string; readonly glob: Record<"whole" | "within", NameGlob> }
  | { readonly kind: "exact"; readonly text: string; readonly words: readonly string[] | undefined };

export function compileCommand(text: string): CommandPattern | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: "the command is empty" };
  if (trimmed === "*" || trimmed === ":*") return { kind: "every" };
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(trimmed)?.[1];
  if (prefix !== undefined && !hasStar(prefix)) {
    if (/["'\\]/.test(prefix)) return { problem: "a prefix is compared word by word, so it cannot hold quotes" };
    return { kind: "prefix", words: prefix.split(/\s+/) };
  }
  if (/:\*/.test(trimmed)) return { problem: ":* is valid only at the end of a prefix without another *" };
  if (hasStar(trimmed)) {
    const glob = trimmed.replace(/[?[\]]/g, "\\$&");
    return {
      kind: "wildcard",
      text: trimmed,
      glob: { whole: compileName(glob), within: compileName(`*[ /]${glob} *`) },
    };
  }
  const literal = withoutEscapes(trimmed);
  return { kind: "exact", text: literal, words: /["'\\]/.test(literal) ? undefined : literal.split(/\s+/) };
}

/** All words must be known. A pattern with `$` allows nothing exactly: its meaning depends on the context. */
export function allowsCommand(pattern: CommandPattern, part: EffectPart): boolean {
  const { words } = part;
  if (words === undefined || part.given) return false;
  if (pattern.kind === "exact" && (part.openEnded || /[$`]/.test(pattern.text))) return false;
  return matchesWords(pattern, words) || (pattern.kind === "exact" && pattern.text === part.text);
}

export function isWholeCommand(pattern: CommandPattern, text: string): boolean {
  return pattern.kind === "exact" && pattern.text === text.trim();
}

/** For deny and ask: matches loosely, and anywhere in a part that could not be analysed. */
export function guardsCommand(pattern: CommandPattern, part: EffectPart): boolean {
  if (pattern.kind === "exact" && pattern.text === part.text) return true;
  const words = part.words ?? looseWords(part.text);
  const [program = "", ...rest] = words;
  const named = [baseName(program), ...rest];
  if (matchesWords(pattern, words) || matchesWords(pattern, named)) return true;
  const open = part.effects.some((effect) => effect.op === "unknown");
  if ((part.alsoAs ?? [named]).some((form) => matchesForm(pattern, form, open))) return true;
  return open && occursIn(pattern, words.flatMap((word) => word.split(/[\s;|&()`$<>]+/)).filter(Boolean));
}

function matchesForm(pattern: CommandPattern, form: PlainForm, open: boolean): boolean {
  switch (pattern.kind) {
    case "every":
      return true;
    case "prefix":
      return followsLoosely(pattern.words, form, { to: "anywhere" });
    case "exact":
      return pattern.words !== undefined && followsLoosely(pattern.words, form, { to: open ? "anywhere" : "options" });
    case "wildcard": {
      const text = (words: PlainForm) => words.map((word) => (typeof word === "string" ? word : "…")).join(" ");
      const plain = form.filter((word, at) => at === 0 || typeof word !== "string" || !word.startsWith("-"));
      if (pattern.glob.whole.matches(text(form)) || pattern.glob.whole.matches(text(plain))) return true;
      if (form.slice(0, 2).every((word) => typeof word === "string")) return false;
      const fixed = pattern.text.split(/\s+/);
      return followsLoosely(fixed.slice(0, fixed.findIndex(hasStar)), form, { to: "anywhere" });
    }
  }
}

function followsLoosely(
  pattern: readonly string[],
  words: PlainForm,
  { to, from = "start" }: { readonly to: "anywhere" | "options"; readonly from?: "start" | "anywhere" },
): boolean {
  const all = pattern.length;
  const ends = (count: number) => count === all && to === "anywhere";
  // The numbers of pattern words that may have matched so far, before and after the next word.
  let here: ReadonlySet<number> = new Set([0]);
  let later: ReadonlySet<number> = new Set();
  for (const [at, word] of words.entries()) {
    if (here.size === 0 && later.size === 0 && from === "start") return false;
    const next = new Set(later);
    const behind = new Set<number>();
    for (const found of from === "anywhere" ? new Set([...here, 0]) : here) {
      if (ends(found)) return true;
      const wanted = pattern[found];
      const known = typeof word === "string";
      if (!known && word.many) return true;
      if (known ? word === wanted || (found === 0 && baseName(word) === wanted) : fits(wanted, at)) next.add(found + 1);
      // A single word is often not a sub-command: the words after its options may decide what it does.
      const passes = found === all ? all > 1 : found > 0;
      if (passes && (!known || word.startsWith("-"))) {
        next.add(found);
        behind.add(found);
      }
    }
    here = next;
    later = behind;
  }
  return here.has(all);
}

function fits(wanted: string | undefined, at: number): boolean {
  return wanted !== undefined && (at === 0 || !wanted.startsWith("-"));
}

/** Whether the pattern occurs anywhere among these words: the end of a command is unknown too. Linear. */
function occursIn(pattern: CommandPattern, words: readonly string[]): boolean {
  switch (pattern.kind) {
    case "every":
      return words.length > 0;
    case "wildcard":
      return pattern.glob.within.matches(` ${words.join(" ")} `);
    case "prefix":
      return followsLoosely(pattern.words, words, { to: "anywhere", from: "anywhere" });
    case "exact": {
      const wanted = pattern.words ?? pattern.text.split(/[^\w./:@%+=,*-]+/);
      return followsLoosely(wanted, words, { to: "anywhere", from: "anywhere" });
    }
  }
}

function matchesWords(pattern: CommandPattern, words: readonly string[]): boolean {
  switch (pattern.kind) {
    case "every":
      return true;
    case "prefix":
      return pattern.words.length <= words.length && pattern.words.every((word, index) => word === words[index]);
    case "wildcard":
      return pattern.glob.whole.matches(words.join(" "));
    case "exact":
      return pattern.words?.length === words.length && pattern.words.every((word, index) => word === words[index]);
  }
}

export function escapeCommand(text: string): string {
  return text.replaceAll("*", "\\*");
}

function hasStar(text: string): boolean {
  return /(?<!\\)\*/.test(text);
}

function withoutEscapes(text: string): string {
  return text.replaceAll("\\*", "*");
}
