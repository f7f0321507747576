import { resolve } from "node:path/posix";
import type { Effect } from "../../contract/effect.ts";
import { secretQueryReason } from "../../effects/secret-query.ts";
import { pathEffect, readByRoles } from "../path-operands.ts";
import { type CommandReading, notUnderstood, type Place, type ProgramCall, type ShellWord } from "../program-entry.ts";
import { readArguments } from "../read-arguments.ts";
import { readConfig, writeConfig } from "./config.ts";
import { findRepository, type GitPlace } from "./find-repository.ts";
import { type GitLoss, gitLosses } from "./losses.ts";
import { isThere, storedPaths } from "./operands.ts";
import { type GitRead, gitReads } from "./reads.ts";
import { type GitWrite, gitWrites } from "./writes.ts";

export { repositoryRoot } from "./find-repository.ts";

const reads: ReadonlyMap<string, GitRead> = byName(gitReads);
const writes: ReadonlyMap<string, GitWrite> = byName(gitWrites);

/** What a git command would touch. `all` are the words behind `git`. */
export function readGit(all: readonly ShellWord[], place: Place): CommandReading {
  const start = readGlobal(all, place);
  const { words, why } = start;
  const [command, ...rest] = words;
  if (command === undefined || command.glob || command.unknown !== undefined) {
    return notUnderstood(why ?? "git without a plain sub-command");
  }
  const here = { ...place, cwd: start.cwd };
  const isPath = (word: ShellWord) => isThere(word, here);
  const loss = gitLosses.find((entry) => entry.command === command.value && entry.when(rest, isPath));
  if (loss !== undefined) return lose(loss, words, here, why);
  if (why !== undefined) return notUnderstood(why);
  const repository = findRepository(here);
  if ("why" in repository) return notUnderstood(repository.why);
  const at: GitPlace = { ...here, ...repository };
  if (command.value === "config") return readConfig(rest, at);
  const read = readForm(words, at);
  if ("effects" in read) return read;
  const written = writeForm(words, at);
  if ("effects" in written) return written;
  return notUnderstood(written.why ?? read.why ?? `git ${command.value} is not in the tables`);
}

interface Start {
  readonly words: readonly ShellWord[];
  readonly cwd: string;
  /** A flag before the sub-command that chooses configuration, programs or another repository. */
  readonly why?: string;
}

const harmlessGlobal = new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"]);
/** Settings that change only how output looks. */
const harmlessSetting =
  /^(?:core\.pager=cat|core\.quotepath=(?:true|false|on|off)|(?:color\.(?:ui|status|diff|branch)|advice\.\w+)=(?:true|false|always|never|auto)|log\.date=\w+)$/i;
const globalWithValue = new Set(["-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"]);

function readGlobal(all: readonly ShellWord[], place: Place): Start {
  const ahead = all.toReversed();
  let { cwd } = place;
  let why: string | undefined;
  for (let word = ahead.at(-1); word !== undefined; word = ahead.at(-1)) {
    const plain = !word.glob && word.unknown === undefined;
    if (!plain || !word.value.startsWith("-") || word.value === "--version" || word.value === "-v") break;
    ahead.pop();
    if (harmlessGlobal.has(word.value)) continue;
    const setting = ahead.at(-1);
    if (word.value === "-c" && setting?.unknown === undefined && harmlessSetting.test(setting?.value ?? "")) {
      ahead.pop();
      continue;
    }
    if (word.value === "-C") {
      const entered = enter(ahead.pop(), { ...place, cwd });
      if (typeof entered === "string") cwd = entered;
      else why ??= entered.why;
    } else {
      why ??= `git ${word.text} before the sub-command`;
      if (globalWithValue.has(word.value)) ahead.pop();
    }
  }
  return { words: ahead.toReversed(), cwd, ...(why === undefined ? {} : { why }) };
}

/** `-C` goes where `cd` would go. */
function enter(target: ShellWord | undefined, place: Place): string | { readonly why: string } {
  if (target === undefined || target.glob || target.unknown !== undefined || target.tilde || target.value === "") {
    return { why: "git -C without a plain directory" };
  }
  const found = place.view.resolve(target.value, place.cwd);
  if (!found.ok || found.value.kind !== "directory") return { why: `${target.text} is not a directory` };
  if (found.value.resolved !== resolve(place.cwd, target.value)) return { why: `${target.text} leads through a link` };
  return found.value.resolved;
}

/** Of those that lose something. */
const talks: ReadonlySet<string> = new Set(["push", "send-pack", "fetch", "pull"]);

function lose(loss: GitLoss, words: readonly ShellWord[], place: Place, why: string | undefined): CommandReading {
  const [command, ...rest] = words;
  const repository = why === undefined ? findRepository(place) : { why };
  const effects: readonly Effect[] =
    "why" in repository
      ? [{ op: "unknown", why: repository.why }]
      : [
          execOf(words),
          ...(talks.has(command?.value ?? "")
            ? [{ op: "connect", host: "the git remote" } as const]
            : storedPaths(rest, { ...place, ...repository })),
          ...removedTrees(words, place),
        ];
  const reason = `git ${command?.value} ${loss.why}`;
  return { effects, reason, ...(loss.asks ? { losesWork: true } : { needsSavedRule: true }) };
}

