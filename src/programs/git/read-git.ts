import { resolve } from "node:path/posix";
import type { Effect } from "../../contract/effect.ts";
import { secretQueryReason } from "../../effects/secret-query.ts";
import { listed, setOf } from "../flag-lists.ts";
import { isDevice, pathEffect, roleEffects } from "../path-operands.ts";
import type { CommandReading, ProgramEntry, ShellWord, Site } from "../program-entry.ts";
import { readArguments } from "../read-arguments.ts";
import { isLiteral, notUnderstood, plainWord } from "../readings.ts";
import { subCommandsOf, takesValue } from "../sub-commands.ts";
import { type GitCommand, gitCommands } from "./commands.ts";
import { findRepository, type GitPlace } from "./find-repository.ts";
import { type GitLoss, gitLosses } from "./losses.ts";
import { isPattern, isThere, pathspec, remoteHost, revisionOrPath, storedPaths } from "./operands.ts";
import { isGitVerb } from "./verbs.ts";

export const git: ProgramEntry = {
  names: ["git"],
  verbatim: true,
  operands: ({ words }, place) => readGit(words, place),
};

/** What a git command would touch. `all` are the words behind `git`. */
export function readGit(all: readonly ShellWord[], place: Site): CommandReading {
  const { words, cwd, why } = readGlobal(all, place);
  const [command, ...rest] = words;
  if (command === undefined || !isLiteral(command)) return notUnderstood(why ?? "git without a plain sub-command");
  const here = { ...place, cwd };
  const isPath = (word: ShellWord) => isThere(word, here);
  const loss = gitLosses.find((entry) => entry.command === command.value && entry.when(rest, isPath));
  if (loss !== undefined) return lose(loss, words, here, why);
  if (why !== undefined) return notUnderstood(why);
  const repository = findRepository(here);
  if ("why" in repository) return notUnderstood(repository.why);
  const at: GitPlace = { ...here, ...repository };
  let reason = `git ${command.value} is not a known command`;
  for (const found of rowsFor(words)) {
    if (found.name === "git config") return readConfig(found, at);
    const call = splitWords(found);
    const read = "why" in call ? call : found.row.does === "reads" ? readOnly(call, at) : readChange(call, at);
    if (!("why" in read)) return read;
    reason = read.why;
  }
  return notUnderstood(reason);
}

type Unclear = { readonly why: string };

/** The rows of a call: those for two words first, and those that read before those that write. */
function rowsFor(words: readonly ShellWord[]) {
  return [2, 1].flatMap((length) => {
    const name = ["git", ...words.slice(0, length).map(({ value }) => value)].join(" ");
    const rows = words.length < length ? [] : (byName.get(name) ?? []);
    return rows.map((row) => ({ row, name, rest: words.slice(length) }));
  });
}

const byName = new Map<string, GitCommand[]>();
for (const row of gitCommands) {
  for (const name of row.names) byName.set(name, [...(byName.get(name) ?? []), row]);
}

const harmlessGlobal = new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]);
/** Settings that change only how output looks. */
const harmlessSetting =
  /^(?:core\.pager=cat|core\.quotepath=(?:true|false|on|off)|(?:color\.(?:ui|status|diff|branch)|advice\.\w+)=(?:true|false|always|never|auto)|log\.date=\w+)$/i;

/** `why`: a flag before the sub-command chooses configuration, programs or another repository. */
function readGlobal(all: readonly ShellWord[], place: Site) {
  let { cwd } = place;
  let why: string | undefined;
  let at = 0;
  for (let word = all[at]; word !== undefined; word = all[at]) {
    if (!isLiteral(word) || !word.value.startsWith("-") || word.value === "--version" || word.value === "-v") break;
    const value = all[at + 1];
    at += takesValue(word.value, subCommandsOf.get("git")) ? 2 : 1;
    if (harmlessGlobal.has(word.value)) continue;
    if (word.value === "-c" && value?.unknown === undefined && harmlessSetting.test(value?.value ?? "")) continue;
    const entered = word.value === "-C" ? enter(value, { ...place, cwd }) : undefined;
    if (entered !== undefined) cwd = entered;
    else why ??= `git ${word.text} before the sub-command`;
  }
  return { words: all.slice(at), cwd, why };
}

/** `-C` goes where `cd` would go. */
function enter(target: ShellWord | undefined, place: Site): string | undefined {
  if (target === undefined || !isLiteral(target) || target.tilde || target.value === "") return undefined;
  const found = place.view.resolve(target.value, place.cwd);
  const isPlain = found.ok && found.value.kind === "directory";
  return isPlain && found.value.resolved === resolve(place.cwd, target.value) ? found.value.resolved : undefined;
}

