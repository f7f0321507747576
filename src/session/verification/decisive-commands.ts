import type { ShellNode, SimpleCommand } from "../../effects/shell/shell-tree.ts";

/** A simple command, and what the exit code of the whole text says about it. */
export interface PlacedCommand {
  readonly words: readonly string[];
  /**
   * `decides`: the whole ends well only if it ran and ended well. `piped`: it writes into filters that leave the end
   * of its output as it is, so only its own report tells. `lost`: the exit code says nothing about it.
   */
  readonly exit: "decides" | "piped" | "lost";
  /** Whatever stands before it fails only for reasons of its own, so a bad end may be somebody else's. */
  readonly afterOthers: boolean;
}

interface Place {
  readonly exit: PlacedCommand["exit"];
  readonly afterOthers: boolean;
  /** `set -e` and `set -o pipefail` hold. */
  readonly strict: boolean;
  readonly pipefail: boolean;
}

/** Which of the commands of a text its exit code speaks about. */
export function decisiveCommands(root: ShellNode): readonly PlacedCommand[] {
  return visit(root, { exit: "decides", afterOthers: false, strict: false, pipefail: false });
}

function visit(node: ShellNode, place: Place): readonly PlacedCommand[] {
  switch (node.kind) {
    case "simple":
      return [{ words: wordsOf(node), exit: place.exit, afterOthers: place.afterOthers }];
    case "sequence":
      return visitSequence(node.items, place);
    case "pipeline":
      return visitPipeline(node.commands, place);
    case "group":
      return visit(node.body, place);
    case "conditional":
      return node.branches.flatMap(({ test, body }) => [...visitLost(test, place), ...visitLost(body, place)]);
    case "loop":
    case "for-each":
    case "background":
      return visitLost(node.body, place);
    default:
      return [];
  }
}

function visitLost(node: ShellNode, place: Place): readonly PlacedCommand[] {
  return visit(node, { ...place, exit: "lost" });
}

function visitSequence(
  items: readonly { readonly node: ShellNode; readonly before: "start" | ";" | "&&" | "||" }[],
  place: Place,
): readonly PlacedCommand[] {
  const found: PlacedCommand[] = [];
  let { strict, pipefail, afterOthers } = place;
  for (const [index, { node, before }] of items.entries()) {
    const following = items.slice(index + 1).map((item) => item.before);
    const carried = following.every((operator) => operator === "&&" || (operator === ";" && strict));
    const surelyRuns = before !== "||" && items.slice(0, index + 1).every((item) => item.before !== "||");
    const exit = carried && surelyRuns ? place.exit : "lost";
    found.push(...visit(node, { exit, afterOthers, strict, pipefail }));
    const options = node.kind === "simple" ? setOptions(wordsOf(node)) : undefined;
    strict ||= options?.errexit ?? false;
    pipefail ||= options?.pipefail ?? false;
    afterOthers ||= !isQuiet(node);
  }
  return found;
}

function visitPipeline(commands: readonly ShellNode[], place: Place): readonly PlacedCommand[] {
  return commands.flatMap((command, index) => {
    const rest = commands.slice(index + 1);
    if (rest.length === 0 || place.pipefail)
      return visit(command, { ...place, afterOthers: place.afterOthers || index > 0 });
    const piped = place.exit === "decides" && rest.every(keepsTheEnd);
    return visit(command, { ...place, exit: piped ? "piped" : "lost" });
  });
}

const filters = new Set(["tail", "cat", "tee"]);

/** The summary that a runner prints last comes through unchanged. */
function keepsTheEnd(node: ShellNode): boolean {
  return node.kind === "simple" && filters.has(wordsOf(node)[0] ?? "");
}

const quiet = new Set(["cd", "export", "set", "echo", "printf", "true", ":", "pwd", "source", "."]);

function isQuiet(node: ShellNode): boolean {
  if (node.kind !== "simple") return false;
  const [first] = wordsOf(node);
  return first === undefined || quiet.has(first);
}

function setOptions(words: readonly string[]): { readonly errexit: boolean; readonly pipefail: boolean } | undefined {
  if (words[0] !== "set") return undefined;
  return {
    errexit: words.some((word) => /^-[a-z]*e/.test(word)) || words.includes("errexit"),
    pipefail: words.includes("pipefail"),
  };
}

/** What only the running shell knows is shown as `?`, which no program is called. */
function wordsOf({ words }: SimpleCommand): readonly string[] {
  return words.map(({ pieces }) => pieces.map((piece) => (piece.kind === "text" ? piece.value : "?")).join(""));
}