function removedTrees([command, verb, ...rest]: readonly ShellWord[], place: Place): readonly Effect[] {
  if (command?.value !== "worktree" || verb?.value !== "remove") return [];
  const trees = rest.filter(({ value, glob, unknown }) => !value.startsWith("-") && !glob && unknown === undefined);
  return trees.map((tree) => pathEffect("write", tree, "tree", place));
}

function readForm(words: readonly ShellWord[], place: GitPlace): CommandReading | { readonly why?: string } {
  const found = findEntry(words, reads);
  if (found === undefined) return {};
  const { entry, name } = found;
  const call = readArguments(
    // Git reads the flags of many sub-commands with several parsers: most refuse `-tG` and then read the next word.
    { valuesAlone: true, ...entry, operands: {} },
    name,
    withLastAlone(entry, found.words),
  );
  if ("why" in call) return call;
  if (entry.unless?.(call)) return {};
  if (found.words.some(asksForSignature)) return { why: `${name} would run a program that checks signatures` };
  const hidden = call.values.find(({ role, word }) => !isKnown(word, role));
  if (hidden !== undefined) return { why: `the value of ${hidden.flag} is known only when it runs` };
  const operands = entry.operands(call, place);
  if ("why" in operands) return operands;
  const values = readByRoles({ ...call, operands: [] }, {}, place).effects;
  const { root } = place;
  const whole = pathEffect("read", { text: root, value: root, glob: false, tilde: false }, "tree", place);
  const secret = secretPattern(name, call);
  const output = entry.output?.(call);
  return {
    effects: [whole, ...values, ...operands],
    reason: `${name} only reads`,
    ...(secret === undefined ? {} : { raisedBecause: secret }),
    ...(output === undefined ? {} : { output }),
  };
}

function writeForm(words: readonly ShellWord[], place: GitPlace): CommandReading | { readonly why?: string } {
  const found = findEntry(words, writes);
  if (found === undefined) return {};
  const { entry, name } = found;
  const call = readArguments({ ...entry, operands: {} }, name, found.words);
  if ("why" in call) return call;
  const hidden = [...call.values, ...call.operands.map((word) => ({ flag: word.text, role: undefined, word }))].find(
    ({ role, word }) => !isKnown(word, role),
  );
  if (hidden !== undefined) return { why: `${hidden.flag} of ${name} is known only when it runs` };
  const operands = entry.operands(call, place);
  if ("why" in operands) return operands;
  const values = readByRoles({ ...call, operands: [] }, {}, place).effects;
  const connects = entry.connects === true && !operands.some((effect) => effect.op === "connect");
  const reached: readonly Effect[] = connects ? [{ op: "connect", host: "the git remote" }] : [];
  return {
    effects: [entry.configures ? writeConfig(place) : execOf(words), ...values, ...operands, ...reached],
    reason: entry.connects ? `${name} talks to a remote` : `${name} changes the repository`,
    ...(name === "git mv" ? { moves: true } : {}),
  };
}

function findEntry<T>(words: readonly ShellWord[], entries: ReadonlyMap<string, T>) {
  for (const length of [2, 1]) {
    if (words.length < length) continue;
    const name = ["git", ...words.slice(0, length).map((word) => word.value)].join(" ");
    const entry = entries.get(name);
    if (entry !== undefined) return { entry, name, words: words.slice(length) };
  }
  return undefined;
}

/** Where such a flag is the last word git takes `HEAD` for its value. */
function withLastAlone({ lastAlone }: GitRead, words: readonly ShellWord[]): readonly ShellWord[] {
  const last = words.at(-1);
  const alone = last !== undefined && lastAlone?.includes(last.value) === true;
  return alone ? [...words, { text: "HEAD", value: "HEAD", glob: false, tilde: false }] : words;
}

/** Text may be whatever it likes as long as it stays one word. */
function isKnown(word: ShellWord, role: string | undefined): boolean {
  if (word.unknown === undefined) return true;
  return role === "text" && word.unknown.one;
}

/** `%G?` and its like, also in a format that is the value of a flag. */
function asksForSignature({ value }: ShellWord): boolean {
  return /%[-+ ]?G|%\(signature/.test(value);
}

function secretPattern(name: string, call: ProgramCall): string | undefined {
  const flags = name === "git grep" ? ["-e"] : ["-S", "-G"];
  const given = call.values.filter(({ flag }) => flags.includes(flag)).map(({ word }) => word.value);
  const first = name === "git grep" && given.length === 0 ? [call.operands[0]?.value ?? ""] : [];
  return [...given, ...first].map(secretQueryReason).find((reason) => reason !== undefined);
}

function execOf(words: readonly ShellWord[]): Effect {
  const argv = words.map((word) => (word.unknown === undefined ? word.value : word.text));
  return { op: "exec", program: "git", argv: ["git", ...argv] };
}

function byName<T extends { readonly names: readonly string[] }>(entries: readonly T[]): ReadonlyMap<string, T> {
  return new Map(entries.flatMap((entry) => entry.names.map((name) => [name, entry] as const)));
}
