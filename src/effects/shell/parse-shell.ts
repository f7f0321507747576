import {
  type Command,
  type CommandNode,
  type CompoundList,
  forEachChild,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import { disguise, readWord, roughWords } from "./read-word.ts";
import type { Opaque, Sequence, ShellNode, ShellParse, ShellRedirect, ShellWord } from "./shell-tree.ts";

export const longestCommand = 128 * 1024;

/**
 * Reads a command once. The parser is tolerant, so it is not taken at its word: every byte between two pieces
 * must be what the grammar puts there, and every word must read the same by our own rules. Any doubt makes the
 * whole text opaque.
 */
export function parseShell(text: string): ShellParse {
  if (Buffer.byteLength(text) > longestCommand) {
    return { root: opaqueText(text, `it is longer than ${longestCommand / 1024} KiB`, rough(text)) };
  }
  let script: ReturnType<typeof parse>;
  try {
    script = parse(text);
  } catch {
    return { root: opaqueText(text, "it could not be parsed", rough(text)) };
  }
  const inside = commandsInside(script);
  const error = script.errors?.[0];
  if (error !== undefined) {
    const root = opaqueText(text, `it could not be parsed: ${error.message}`, [...inside, ...rough(text)]);
    // The parser is stricter than bash inside [[ ]] and (( )): there it may be wrong.
    return /\[\[|\(\(/.test(text) ? { root } : { root, syntaxError: error.message };
  }
  const disguised = disguise(text);
  if (disguised !== undefined) return { root: opaqueText(text, disguised, [...inside, ...rough(text)]) };

  const reading: Reading = { source: text, doubts: [] };
  const root = readList(script.commands, 0, text.length, reading);
  const doubt = reading.doubts[0];
  return { root: doubt === undefined ? root : opaqueText(text, doubt, [...inside, ...rough(text)]) };
}

type Inside = Opaque["inside"];

interface Reading {
  readonly source: string;
  readonly doubts: string[];
}

/** A joined line counts as a blank only behind a blank: elsewhere it joins words. */
const line = String.raw`(?:[ \t]|(?<=[ \t\n])\\\n)`;
const comment = String.raw`(?:(?<=[\s;&|()]|^)#[^\n]*)`;
const any = `(?:${line}|\\n|${comment})`;
const gaps = {
  lead: new RegExp(`${any}*`, "y"),
  next: new RegExp(`(?:${line}|${comment})*[;&\\n]${any}*`, "y"),
  tail: new RegExp(`(?:${line}|${comment})*(?:[;&\\n]${any}*)?`, "y"),
  words: new RegExp(`${line}+`, "y"),
  redirect: new RegExp(`${line}*`, "y"),
  "&&": new RegExp(`${line}*&&${any}*`, "y"),
  "||": new RegExp(`${line}*\\|\\|${any}*`, "y"),
  "|": new RegExp(`${line}*\\|${any}*`, "y"),
  "|&": new RegExp(`${line}*\\|&${any}*`, "y"),
  prefixes: new RegExp(`(?:(?:!|time)${line}+)*`, "y"),
  "(": new RegExp(`\\(${any}*`, "y"),
  "{": new RegExp(`\\{(?:${line}|\\n)${any}*`, "y"),
} as const;

/** Is the text between two places only what may stand there? */
function expectGap(reading: Reading, gap: keyof typeof gaps, from: number, to: number): void {
  const pattern = new RegExp(gaps[gap]);
  pattern.lastIndex = from;
  const found = pattern.exec(reading.source);
  if (found === null || from + found[0].length !== to) {
    reading.doubts.push(`the text around ${JSON.stringify(reading.source.slice(from, to + 10))} is not understood`);
  }
}

function readList(statements: readonly Statement[], from: number, to: number, reading: Reading): ShellNode {
  const items: Sequence["items"][number][] = [];
  let end = from;
  for (const [index, statement] of statements.entries()) {
    expectGap(reading, index === 0 ? "lead" : "next", end, statement.pos);
    const node = statement.background
      ? opaque(statement.command, reading, "it runs in the background")
      : readAndOr(statement.command, reading);
    const nested = node.kind === "sequence" ? node.items : [{ node, before: ";" as const }];
    items.push(
      ...(nested.map((item, at) =>
        at === 0 ? { ...item, before: index === 0 ? "start" : ";" } : item,
      ) as typeof items),
    );
    end = statement.command.end;
  }
  expectGap(reading, statements.length === 0 ? "lead" : "tail", end, to);
  const [only] = items;
  return items.length === 1 && only !== undefined ? only.node : { kind: "sequence", items };
}

function readAndOr(node: Statement["command"], reading: Reading): ShellNode {
  if (node.type !== "AndOr") return readPipeline(node, reading);
  const items = node.commands.map((command, index) => {
    const previous = node.commands[index - 1];
    const operator = node.operators[index - 1];
    if (previous !== undefined && operator !== undefined) expectGap(reading, operator, previous.end, command.pos);
    return { node: readPipeline(command, reading), before: operator ?? ("start" as const) };
  });
  return { kind: "sequence", items };
}

function readPipeline(node: PipelineNode, reading: Reading): ShellNode {
  if (node.type !== "Pipeline") return readCommandNode(node, reading);
  const [head] = node.commands;
  if (head === undefined) return opaque(node, reading, "it is empty");
  expectGap(reading, "prefixes", node.pos, head.pos);
  const commands = node.commands.map((command, index) => {
    const previous = node.commands[index - 1];
    if (previous !== undefined) expectGap(reading, node.operators[index - 1] ?? "|", previous.end, command.pos);
    return readCommandNode(command, reading);
  });
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? only : { kind: "pipeline", commands };
}

function readCommandNode(node: CommandNode, reading: Reading): ShellNode {
  switch (node.type) {
    case "Command":
      return readSimple(node, reading);
    case "Subshell":
    case "BraceGroup":
      return readGroup(node, [], reading);
    case "Redirected": {
      const { command } = node;
      if (command.type !== "Subshell" && command.type !== "BraceGroup") break;
      const redirects = readRedirects(node.redirects, command.end, reading);
      return "why" in redirects ? opaque(node, reading, redirects.why) : readGroup(command, redirects.list, reading);
    }
  }
  return opaque(node, reading, `${node.type} is not in the grammar`);
}

function readGroup(
  node: {
    readonly type: "Subshell" | "BraceGroup";
    readonly pos: number;
    readonly end: number;
    readonly body: CompoundList;
  },
  redirects: readonly ShellRedirect[],
  reading: Reading,
): ShellNode {
  const copy = node.type === "Subshell";
  const first = node.body.commands[0];
  if (first === undefined || reading.source[node.end - 1] !== (copy ? ")" : "}")) {
    return opaque(node, reading, "the group is not understood");
  }
  expectGap(reading, copy ? "(" : "{", node.pos, first.pos);
  return { kind: "group", copy, redirects, body: readList(node.body.commands, first.pos, node.end - 1, reading) };
}

function readSimple(node: Command, reading: Reading): ShellNode {
  const pieces = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix];
  const words: ShellWord[] = [];
  const redirects: ShellRedirect[] = [];
  let end = node.pos;
  for (const piece of pieces) {
    if (piece.type === "Assignment") return opaque(node, reading, `it sets ${piece.name}`);
    const first = end === node.pos;
    if (piece.type === "Word") {
      if (!first) expectGap(reading, "words", end, piece.pos);
      const word = readLiteral(piece, reading);
      if ("why" in word) return opaque(node, reading, word.why);
      words.push(word);
    } else {
      const read = readRedirects([piece], end, reading);
      if ("why" in read) return opaque(node, reading, read.why);
      redirects.push(...read.list);
    }
    end = piece.end;
  }
  const [command, ...rest] = words;
  if (command === undefined) return opaque(node, reading, "it has no command word");
  if (command.glob || command.tilde || !/^[\x21-\x7e]+$/.test(command.value)) {
    return opaque(node, reading, "its command word is not plain text");
  }
  return { kind: "simple", text: words.map((word) => word.text).join(" "), words: [command, ...rest], redirects };
}

function readLiteral(word: Word, reading: Reading): ShellWord | { readonly why: string } {
  const read = readWord(reading.source.slice(word.pos, word.end));
  if ("why" in read) return read;
  const foreign = word.parts?.find((part) => !plainParts.has(part.type));
  if (foreign !== undefined) return { why: `${foreign.text} is expanded` };
  return read.value === word.value ? read : { why: `${word.text} can be read in two ways` };
}

const plainParts: ReadonlySet<string> = new Set(["Literal", "SingleQuoted", "DoubleQuoted", "Glob"]);

function readRedirects(
  redirections: readonly Redirection[],
  from: number,
  reading: Reading,
): { readonly list: readonly ShellRedirect[] } | { readonly why: string } {
  const list: ShellRedirect[] = [];
  let end = from;
  for (const redirection of redirections) {
    expectGap(reading, "redirect", end, redirection.pos);
    end = redirection.end;
    if (redirection.type !== "Redirect") return { why: "a here-document is not in the grammar" };
    const { operator, target, descriptor } = redirection;
    if (target === undefined || descriptor?.type === "FileDescriptorVariable")
      return { why: "a redirection is unusual" };
    const word = readLiteral(target, reading);
    if ("why" in word) return word;
    const head = reading.source.slice(redirection.pos, target.pos);
    if (word.glob || !/^\d*[<>&|]+[ \t]*$/.test(head)) return { why: "a redirection is unusual" };
    // Behind >& and <& bash expands the word a second time, quotes or not.
    if ((operator === ">&" || operator === "<&") && !/^(?:\d+|-)$/.test(word.value)) {
      return { why: "a redirection to something else than a descriptor is unusual" };
    }
    list.push(redirectOf(operator, word, reading.source.slice(redirection.pos, redirection.end)));
  }
  return { list };
}

function redirectOf(operator: string, target: ShellWord, text: string): ShellRedirect {
  const duplicates = (operator === ">&" || operator === "<&") && /^(?:\d|-)$/.test(target.value);
  if (duplicates || sinks.has(target.value)) return { kind: "harmless", text };
  return { kind: operator === "<" ? "read" : "write", text, target };
}

const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function opaque(node: SyntaxNode, reading: Reading, why: string): Opaque {
  return opaqueText(reading.source.slice(node.pos, node.end), why, commandsInside(node));
}

function opaqueText(text: string, why: string, inside: Inside): Opaque {
  return { kind: "opaque", text, why, inside };
}

/** For a text that cannot be parsed: one command of everything that could be a word. */
function rough(text: string): Inside {
  return [{ text, words: roughWords(text) }];
}

/** Every simple command that can be seen, wherever it hides; for rules that must find it. */
function commandsInside(root: SyntaxNode): Inside {
  const found: Inside[number][] = [];
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.args].map((word) => (word.type === "Word" ? word.value : word.text));
      found.push({ text: words.join(" "), words });
    }
    forEachChild(node, (child) => void waiting.push(child));
  }
  return found;
}
