import path from "node:path";
import { isInside, isOfSystem } from "../../contract/effect.ts";
import type { CheckKind } from "../../contract/verification.ts";
import { alwaysSucceeds, belongsToSystem, checkedBy, keepsLastLines, scriptRunBy } from "../../programs/checks.ts";
import { inlineShellText } from "../../programs/interpreters.ts";
import { wordsBehind } from "../../programs/wrappers.ts";
import { parseShell } from "../../shell/parse-shell.ts";
import type { ShellNode, ShellParse, SimpleCommand, WordTemplate } from "../../shell/tree.ts";
import { isForProjects } from "../../shell/variable-names.ts";

export interface ProjectChecks {
  readonly configured: readonly { readonly kind: CheckKind; readonly command: string }[];
  /** The text of the script that `npm run` and similar commands would run. */
  script(name: string): string | undefined;
}

export interface FoundCheck {
  readonly kinds: readonly CheckKind[];
  /** Filters keep the end of the output, so only the runner's own report tells how it ended. */
  readonly piped: boolean;
  /** The directory that the text changes to first, as written. */
  readonly directory?: string;
}

/** The single check of a command, optionally after `cd X &&` or before `| tail`. Anything else is not evidence. */
export function checkOf(command: string, project: ProjectChecks): FoundCheck | undefined {
  const nodes = chainOf(parseShell(command));
  const words = nodes[0]?.kind === "simple" && nodes.length === 2 ? literalWords(nodes[0]) : [];
  const directory = words[0] === "cd" && words.length <= 2 ? (words[1] ?? "~") : undefined;
  const node = nodes[directory === undefined ? 0 : 1];
  if (node === undefined || nodes.length > (directory === undefined ? 1 : 2)) return undefined;
  const [check, ...filters] = node.kind === "pipeline" ? node.commands : [node];
  const piped = filters.length > 0;
  if (check?.kind !== "simple" || !filters.every(keepsTheEnd) || (piped && !printsAll(check))) return undefined;
  const kinds = kindsOf(wordsOf(check), project, 3);
  return kinds.length === 0 ? undefined : { kinds, piped, directory };
}

/** Commands that are joined by `&&` alone; none for any other text. */
function chainOf({ root, syntaxError, negates }: ShellParse): readonly ShellNode[] {
  if (syntaxError !== undefined || negates) return [];
  const items = root.kind === "sequence" ? root.items : [{ node: root, before: "start" }];
  return items.every(({ before }) => before === "start" || before === "&&") ? items.map(({ node }) => node) : [];
}

/** A word that only the running shell knows becomes `?`, which is not the name of any program. */
function literalWords({ words }: SimpleCommand): readonly string[] {
  return words.map(literalWord);
}

function literalWord({ pieces }: WordTemplate): string {
  return pieces.map((piece) => (piece.kind === "text" ? piece.value : "?")).join("");
}

function wordsOf(node: SimpleCommand): readonly string[] {
  const given = node.assignments.map(({ name, value }) => `${name}=${literalWord(value)}`);
  return [...given, ...literalWords(node)];
}

/** All that it prints goes into the pipe. */
function printsAll({ redirects }: SimpleCommand): boolean {
  return redirects.every(({ kind, descriptor }) => kind === "copy" && descriptor === 2);
}

/** The last lines, with the runner's summary, pass through unchanged, and come only from the runner. */
function keepsTheEnd(node: ShellNode): boolean {
  if (node.kind !== "simple" || node.redirects.some(({ kind }) => kind !== "copy" && kind !== "sink")) return false;
  return keepsLastLines(literalWords(node));
}

function kindsOf(words: readonly string[], project: ProjectChecks, depth: number): readonly CheckKind[] {
  const plain = withoutWrappers(words);
  const text = plain.join(" ");
  const known = checkedBy(plain);
  if (known === undefined) return [];
  const configured = project.configured.filter(({ command }) => text === command || text.startsWith(`${command} `));
  const name = scriptRunBy(plain);
  const script = parsed(name === undefined ? undefined : project.script(name));
  if (configured.length === 0 && script !== undefined && cannotFail(script)) return [];
  const kinds = new Set([...configured.map(({ kind }) => kind), ...known]);
  if (kinds.size > 0 || depth === 0) return [...kinds];
  const inner = script ?? parsed(inlineShellText(plain));
  const inside = (inner === undefined ? [] : chainOf(inner)).flatMap((node) =>
    node.kind === "simple" ? kindsOf(wordsOf(node), project, depth - 1) : [],
  );
  return [...new Set(inside)];
}

function parsed(text: string | undefined): ShellParse | undefined {
  return text === undefined ? undefined : parseShell(text);
}

/** A script whose last part always succeeds is not evidence. */
function cannotFail({ root, syntaxError, negates }: ShellParse): boolean {
  if (syntaxError !== undefined) return false;
  const items = root.kind === "sequence" ? root.items : [{ node: root, before: "start" }];
  const last = items.slice(items.findLastIndex(({ before }) => before !== "&&"));
  const isNoOp = (node: ShellNode) => node.kind === "simple" && alwaysSucceeds(literalWords(node));
  return negates === true || last.every(({ node }) => isNoOp(node));
}

/** Installations of a language are often there, besides the places of the system. */
const installed = "/opt";

/** `CI=1 timeout 60 npx --no vitest run` is `vitest run`, and a path before the program does not matter. */
function withoutWrappers(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  // Other variables could choose another program, or a runner that checks nothing.
  const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(first) ?? [];
  if (name !== undefined) return isForProjects(name, value) ? withoutWrappers(rest) : [];
  const inner = (checkedBy(words)?.length ?? 0) > 0 ? undefined : wordsBehind(words);
  if (inner !== undefined) return withoutWrappers(inner);
  const program = path.basename(first);
  const isPlaced = program === first || isOfSystem(first) || isInside(first, installed);
  if (belongsToSystem(program) && !isPlaced) return [];
  return [program, ...rest];
}
