import type { Effect } from "../../contract/effect.ts";
import { pathEffect } from "../path-operands.ts";
import type { ProgramCall, ShellWord } from "../program-entry.ts";
import type { GitPlace } from "./find-repository.ts";
import { isThere, usedRevision } from "./operands.ts";
import { remoteHost } from "./remote-host.ts";

/** What a change touches beside the repository itself, or why it is not understood. */
export type GitWriter = (call: ProgramCall, place: GitPlace) => readonly Effect[] | { readonly why: string };

/** Paths that git looks up in the repository. */
export const known: GitWriter = () => [];

const takesRevision = new Set("-c -C --reuse-message --reedit-message -s --source --onto".split(" "));
const takesName = new Set("-b --orphan --create".split(" "));

/** Revisions and names for them, or paths. A name that looks like a hash is one to whoever reads it later. */
export const revisions: GitWriter = (call, place) => {
  const shifted = call.values.find(
    ({ flag, word }) => (flag === "-X" || flag === "--strategy-option") && word.value.startsWith("subtree"),
  );
  if (shifted !== undefined) return { why: `${shifted.word.text} gives files other names` };
  const given = call.values
    .filter(({ flag, word }) => takesRevision.has(flag) || (takesName.has(flag) && mayBeHash(word)))
    .map(({ word }) => word);
  const words = [...given, ...call.operands.filter((_word, index) => index < call.literalFrom)];
  return words.flatMap((word) => usedRevision(word, place));
};

/** `feature-$x` is none, whatever the rest is. */
function mayBeHash({ unknown }: ShellWord): boolean {
  return unknown === undefined || /^[0-9a-f]*$/i.test(unknown.prefix ?? "");
}

/** Files, and a commit whose message is taken. */
export const committed: GitWriter = (call, place) => {
  const files = added(call, place);
  const message = revisions({ ...call, operands: [] }, place);
  return "why" in files ? files : "why" in message ? message : [...files, ...message];
};

export const none: GitWriter = ({ operands: [first], name }) =>
  first === undefined ? [] : { why: `${name} ${first.text} is not in the tables` };

/** Files whose content goes into the repository. A closed one that is named is refused by its name. */
export const added: GitWriter = ({ operands }, place) =>
  operands
    .filter((word) => isPlain(word) && isThere(word, place))
    .map((word) => pathEffect("read", word, "file", place));

export const moved: GitWriter = ({ operands, flags }, place) => {
  if (flags.has("-n") || flags.has("--dry-run")) return [];
  const [target, ...sources] = operands.toReversed();
  if (target === undefined || sources.length === 0 || !operands.every(isPlain))
    return { why: "git mv of unclear files" };
  const absent = sources.find((word) => !isThere(word, place));
  if (absent !== undefined) return { why: `${absent.text} is not there yet, so what is below it cannot be told` };
  return [
    ...sources.map((word) => pathEffect("delete", word, "tree", place)),
    pathEffect("write", target, "tree", place),
  ];
};

export const removed: GitWriter = ({ operands, flags }, place) => {
  if (["--cached", "-n", "--dry-run"].some((flag) => flags.has(flag))) return [];
  if (!operands.every(isPlain)) return { why: "git rm of unclear files" };
  return operands.map((word) => pathEffect("delete", word, flags.has("-r") ? "tree" : "file", place));
};

export const patches: GitWriter = ({ operands }, place) =>
  operands.every(isPlain)
    ? operands.filter(({ value }) => value !== "-").map((word) => pathEffect("read", word, "file", place))
    : { why: "a patch of an unclear name" };

/** A directory that will be filled, then revisions. */
export const destination: GitWriter = (call, place) => {
  const [directory, ...rest] = call.operands;
  if (directory === undefined || call.name.endsWith(" prune")) return [];
  if (!isPlain(directory)) return { why: "git into an unclear directory" };
  const used = revisions({ ...call, operands: rest, literalFrom: rest.length }, place);
  return "why" in used ? used : [pathEffect("write", directory, "tree", place), ...used];
};

/** A remote by its name or address, then references. */
export const remotes: GitWriter = ({ operands: [remote, ...references], flags, name }, place) => {
  if (references.some((word) => word.value.startsWith("+") || word.value.startsWith(":"))) {
    return { why: "git would overwrite references" };
  }
  const reached = connectTo(flags.has("--all") && remote === undefined ? undefined : remote);
  if ("why" in reached || name !== "git push") return reached;
  return [...reached, ...references.flatMap((word) => usedRevision(sourceOf(word), place))];
};

/** Of `from:to` the last colon parts the two. */
function sourceOf(word: ShellWord): ShellWord {
  const colon = word.value.lastIndexOf(":");
  return colon < 0 ? word : { ...word, value: word.value.slice(0, colon) };
}

/** A remote's name and its address, which nothing is fetched from yet. */
export const addresses: GitWriter = ({ operands }) => {
  const unclear = operands.map(connectTo).find((found) => "why" in found);
  return unclear !== undefined && "why" in unclear ? unclear : [];
};

/** An address, then a directory for what comes from it. */
export const chosen: GitWriter = (call, place) => {
  const [address, directory] = call.operands;
  if (address === undefined) return { why: `${call.name} without an address` };
  const reached = connectTo(address);
  if ("why" in reached) return reached;
  const named: ShellWord = directory ?? { ...address, value: directoryOf(address.value), tilde: false };
  if (!isPlain(named) || named.value === "") return { why: `${call.name} into an unclear directory` };
  return [...reached, pathEffect("write", named, "tree", place)];
};

function connectTo(remote: ShellWord | undefined): readonly Effect[] | { readonly why: string } {
  if (remote === undefined) return [{ op: "connect", host: "the git remote" }];
  if (!isPlain(remote)) return { why: `${remote.text} is known only when it runs` };
  const host = remoteHost(remote.value);
  return typeof host === "string" ? [{ op: "connect", host }] : host;
}

/** As git names it: the last name of the address, without `.git`. */
function directoryOf(address: string): string {
  return address
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .replace(/^.*[/:]/s, "");
}

function isPlain(word: ShellWord): boolean {
  return !word.glob && word.unknown === undefined;
}
