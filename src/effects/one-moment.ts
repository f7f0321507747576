import { knownWrites } from "./known-writers.ts";
import { parseShell } from "./shell/parse-shell.ts";
import type { ShellNode, SimpleCommand, WordTemplate } from "./shell/shell-tree.ts";

/** Programs that end at once, whatever they are given. */
const brief = new Set(": [ cd chmod cp echo false ln mkdir mv printf pwd rm rmdir sed test touch true".split(" "));

/**
 * Is it over in the moment in which it writes? So is one program alone, or a chain of nothing but git, formatters and
 * programs that end at once. Anything else may let time go by in which somebody works there.
 */
export function isOneMoment(text: string): boolean {
  const commands = chainOf(parseShell(text).root);
  if (commands === undefined || !commands.every(isPlain)) return false;
  return commands.length === 1 || commands.every(endsAtOnce);
}

function chainOf(node: ShellNode): readonly SimpleCommand[] | undefined {
  if (node.kind === "simple") return [node];
  if (node.kind === "group") return node.redirects.every(isPlainRedirect) ? chainOf(node.body) : undefined;
  if (node.kind !== "sequence") return undefined;
  const chains = node.items.map((item) => chainOf(item.node));
  return chains.includes(undefined) ? undefined : chains.flatMap((chain) => chain ?? []);
}

/** Nothing else runs to find its words. */
function isPlain({ assignments, words, redirects }: SimpleCommand): boolean {
  return (
    assignments.every(({ value, elements }) => elements === undefined && isPlainWord(value)) &&
    words.every(isPlainWord) &&
    redirects.every(isPlainRedirect)
  );
}

function isPlainRedirect(redirect: SimpleCommand["redirects"][number]): boolean {
  if ("target" in redirect) return isPlainWord(redirect.target);
  return !("content" in redirect) || isPlainWord(redirect.content);
}

function isPlainWord({ pieces }: WordTemplate): boolean {
  return pieces.every(
    (piece) =>
      piece.kind === "text" || piece.kind === "home" || (piece.kind === "variable" && piece.changed === undefined),
  );
}

function endsAtOnce({ words }: SimpleCommand): boolean {
  if (words.length === 0) return true;
  const argv = words.map(({ pieces }) => pieces.map((piece) => (piece.kind === "text" ? piece.value : "")).join(""));
  if (brief.has(argv[0] ?? "")) return true;
  const known = knownWrites(argv, { cwd: "/", roots: [] });
  return known !== undefined && known.more === undefined;
}