function lose(loss: GitLoss, words: readonly ShellWord[], place: Site, why: string | undefined): CommandReading {
  const [command, ...rest] = words;
  const repository = why === undefined ? findRepository(place) : { why };
  const isRemoval = command?.value === "worktree" && rest[0]?.value === "remove";
  const trees = isRemoval ? rest.slice(1).filter((word) => isLiteral(word) && !word.value.startsWith("-")) : [];
  const effects: readonly Effect[] =
    "why" in repository
      ? [{ op: "unknown", why: repository.why }]
      : [
          execOf(words),
          ...(isGitVerb("talks", command?.value) ? [aRemote] : storedPaths(rest, { ...place, ...repository })),
          ...trees.map((tree) => pathEffect("write", tree, "tree", place)),
        ];
  const reason = `git ${command?.value} ${loss.why}`;
  return { effects, reason, ...(loss.asks ? { losesWork: true } : { needsSavedRule: true }) };
}

const aRemote: Effect = { op: "connect", host: "the git remote" };

interface GitCall {
  readonly row: GitCommand;
  readonly name: string;
  readonly words: readonly ShellWord[];
  readonly given: ReadonlySet<string>;
  readonly texts: readonly { readonly flag: string; readonly word: ShellWord }[];
  /** Files or objects that stand in one word with a flag. */
  readonly attached: readonly ShellWord[];
  readonly operands: readonly ShellWord[];
  /** Operands from here on stood after `--`. */
  readonly literalFrom: number;
}

/** Flags whose value in the same word is a file or an object. */
const namesObject = setOf(
  "-F -C -c -t -s --file --template --contents --ignore-revs-file --source --reuse-message --reedit-message --onto",
);

