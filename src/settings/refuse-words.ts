import path from "node:path";
import { createFiller } from "../contract/fill-variables.ts";
import { type Launch, readLaunch } from "../contract/launcher.ts";
import { type StdioServer, urlOfServer } from "../contract/server.ts";
import { interpretersIn } from "./command-code.ts";
import { discreetWord } from "./discreet-target.ts";
import { startAnother, wordsOfPackage, wordsOfProgram } from "./known-words.ts";
import { bindNames, type Refused, type Search } from "./named-files.ts";
import { givesOrders } from "./own-data.ts";
import { tellsPrograms } from "./refuse-environment.ts";
import { plainName, shells } from "./runtimes.ts";

/** A word with one of these is a program of its own, and may name anything in any way. */
const codeLike = /[\n;|&()<>"'`{}]/;
/** What many programs make other names of, and what only a shell does. */
const patternLike = /[*?[\]$\\!]|~[+-]/;
const shellLike = /[~#]/;
/** Npm quotes what it hands on to a shell, and some of its versions not these. */
const oddForNpm = /[$`\\]/;
/** `npx server postgresql://host/base?ssl=yes`: a package is given it as it is. */
const address = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/[^*[\]$\\!~]+$/i;
/** `uv run --with "mcp[cli]>=1.2,<2"`: no file is named like that. */
const takesPackages = /^(?:uv|uvx|pipx)$/;
const version = "(?:===?|[<>!~]=|[<>])[\\w.*]+";
const wanted = `[A-Za-z0-9][\\w.-]*(?:\\[[\\w,-]+\\])?(?:${version})?`;
const wantedPackages = new RegExp(`^(?:--(?:with|from)=)?${wanted}(?:,(?:${wanted}|${version}))*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: who reads an address drops them, and then it is another name.
const unprintable = /[\u0000-\u001f\u007f]/;
/** Perl and others make commands of the names of files that a script is given. */
const handsOn = /^(?:node|nodejs|tsx|python|pypy)$/;
/** Every word may be a name from any letter of it on: what is longer than any command line is not gone through. */
const mostWords = 200;
const mostPieces = 5_000;
const longestWord = 4_096;
const longestOption = 512;
/** So many words may stand before a program's own. */
const mostBefore = 20;

/** A key has lines. Where a variable tells programs something, each line could be something else. */
export function refuseUnprintable({ command, args = [], cwd = "", env = {} }: StdioServer): Refused | undefined {
  if ([command, ...args, cwd].some((text) => unprintable.test(text))) {
    return { why: "it has a character that cannot be seen" };
  }
  const odd = Object.entries(env).find(([name, value]) =>
    unprintable.test(tellsPrograms(name) ? value : value.replace(/\r?\n/g, "")),
  );
  return odd === undefined ? undefined : { why: `${odd[0]} has a character that cannot be seen` };
}

/** `named`: the words with what variables hold, and with the name that the program has on the machine. */
export function refuseCode(setting: StdioServer, named: readonly string[], search: Search): Refused | undefined {
  const forShell = named.some((word) => shells.has(path.basename(word)));
  const launch = readLaunch(setting, search.workspace)?.launch;
  const packages = launch?.packages ?? [];
  const isAddress = (word: string) => packages.length > 0 && !forShell && address.test(word);
  const takes = !forShell && takesPackages.test(path.basename(setting.command));
  const isGiven = forShell ? () => false : givenAsIs(setting, named, { search, launch });
  const words = [setting.command, ...(setting.args ?? [])];
  const odd = words.findIndex((word, at) => {
    // With its defaults: they are the project's words as well.
    const literal = createFiller({}).fill(word);
    const isNamed = !forShell && packages.some((name) => word === name || word.endsWith(`=${name}`));
    const isPackage = isNamed || (takes && wantedPackages.test(word));
    const isPattern = (patternLike.test(literal) && !isAddress(literal)) || (forShell && shellLike.test(literal));
    const isCode = codeLike.test(isAddress(literal) ? literal.replaceAll("&", "") : literal);
    return (isCode || isPattern) && !isPackage && !isGiven(literal, at) && !urlOfServer().safeParse(literal).success;
  });
  return odd === -1
    ? undefined
    : { why: `the word ${shownWord(words, odd)} could be more than a name`, byScript: true };
}

/** Is a word behind what is known to run handed to that as it stands, and no other program made of it? */
function givenAsIs(
  setting: StdioServer,
  named: readonly string[],
  { search, launch }: { readonly search: Search; readonly launch: Launch | undefined },
): (literal: string, at: number) => boolean {
  const ofPackage = wordsOfPackage(setting, search.workspace);
  const from = ofPackage ?? wordsOfProgram(setting, named, boundAlone(named, search));
  const [program = ""] = named;
  const takesAsIs =
    ofPackage !== undefined || interpretersIn([program]).length === 0 || handsOn.test(plainName(program));
  if (from === undefined || !takesAsIs) return () => false;
  return (literal, at) => {
    if (at < from || startAnother(named.slice(from, at + 1))) return false;
    if (ofPackage === undefined) return true;
    // Files that a package would find by itself, and load.
    const isOrder = [literal, named[at - 1] ?? ""].some(givesOrders) && patternLike.test(literal);
    return !isOrder && !(launch?.launcher === "npm" && oddForNpm.test(literal));
  };
}

/** With the words themselves bound, as far as they are files. */
function boundAlone(words: readonly string[], search: Search): Search {
  const alone = { ...search, found: new Map<string, string>() };
  const first = words.slice(0, mostBefore);
  const modules = first.map((word) => word.replaceAll(".", "/"));
  for (const word of [...first, ...modules.flatMap((word) => [`${word}.py`, `${word}/__main__.py`])]) {
    bindNames([word], alone);
  }
  return alone;
}

/** As lists show it, without what looks like a secret. */
export function shownWord(words: readonly string[], at: number): string {
  return JSON.stringify(discreetWord(words[at] ?? "", words[at - 1] ?? ""));
}

export function refuseAmount(words: readonly string[]): Refused | undefined {
  if (words.length > mostWords) return { why: `it has more than ${mostWords} words` };
  const pieces = words.flatMap((word) => word.split(/\s/));
  if (pieces.length > mostPieces) return { why: "it has too many words" };
  const isTooLong = (word: string) => word.length > (word.startsWith("-") ? longestOption : longestWord);
  return pieces.some(isTooLong) ? { why: "it has a word that is too long" } : undefined;
}
