import { inflateSync } from "node:zlib";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { looksBinary } from "../base/text.ts";
import type { Change, Transaction } from "../contract/changes.ts";
import { isInside } from "../contract/effect.ts";
import type { ChangesVerdict, NotableChange } from "../contract/gate.ts";
import type { ListedChange } from "../contract/verdict.ts";
import { escapePattern } from "../gate/rules/path-pattern.ts";

const shownFiles = 40;
const diffedFiles = 20;
const diffedBytes = 100_000;
/** For one file. A command can write files for which the search takes hours. */
const diffMs = 250;

const signs = { create: "A", modify: "M", delete: "D", replace: "R", mode: "m", touch: "t" } as const;

/** All of them, what git keeps of its own as one. Deletions, replacements and modes come first. */
export function listChanges(changes: readonly Change[], from: Transaction, root: string): readonly ListedChange[] {
  const own = changes.filter((change) => change.within === undefined && change.operation !== "touch");
  const line = (change: Change) =>
    `${signs[change.operation]}  ${shownPath(change.path, root)}${extentOf(change, changes)}`;
  const repositoryOf = ({ path }: Change) => path.slice(0, path.indexOf("/.git/") + "/.git".length);
  const records = Map.groupBy(changes.filter(isRecord), repositoryOf);
  return [
    ...own.filter((change) => !isPlain(change)),
    ...[...new Set(own.filter(isRecord).map(repositoryOf))].map((path) => ({
      path,
      line: `M  ${shownPath(path, root)}/ ${movedIn(path, records.get(path) ?? [], from)}`,
    })),
    ...own.filter((change) => isPlain(change) && !isRecord(change)),
  ].map((one) => ("line" in one ? one : { path: one.path, line: line(one) }));
}

const namedInGit = 5;

/** Its references with what they led to and lead to now; where none moved, its files. */
function movedIn(repository: string, records: readonly Change[], { contents }: Transaction): string {
  const files = records.filter(({ kind }) => kind !== "directory");
  const nameOf = ({ path }: Change) => path.slice(repository.length + 1);
  const isReference = (change: Change) => /^(?:(?:worktrees|modules)\/[^/]+\/)?(?:HEAD$|refs\/)/.test(nameOf(change));
  const references = files.filter(isReference);
  const named = references.length > 0 ? references : files;
  const shown = named.slice(0, namedInGit).map((change) => {
    const name = nameOf(change).replace("refs/heads/", "");
    if (!isReference(change)) return name;
    const { before, after } = contents(change, diffedBytes);
    const [old = "", now = ""] = [before, after].map((bytes) =>
      Buffer.from(bytes ?? "")
        .toString()
        .trim(),
    );
    const made = files.find(({ path }) => path.endsWith(`/objects/${now.replace(/^../, "$&/")}`));
    const subject = made && subjectOf(contents(made, diffedBytes).after);
    return `${name} ${shortId(old)} → ${shortId(now)}${subject ? ` ${JSON.stringify(subject)}` : ""}`;
  });
  const more = named.length - shown.length;
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return `(${count}): ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function shortId(written: string): string {
  return written.replace(/^ref: |(?<=^[0-9a-f]{7})[0-9a-f]{33,}$/g, "").slice(0, 200) || "nothing";
}

/** Of a new commit, as git stores it. */
function subjectOf(object: Uint8Array | undefined): string | undefined {
  try {
    const text = inflateSync(object ?? "", { maxOutputLength: diffedBytes }).toString();
    return /^commit .*?\n\n([^\n]{1,100})/s.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** Only new and modified files are folded away. */
export function foldChanges(listed: readonly ListedChange[], changes: readonly Change[]): readonly string[] {
  const lines = listed.map(({ line }) => line);
  const isFolded = (change: Change) => change.within === undefined && isPlain(change) && !isRecord(change);
  const more = Math.max(0, changes.filter(isFolded).length - shownFiles);
  return [...lines.slice(0, lines.length - more), ...(more > 0 ? [`and ${more} more new or modified files`] : [])];
}

function isPlain({ operation, kind }: Change): boolean {
  return operation === "create" || (operation === "modify" && kind !== "directory");
}

function isRecord(change: Change): boolean {
  return isPlain(change) && change.path.includes("/.git/");
}

export function describeNotable({ change, why }: NotableChange, all: readonly Change[], root: string): string {
  return `${signs[change.operation]}  ${shownPath(change.path, root)}${extentOf(change, all)}: ${why}`;
}

function shownPath(path: string, root: string): string {
  return isInside(path, root) ? path.slice(root.length + 1) : path;
}

function extentOf({ kind, path, operation, target }: Change, all: readonly Change[]): string {
  const leads = target === undefined ? "" : ` -> ${target}`;
  if ((kind !== "directory" && operation !== "replace") || operation === "mode") return leads;
  const files = all.filter((one) => one.within && one.kind !== "directory" && one.path.startsWith(`${path}/`));
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  if (kind === "directory") return `/ (${count})`;
  return files.length === 0 ? leads : `${leads} (was a directory, deletes ${count})`;
}

export function diffOf(changes: readonly Change[], transaction: Transaction, root: string): string {
  const files = changes.filter(
    ({ kind, operation, path }) => kind === "file" && operation !== "touch" && !isGitRecord(path),
  );
  const texts = files.slice(0, diffedFiles).map((change) => {
    const name = shownPath(change.path, root);
    if (change.operation === "delete") return `deleted ${name}`;
    if (change.operation === "mode") return `${name}: mode ${change.mode.toString(8)}`;
    const { before, after } = transaction.contents(change, diffedBytes);
    if (after === undefined || looksBinary(after) || (before !== undefined && looksBinary(before)))
      return `${name}: ${change.size} bytes, no text to compare`;
    const text = (content: Uint8Array | undefined) => (content === undefined ? "" : new TextDecoder().decode(content));
    const old = change.operation === "create" ? "/dev/null" : `a/${name}`;
    const options = { headerOptions: FILE_HEADERS_ONLY, timeout: diffMs };
    const patch = createTwoFilesPatch(old, `b/${name}`, text(before), text(after), undefined, undefined, options);
    return patch ?? `${name}: ${change.size} bytes, too different to be shown line by line`;
  });
  const more = files.length - diffedFiles;
  return [...texts, ...(more > 0 ? [`and ${more} more files`] : [])].join("\n");
}

/** What of a repository nobody reads. What git runs or follows is shown. */
function isGitRecord(path: string): boolean {
  return /\/\.git\/(?!(?:.*\/)?(?:config|hooks|info)(?:\.|\/|$))/.test(path);
}

const mostRules = 3;

/** Rules for places: each top directory that it wrote in, or the single files. Otherwise rules for the command. */
export function suggestedRules(changes: readonly Change[], verdict: ChangesVerdict, root: string): readonly string[] {
  const { firm, suggestedRules: ofCommand = [] } = verdict;
  const own = changes.filter(({ operation }) => operation !== "touch");
  const isRemembered = ({ operation, path }: Change) =>
    isInside(path, root) && operation !== "delete" && !path.includes("/.git/");
  if (firm) return [];
  if (!own.every(isRemembered)) return ofCommand;
  const patterns = new Set(
    own.map(({ path }) => {
      const [first = "", ...below] = path.slice(root.length + 1).split("/");
      return below.length === 0 ? `/${escapePattern(first)}` : `/${escapePattern(first)}/**`;
    }),
  );
  return patterns.size > mostRules ? ofCommand : [...patterns].map((pattern) => `Edit(${pattern})`);
}
