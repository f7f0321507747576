import type { CommandReading, ShellWord } from "../programs/program-entry.ts";

const list = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const neverTake = list(
  ": true false echo printf pwd test [ cd pushd popd export local declare typeset set shopt break continue return shift hash umask ulimit wait jobs",
);
const takeWhenTold = list(
  "ls basename dirname stat du df tree find sleep seq uname whoami id groups which type realpath readlink nproc printenv date",
);
const takeWithoutFile = list(
  "cat head tail grep egrep fgrep sed awk wc sort uniq cut nl tac od xxd hexdump md5sum sha1sum sha256sum file jq diff cmp comm",
);
/** They read to the end: where a word vanishes and they read the input after all, nothing is left of it. */
const takeAll = list("cat wc sort tac md5sum sha1sum sha256sum");
const gitNeverTakes = list(
  "log show diff status branch blame ls-files ls-tree rev-parse rev-list describe tag remote merge-base grep",
);

/**
 * May the command take a part of its standard input? What is left then begins anywhere, and nobody knows what it
 * holds.
 */
export function mayTakeInput(words: readonly ShellWord[], { effects }: CommandReading): boolean {
  const name = words[0]?.value ?? "";
  if (neverTake.has(name)) return false;
  if (words.some(namesInput)) return true;
  if (name === "git") return !gitNeverTakes.has(words[1]?.value ?? "");
  if (takeWhenTold.has(name)) return words.some(({ value }) => /^-(?:exec|ok)/.test(value));
  if (!takeWithoutFile.has(name) || !effects.some(({ op }) => op === "read")) return true;
  return !takeAll.has(name) && words.some((word) => word.glob || word.unknown?.one === false);
}

/** `-`, a list of names or patterns in a file, a file that is no operand: `-f -`, `--files0-from=-`, `--slurpfile`. */
function namesInput({ value, unknown }: ShellWord): boolean {
  if (unknown !== undefined) return unknown.plain !== true && unknown.names === undefined && unknown.number !== true;
  return /^-$|^(?:-[a-zA-Z]+|-.*=)?\/(?:dev|proc)\/|^-[a-zA-Z]*f|^--(?:f|slurpfile|rawfile|argfile|stdin|batch|pathspec)/.test(
    value,
  );
}
