import type { Effect } from "../../../contract/effect.ts";
import { pathEffect } from "../path-operands.ts";
import type { ProgramCall } from "../program-entry.ts";
import type { ShellWord } from "../shell-tree.ts";
import type { GitPlace } from "./find-repository.ts";
import { isThere } from "./operands.ts";
import { remoteHost } from "./remote-host.ts";

/** What a change touches beside the repository itself, or why it is not understood. */
export type GitWriter = (call: ProgramCall, place: GitPlace) => readonly Effect[] | { readonly why: string };

/** Revisions, references, or paths that git looks up in the repository. */
export const revisions: GitWriter = () => [];

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
export const destination: GitWriter = ({ operands: [directory], name }, place) => {
  if (directory === undefined || name.endsWith(" prune")) return [];
  return isPlain(directory)
    ? [pathEffect("write", directory, "tree", place)]
    : { why: "git into an unclear directory" };
};

/** A remote by its name or address, then references. */
export const remotes: GitWriter = ({ operands: [remote, ...references], flags }) => {
  if (references.some((word) => word.value.startsWith("+") || word.value.startsWith(":"))) {
    return { why: "git would overwrite references" };
  }
  return connectTo(flags.has("--all") && remote === undefined ? undefined : remote);
};

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
