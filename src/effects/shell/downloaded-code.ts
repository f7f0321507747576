import { basename, join } from "node:path/posix";
import { type EffectPart, isFileEffect } from "../../contract/effect.ts";
import type { EffectView } from "../../contract/ports.ts";
import { baseName, type GivenProgram, type GivenWord, givenPrograms, runsInput } from "../../programs/given-program.ts";
import { isInterpreter } from "../../programs/interpreters.ts";
import { matchesName } from "../../programs/match-name.ts";
import { clientNames, downloaders } from "../../programs/network.ts";
import { runsBehind } from "../../programs/wrappers.ts";
import type { Brought } from "./brought.ts";
import type { ForEach, Group, Opaque, ShellRedirect, SimpleCommand, WordTemplate } from "./shell-tree.ts";
import { demandSavedRule, type Found, type Walk } from "./walk.ts";

/** Is what it prints, or writes, what was downloaded? */
export function brings({ part, brings: told }: Found, { brought }: Pick<Walk, "brought">): boolean {
  return told === true || downloads(part) || readPaths(part).some((path) => brought.files.has(path));
}

/** What a simple command carries in its words before it runs: its parameters, and what it sets. */
export function noteCarried(node: SimpleCommand, substituted: readonly Found[], walk: Walk): void {
  const { variables } = walk.brought;
  const carries = carrier(node, substituted, walk);
  for (const { name, value, elements } of node.assignments) {
    if ([value, ...(elements ?? []).map((element) => element.value)].some(carries)) variables.add(name);
  }
  for (const word of node.words.filter(carries)) {
    const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(word.text) ?? [];
    for (const one of name === undefined ? parameters : [name]) variables.add(one);
  }
  if (!node.redirects.some(carriesInput(carries)) && !walk.downloaded) return;
  const [command, ...rest] = node.words.map(({ text }) => text);
  if (command !== undefined && takesLines.has(command)) for (const name of rest) variables.add(name);
}

/** `for line in $(curl …)`. */
export function noteListed({ name, words }: ForEach, substituted: readonly Found[], walk: Walk): void {
  const text = words.map((word) => word.text).join(" ");
  if (words.some(carrier({ text }, substituted, walk))) walk.brought.variables.add(name);
}

const parameters = [..."0123456789@*"];
const takesLines: ReadonlySet<string> = new Set(["read", "mapfile", "readarray"]);

/**
 * Behind a command: what it left is noted, and a program that the same text downloaded needs a saved rule. `from` is
 * where the findings of the command begin, `substituted` what ran before it for its words.
 */
export function settleSimple(node: SimpleCommand, from: number, substituted: readonly Found[], walk: Walk): void {
  // Where nothing but assignments stands, they were carried out one by one.
  if (node.words.length === 0) noteCarried(node, walk.found.slice(from), walk);
  const carries = carrier(node, substituted, walk);
  const fed = isFed(node.redirects, carries, walk.found.slice(from), walk);
  const carried = node.words.some(carries);
  settle(from, { fed, runs: carried && runsCarried(node, carries), carries: fed || carried }, walk);
}

/** `sh -c "$(curl …)"` and `bash <(curl …)`, but not `node run.js "$(curl …)"`. */
function runsCarried({ words }: SimpleCommand, carries: (template: WordTemplate) => boolean): boolean {
  const given = words.map((word): GivenWord => ({ ...rawWord(word), brought: carries(word) }));
  const programs = givenPrograms(given, { looked: true });
  return programs.some((program) => program.from !== "input" && program.word.brought === true);
}

/** Where nobody looked into the text, every command that was seen in it may be the one that is fed. */
export function settleOpaque(node: Opaque, from: number, walk: Walk): void {
  settle(from, { fed: walk.downloaded, runs: substitutesDownload(node), carries: walk.downloaded }, walk);
}

/** Do the redirections of a group feed its commands something that was downloaded? */
export function feedsDownload({ redirects }: Group, found: readonly Found[], walk: Walk): boolean {
  const text = redirects.map((redirect) => redirect.text).join(" ");
  return isFed(redirects, carrier({ text }, found, walk), found, walk);
}

/** What a group writes by its redirections is what its commands print. */
export function noteRedirected(redirected: readonly Found[], group: readonly Found[], walk: Walk): void {
  if (!group.some((found) => brings(found, walk))) return;
  for (const found of redirected) noteWritten(found, walk.brought);
}

