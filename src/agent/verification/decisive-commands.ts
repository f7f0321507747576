import type { ShellNode, SimpleCommand } from "../../shell/tree.ts";
import { literalWords } from "./literal-words.ts";
import { changesMeaning, isRisky, mayChangeFiles } from "./shell-influence.ts";

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
  /** Could it change files, for all that its words tell? */
  readonly mayChange: boolean;
  /** It runs beside what follows it. */
  readonly beside: boolean;
}

interface Place {
  readonly exit: PlacedCommand["exit"];
  readonly afterOthers: boolean;
  /** Something before it may have printed what looks like its report. */
  readonly printed: boolean;
  /** `set -e` and `set -o pipefail` hold. */
  readonly strict: boolean;
  readonly pipefail: boolean;
  /** Something asks how it ended: `set -e` does not hold then, not even where it is set inside. */
  readonly asked: boolean;
  readonly beside: boolean;
}

/** Which of the commands of a text its exit code speaks about, in the order of the text. */
export function decisiveCommands(root: ShellNode): readonly PlacedCommand[] {
  return visit(root, {
    exit: "decides",
    afterOthers: false,
    printed: false,
    strict: false,
    pipefail: false,
    asked: false,
    beside: false,
  });
}

function visit(node: ShellNode, place: Place): readonly PlacedCommand[] {
  switch (node.kind) {
    case "simple":
      return [placed(node, place)];
    case "sequence":
      return visitSequence(node.items, place);
    case "pipeline":
      return visitPipeline(node.commands, place);
    case "group":
      return visit(node.body, place);
    case "conditional":
      return [
        ...node.branches.flatMap(({ test, body }) => [...visitLost(test, place), ...visitLost(body, place)]),
        ...(node.otherwise === undefined ? [] : visitLost(node.otherwise, place)),
      ];
    case "loop":
      return [...visitLost(node.test, place), ...visitLost(node.body, place)];
    case "for-each":
      return visitLost(node.body, place);
    case "background":
      return visitLost(node.body, { ...place, beside: true });
    case "choice":
      return node.bodies.flatMap((body) => visitLost(body, place));
    case "opaque":
      return [{ words: ["?"], exit: "lost", afterOthers: true, mayChange: true, beside: place.beside }];
    default:
      return [];
  }
}

function placed(node: SimpleCommand, { exit, afterOthers, beside }: Place): PlacedCommand {
  const words = literalWords(node);
  return { words, exit: isRisky(node) ? "lost" : exit, afterOthers, mayChange: mayChangeFiles(node), beside };
}

function visitLost(node: ShellNode, place: Place): readonly PlacedCommand[] {
  return visit(node, { ...place, exit: "lost" });
}

function visitSequence(
  items: readonly { readonly node: ShellNode; readonly before: "start" | ";" | "&&" | "||" }[],
  place: Place,
): readonly PlacedCommand[] {
  const found: PlacedCommand[] = [];
  const lastChain = items.findLastIndex(({ before }) => before !== "&&");
  let { exit, strict, pipefail, afterOthers, printed } = place;
  let surelyRuns = true;
  for (const [index, { node, before }] of items.entries()) {
    const next = items[index + 1]?.before;
    const endsAtOnce = strict && !place.asked && next === ";" && (before === ";" || before === "start");
    const carried = endsAtOnce || index >= lastChain;
    surelyRuns &&= before !== "||";
    const asked = place.asked || next === "&&" || next === "||";
    found.push(
      ...visit(node, {
        ...place,
        exit: carried && surelyRuns ? exit : "lost",
        afterOthers,
        printed,
        strict,
        pipefail,
        asked,
      }),
    );
    const options = node.kind === "simple" ? setOptions(literalWords(node)) : undefined;
    strict = options?.errexit ?? strict;
    pipefail = options?.pipefail ?? pipefail;
    if (changesMeaning(node)) exit = "lost";
    afterOthers ||= !isAmong(node, quiet);
    printed ||= !isAmong(node, silent);
  }
  return found;
}

function visitPipeline(commands: readonly ShellNode[], place: Place): readonly PlacedCommand[] {
  return commands.flatMap((command, index) => {
    const rest = commands.slice(index + 1);
    const here = { ...place, afterOthers: place.afterOthers || index > 0, beside: place.beside || rest.length > 0 };
    if (rest.length === 0 || place.pipefail) return visit(command, here);
    const piped =
      place.exit === "decides" && !place.printed && index === 0 && printsAll(command) && rest.every(keepsTheEnd);
    return visit(command, { ...here, afterOthers: place.afterOthers, exit: piped ? "piped" : "lost" });
  });
}

/** What it prints goes into the pipe, all of it. */
function printsAll(node: ShellNode): boolean {
  return node.kind === "simple" && node.redirects.every(({ kind, descriptor }) => kind === "copy" && descriptor === 2);
}

/** The summary that a runner prints last comes through unchanged, and comes from nowhere else. */
function keepsTheEnd(node: ShellNode): boolean {
  if (node.kind !== "simple" || node.redirects.some(({ kind }) => kind !== "copy" && kind !== "sink")) return false;
  const [program = "", ...rest] = literalWords(node);
  if (program === "tee") return true;
  return (program === "tail" || program === "cat") && rest.every((word) => /^-[\w=+-]*$|^\+?\d+$/.test(word));
}

const silent = new Set(["cd", "export", "set", "true", ":"]);
const quiet = new Set([...silent, "echo", "printf", "pwd"]);

function isAmong(node: ShellNode, programs: ReadonlySet<string>): boolean {
  if (node.kind !== "simple") return false;
  const [first] = literalWords(node);
  return first === undefined || programs.has(first);
}

function setOptions(words: readonly string[]): { readonly errexit?: boolean; readonly pipefail?: boolean } | undefined {
  if (words[0] !== "set") return undefined;
  const found: { errexit?: boolean; pipefail?: boolean } = {};
  for (const [index, word] of words.entries()) {
    const on = word.startsWith("-");
    if (/^[-+][a-z]*e/.test(word)) found.errexit = on;
    if (!/^[-+][a-z]*o$/.test(word)) continue;
    if (words[index + 1] === "errexit") found.errexit = on;
    if (words[index + 1] === "pipefail") found.pipefail = on;
  }
  return found;
}
