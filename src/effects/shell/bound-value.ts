import { matchedLinks, patternDirectory } from "../../programs/match-pattern.ts";
import type { ShellWord } from "../../programs/program-entry.ts";
import { someCommit, someText, type Value } from "./shell-state.ts";
import type { Walk } from "./walk.ts";

/** What one of the words is that a word becomes, for whoever takes them one by one: a loop, an array. */
export function boundValue(word: ShellWord, cwd: string, { view }: Pick<Walk, "view">): Value {
  if (word.unknown !== undefined) {
    const { names, number, commit, mayBeEmpty: _never, ...rest } = word.unknown;
    if (rest.one) return word.unknown;
    if (commit) return someCommit;
    return { one: true, ...(names === undefined ? {} : { names }), ...(number ? { number } : {}) };
  }
  const text = word.tilde ? view.workspace.home + word.value.slice(1) : word.value;
  if (!word.glob) return { text };
  const directory = patternDirectory(text, cwd);
  const links = directory === undefined ? undefined : matchedLinks(text, { view, cwd });
  if (directory === undefined || links === undefined || links.length > 0) return someText;
  const prefix = text.slice(0, text.search(/[*?[]/));
  const plain = prefix !== "" && !prefix.startsWith("-");
  return { one: true, names: [directory], ...(plain ? { plain, prefix } : {}) };
}