/** `sh -c "$(curl …)"`, `bash <(curl …)`, `$(curl …)`: both were seen inside something that was not understood. */
function substitutesDownload({ inside }: Opaque): boolean {
  return (
    inside.some(({ words }) => namesDownloader(words)) &&
    inside.some(({ words }) => isAmongPrograms(words, (word) => isInterpreter(baseName(word)) || /^"?[$`]/.test(word)))
  );
}

function settle(
  from: number,
  known: { readonly fed: boolean; readonly runs: boolean; readonly carries: boolean },
  walk: Walk,
): void {
  const own = walk.found.splice(from);
  const runs = known.runs || own.some((found) => runsBrought(found, known.fed, walk));
  const carries = known.carries || own.some((found) => brings(found, walk));
  if (carries) for (const found of own) noteWritten(found, walk.brought);
  const told = carries ? own.map((found): Found => ({ ...found, brings: true })) : own;
  walk.found.push(...(runs ? told.map(demandSavedRule) : told));
}

function runsBrought({ part, programs = [] }: Found, fed: boolean, walk: Walk): boolean {
  const { files } = walk.brought;
  if (part.effects.some((effect) => effect.op === "exec" && files.has(effect.program))) return true;
  return programs.some((program) => (fed && runsInput(program)) || isBrought(program, part, walk));
}

/** `deno run https://…` brings its program itself. */
function isBrought(program: GivenProgram, { cwd }: EffectPart, { brought, view }: Walk): boolean {
  if (program.from === "input") return false;
  const { value, certain, glob } = program.word;
  if (program.from === "text") return program.language === "unread" && mentions(value, brought.variables);
  if (!certain) return false;
  if (/^https?:\/\//i.test(value)) return true;
  if (brought.files.size === 0 && brought.names.size === 0) return false;
  const name = basename(value);
  const alike = (file: string) => (glob === true ? matchesName(name, basename(file)) : isNamed(basename(file), name));
  if ([...brought.names].some(alike)) return true;
  const near = [...brought.files].filter(alike);
  if (near.length === 0 || cwd === undefined || glob === true) return near.length > 0;
  const path = resolved(value, cwd, view);
  return path === undefined || near.some((file) => isNamed(file, path));
}

function mentions(text: string, variables: ReadonlySet<string>): boolean {
  return [...text.matchAll(/\$\{?(\w+|[@*])/g)].some(([, name = ""]) => variables.has(name));
}

/** `node x` may run `x.mjs`. */
function isNamed(file: string, name: string): boolean {
  return file === name || file.replace(/\.(?:[cm]?[jt]sx?|node)$/, "") === name;
}

function resolved(value: string, cwd: string, view: EffectView): string | undefined {
  const found = view.resolve(value, cwd);
  return found.ok ? found.value.resolved : undefined;
}

function noteWritten({ part, programs = [] }: Found, { files, names }: Brought): void {
  const { words = [], effects, text } = part;
  const sources = [...words.filter(isAddress), ...readPaths(part)].map(lastName).filter((name) => name !== "");
  for (const effect of effects) {
    if (!isFileEffect(effect) || effect.op !== "write") continue;
    files.add(effect.path.resolved);
    if (effect.path.kind !== "file") for (const name of sources) files.add(join(effect.path.resolved, name));
  }
  if (effects.some(({ op }) => op === "unknown") || namesDownloader(words, otherClients)) {
    const written = part.words === undefined ? [text.replace(/^\d?[<>|&]+\s*/, "")] : words.slice(1);
    // Its own program is not what it writes.
    const own = new Set(programs.flatMap((program) => (program.from === "file" ? [program.word.value] : [])));
    for (const word of written) if (/^[^-$]/.test(word) && !own.has(word)) names.add(lastName(word));
  }
}

/** Which files they leave is not in their effects. */
const otherClients: ReadonlySet<string> = new Set([...downloaders].filter((name) => !/^(?:curl|wget|scp)$/.test(name)));

function lastName(word: string): string {
  return basename(word.replace(/[?#].*$/, "").replace(/^[^/]*:(?!\/\/)/, ""));
}

function isAddress(word: string): boolean {
  return /^[^-/][^/]*:/.test(word);
}

function downloads({ effects, words }: EffectPart): boolean {
  if (words === undefined) return false;
  const connects = effects.some(({ op }) => op === "connect");
  return namesDownloader(words, connects ? clientNames : downloaders);
}

function namesDownloader(words: readonly string[], among: ReadonlySet<string> = downloaders): boolean {
  return isAmongPrograms(words, (word) => among.has(baseName(word)));
}

/** Of a command, or of one that runs another: `sudo -u x curl`, `A=b env curl`. */
function isAmongPrograms(words: readonly string[], isIt: (word: string) => boolean): boolean {
  for (const [at, word] of words.entries()) {
    if (isIt(word)) return true;
    const leads = runsBehind.has(baseName(word)) || /^-|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(word);
    if (!leads && words[at - 1]?.startsWith("-") !== true) return false;
  }
  return false;
}

function readPaths({ effects }: EffectPart): readonly string[] {
  return effects.flatMap((effect) => (effect.op === "read" ? [effect.path.resolved] : []));
}

function readsBrought(found: readonly Found[], { brought }: Walk): boolean {
  return found.some(({ part }) => readPaths(part).some((path) => brought.files.has(path)));
}

function rawWord({ text, pieces }: WordTemplate): GivenWord {
  const certain = pieces.every((piece) => piece.kind === "text");
  return { value: certain ? pieces.map((piece) => piece.value).join("") : text, certain };
}

/** Is something in a word that was downloaded? */
function carrier(
  { text }: Pick<SimpleCommand, "text">,
  substituted: readonly Found[],
  walk: Walk,
): (template: WordTemplate) => boolean {
  const { variables } = walk.brought;
  // What could not be carried out was not found either.
  const isFetched = () =>
    substituted.some((found) => brings(found, walk)) ||
    text.split(/[\s;|&()`'"<]+/).some((word) => downloaders.has(word));
  return ({ pieces }) =>
    pieces.some((piece) => {
      if (piece.kind === "command") return isFetched();
      return (piece.kind === "variable" || piece.kind === "array") && variables.has(piece.name);
    });
}

function carriesInput(carries: (template: WordTemplate) => boolean): (redirect: ShellRedirect) => boolean {
  return (redirect) => {
    if (redirect.kind === "input") return carries(redirect.content);
    return (redirect.kind === "read" || redirect.kind === "change") && carries(redirect.target);
  };
}

function isFed(
  redirects: readonly ShellRedirect[],
  carries: (template: WordTemplate) => boolean,
  found: readonly Found[],
  walk: Walk,
): boolean {
  if (redirects.some(carriesInput(carries))) return true;
  const ownInput = redirects.some(({ kind, descriptor }) => descriptor === 0 && kind !== "copy");
  return ownInput ? readsBrought(found, walk) : walk.downloaded;
}