function splitWords({ row, name, rest: words }: ReturnType<typeof rowsFor>[number]): GitCall | Unclear {
  const call = readArguments(entryOf(row), name, words);
  if ("why" in call) return call;
  const { flags: given, values, operands, literalFrom } = call;
  // Where a command only reads, no word with a dash can hide as the value of another or behind `--`.
  const apart = row.does === "writes" ? [] : [...operands, ...values.map(({ word }) => word)];
  const hidden = apart.find((word) => words.includes(word) && isLiteral(word) && /^-./s.test(word.value));
  const wide = operands.slice(0, literalFrom).find((word) => word.glob && /^[*?[]/.test(word.value));
  const odd = hidden ?? wide;
  if (odd !== undefined) return { why: `${odd.text} may become a flag of ${name}` };
  const isText = ({ flag }: { readonly flag: string }) => row.flags.get(flag) === "text";
  const attached = values.filter((one) => namesObject.has(one.flag) && !isText(one)).map(({ word }) => word);
  return { row, name, words, given, texts: values.filter(isText), attached, operands, literalFrom };
}

function entryOf({ names, flags, needs }: GitCommand): ProgramEntry {
  const kinds = Object.groupBy([...flags.keys()], (flag) => {
    const kind = flags.get(flag);
    return kind === "plain" && flag.startsWith("--") ? "attached" : (kind ?? "plain");
  });
  const values = Object.fromEntries((kinds.text ?? []).map((flag) => [flag, "text" as const]));
  return { names, flags: kinds.plain, optional: kinds.attached, values, count: flags.has("-n"), needs, operands: {} };
}

function readOnly(call: GitCall, place: GitPlace): CommandReading | Unclear {
  const { row, name, words, given, texts, operands } = call;
  const values = operands.map(({ value }) => value);
  if (row.unless?.(values, given)) return { why: `${name} ${values.join(" ")} changes something` };
  // `%G?` runs a program that checks signatures; `%(raw)` prints what is neither a commit nor a tag.
  const odd =
    words.find(({ value }) => /%[-+ ]?G|%\(signature|%\(\*?raw(?!:size)/.test(value)) ??
    texts.find(({ flag, word }) => flag === "--format" && word.unknown !== undefined)?.word;
  if (odd !== undefined) return { why: `${odd.text} makes ${name} show more than is analysed` };
  const touched = operandEffects(call, place);
  if ("why" in touched) return touched;
  const { root } = place;
  const whole = pathEffect("read", plainWord(root), "tree", place);
  const patterns = texts.filter(({ flag }) => flag === "-e" || flag === "-S" || flag === "-G");
  const [first] = row.operands === "patterned" && !given.has("-e") ? operands : [];
  const secret = [...patterns.map(({ word }) => word), ...(first === undefined ? [] : [first])]
    .map(({ value }) => secretQueryReason(value))
    .find((reason) => reason !== undefined);
  const namesClosed = operands.some((word) => word.value.startsWith(":") || "why" in pathspec(word, place));
  return {
    effects: [whole, ...touched],
    reason: `${name} only reads`,
    raisedBecause: secret,
    output: row.printsNames?.(given) && !namesClosed ? "names" : undefined,
  };
}

/** What the words that are no flags make it read, or why it is not understood. */
function operandEffects(call: GitCall, place: GitPlace): readonly Effect[] | Unclear {
  const { row, name, given, texts, operands, attached, literalFrom } = call;
  const isComparison = given.has("--no-index") && row.operands === "revisions";
  const any = "--all --tags --remotes --glob --reflog --walk-reflogs -g".split(" ").find((flag) => given.has(flag));
  if (row.operands === "objects" && any !== undefined) return { why: `${name} ${any} prints what references name` };
  const isSearch = row.operands === "patterned" && !given.has("-e");
  if (isSearch && (literalFrom === 0 || operands[0] === undefined || !isLiteral(operands[0]))) {
    return { why: `${name} without a plain pattern` };
  }
  const kinds = row.operands === "objects" ? (["commit", "tree"] as const) : (["commit"] as const);
  const ranges = texts
    .filter(({ flag }) => flag === "-L" && row.operands === "revisions")
    .map(({ word }) => lineRange(word, place));
  const found = operands.slice(isSearch ? 1 : 0).map((word, index): readonly Effect[] | Unclear => {
    const isLiteralPath = index + (isSearch ? 1 : 0) >= literalFrom;
    switch (row.operands) {
      case "none":
        return { why: `${name} takes no operand ${word.text}` };
      case "names": {
        if (word.unknown !== undefined || word.glob || word.value.startsWith(":")) {
          const listed = pathspec(word, place);
          return "why" in listed ? listed : listed.filter(({ op }) => op === "unknown");
        }
        return [];
      }
      case "paths":
        if (word.unknown !== undefined || /^:/.test(word.value)) return { why: `${word.text} is no plain path` };
        return roleEffects("read", word, false, place);
      default:
        if (isComparison) return roleEffects(isDevice(word) ? "read" : "read-tree", word, false, place);
        if (isLiteralPath) return pathspec(word, place);
        // A tree that is no commit is searched without the attributes that keep secrets closed.
        if (row.operands === "patterned" && /:|\^\{(?!commit\}$)|AUTO_MERGE/.test(word.value)) {
          return { why: `${word.text} may be a tree without a commit` };
        }
        return revisionOrPath(word, place, kinds);
    }
  });
  const all = [...found, ...ranges, ...attached.map((word) => [pathEffect("read", word, "file", place)])];
  const unclear = all.find((one) => "why" in one);
  return unclear ?? all.flatMap((one) => ("why" in one ? [] : one));
}

/** `-L 1,20:file`, `-L :name:file`: whatever follows a colon may be the file. */
function lineRange(word: ShellWord, place: GitPlace): readonly Effect[] | Unclear {
  const ends = [...word.value.matchAll(/:/g)].slice(0, 16).map(({ index }) => word.value.slice(index + 1));
  if (ends.length === 0) return { why: `${word.text} names no file` };
  return ends
    .filter((end) => end !== "")
    .map((value) => pathEffect("read", { ...word, value, tilde: false }, "file", place));
}

/** What is changed inside a view is judged afterwards; what is named is read here. */
function readChange(call: GitCall, place: GitPlace): CommandReading | Unclear {
  const { row, name, words, texts, attached } = call;
  const subtree = texts.find(({ flag, word }) => flag !== "-m" && word.value.startsWith("subtree"));
  if (subtree !== undefined) return { why: `${subtree.word.text} gives files other names` };
  const unclear = call.operands.find(({ unknown }) => unknown !== undefined && unknown.plain !== true);
  if (unclear !== undefined) return { why: `${unclear.text} of ${name} is known only when it runs` };
  const remote = row.remote === undefined ? { reached: [], rest: call.operands } : takeRemote(call);
  if ("why" in remote) return remote;
  const touched = changedEffects({ ...call, operands: remote.rest }, place);
  if ("why" in touched) return touched;
  const first =
    row.does === "configures"
      ? pathEffect("write", configurationOf(place.repository.common), "file", place)
      : execOf(words, name);
  return {
    effects: [first, ...attached.flatMap((word) => used(word, place)), ...touched, ...remote.reached],
    reason: row.remote ? `${name} talks to a remote` : `${name} changes the repository`,
    moves: name === "git mv" || undefined,
  };
}

function takeRemote({
  row,
  name,
  operands,
}: GitCall): { readonly reached: readonly Effect[]; readonly rest: readonly ShellWord[] } | Unclear {
  const [remote, ...rest] = operands;
  if (row.remote === "default" || remote === undefined) return { reached: [aRemote], rest: [] };
  if (rest.some(({ value }) => /^[+:]/.test(value))) return { why: "git would overwrite references" };
  const host = isLiteral(remote) ? remoteHost(remote.value) : undefined;
  if (host === undefined) return { why: `${remote.text} is not a plain address` };
  // As git names the directory: the last name of the address, without `.git`.
  const value = remote.value
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .replace(/^.*[/:]/s, "");
  const target = rest[0] ?? { ...remote, value, tilde: false };
  if (row.operands === "destination" && (target.value === "" || !isLiteral(target))) {
    return { why: `${name} into a directory that is known only when it runs` };
  }
  return {
    reached: [{ op: "connect", host } as const],
    // Of `from:to` the last colon parts the two.
    rest:
      row.operands === "destination"
        ? [target]
        : rest.map((word) => ({ ...word, value: word.value.replace(/:[^:]*$/, "") })),
  };
}

function changedEffects(
  { row, name, operands, given, literalFrom }: GitCall,
  place: GitPlace,
): readonly Effect[] | Unclear {
  const [target, ...sources] = operands.toReversed();
  const isDry = ["-n", "--dry-run", "--cached"].some((flag) => given.has(flag));
  if (name === "git mv" || name === "git rm") {
    if (isDry) return [];
    if (!operands.every(isLiteral)) return { why: `${name} of files that are known only when it runs` };
    if (name === "git rm") {
      return operands.map((word) => pathEffect("delete", word, given.has("-r") ? "tree" : "file", place));
    }
    const absent = sources.find((word) => !isThere(word, place));
    if (absent !== undefined || target === undefined) return { why: `${absent?.text ?? name} is not there yet` };
    const moved = sources.map((word) => pathEffect("delete", word, "tree", place));
    return [...moved, pathEffect("write", target, "tree", place)];
  }
  switch (row.operands) {
    case "none":
      return operands[0] === undefined ? [] : { why: `${name} ${operands[0].text} is unknown` };
    case "known": {
      const unclear = row.does === "configures" && operands.find(({ value }) => remoteHost(value) === undefined);
      return unclear ? { why: `${unclear.text} is not a plain address` } : [];
    }
    case "paths":
      return operands
        .filter((word) => isLiteral(word) && word.value !== "-")
        .map((word) => pathEffect("read", word, "file", place));
    case "destination": {
      const [directory, ...rest] = operands;
      if (directory === undefined || name.endsWith(" prune")) return [];
      if (!isLiteral(directory)) return { why: `${name} into a directory that is known only when it runs` };
      return [pathEffect("write", directory, "tree", place), ...rest.flatMap((word) => used(word, place))];
    }
    default:
      return operands.flatMap((word, at) => (at < literalFrom ? used(word, place) : []));
  }
}

/** A change must name commits or files: any other object may hold a closed file under a name that says nothing. */
function used(word: ShellWord, place: GitPlace): readonly Effect[] {
  const found = isPattern(word) ? [] : revisionOrPath(word, place, ["commit"]);
  if ("why" in found) return [{ op: "unknown", why: found.why }];
  const isStored = storedPaths([word], place).length > 0;
  return isStored ? [...found, { op: "unknown", why: `${word.text} is not a commit` }] : found;
}

const configReads = listed("-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool");
const configWrites = listed("--add --unset --unset-all --replace-all --rename-section --remove-section");

/** One name is asked for, a name and a value are set: `git config user.name`, `git config user.name me`. */
function readConfig(found: ReturnType<typeof rowsFor>[number], place: GitPlace): CommandReading {
  const call = splitWords(found);
  if ("why" in call) return notUnderstood(call.why);
  const { given, operands, texts } = call;
  if (![...operands, ...texts.map(({ word }) => word)].every(isLiteral))
    return notUnderstood("a name is known only when it runs");
  const [first, second] = operands;
  const asks = second === undefined ? first?.value.includes(".") : first?.value === "get";
  const reads = configReads.some((flag) => given.has(flag)) || first?.value === "list" || asks === true;
  const { own, common } = place.repository;
  if (reads && !configWrites.some((flag) => given.has(flag))) {
    // To a linked worktree the configuration that all trees share is shown by its own `.git`.
    const shown = configurationOf(own === common ? common : place.root, own === common ? "config" : ".git");
    const files = texts.length === 0 ? [shown] : texts.map(({ word }) => word);
    return { effects: files.map((file) => pathEffect("read", file, "file", place)), reason: "git config only reads" };
  }
  if (texts.length > 0) return notUnderstood("git config writes a file other than the repository's own");
  const write = pathEffect("write", configurationOf(common), "file", place);
  return { effects: [write], reason: "git config changes .git/config" };
}

function configurationOf(directory: string, name = "config"): ShellWord {
  return plainWord(`${directory}/${name}`, ".git/config");
}

function execOf(words: readonly ShellWord[], name = "git"): Effect {
  const argv = words.map((word) => (word.unknown === undefined ? word.value : word.text));
  return { op: "exec", program: "git", argv: [...name.split(" "), ...argv] };
}
