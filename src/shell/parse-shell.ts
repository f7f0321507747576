import {
  type Command,
  type CommandExpansionPart,
  type CommandNode,
  forEachChild,
  type PipelineNode,
  type ProcessSubstitutionPart,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import { isSink, isStandardInput } from "../effects/devices.ts";
import type { Dialect } from "../programs/program-entry.ts";
import { checkHereDocument, documentsBeyond, doubt, expectEnd, expectGap, leaveOut, type Reading } from "./gaps.ts";
import { type CompoundReader, readCompound } from "./parse-compound.ts";
import { type Doubt, disguise, readQuoted, readWord, roughWords, type WordUse, withoutDisguise } from "./read-word.ts";
import type {
  Assignment,
  InsideCommands,
  Opaque,
  Sequence,
  ShellNode,
  ShellParse,
  ShellRedirect,
  WordTemplate,
} from "./tree.ts";

export const longestCommand = 128 * 1024;
const mostBraces = 2_000;
const mostWords = 8_192;
const mostRedirects = 64;

/** `sh` may be dash: what the two read in different ways is not read at all. */
const notOfSh =
  /\{[^}]*(?:,|\.\.)|\$'|\[\^|\|&|&>|[<>]\(|\[\[|\(\(|<<<|<>|\d\d[<>]|\b(?:time|declare|typeset|local)\b|\+=/;

/**
 * Reads a command once. The parser is tolerant, so it is not taken at its word: every byte between two pieces
 * must be what the grammar puts there, and every word must read the same by our own rules. Any doubt makes the
 * whole text opaque.
 */
export function parseShell(text: string, dialect: Dialect = "bash"): ShellParse {
  const whole = (why: string, inside: () => InsideCommands): ShellParse => ({
    root: { kind: "opaque", text, why, inside: inside() },
    inside,
  });
  if (Buffer.byteLength(text) > longestCommand) {
    return whole(`it is longer than ${longestCommand / 1024} KiB`, () => rough(text));
  }
  // The parser looks for the end from every beginning.
  if (Math.max(text.split("{").length, text.split("((").length) > mostBraces)
    return whole("it has too many braces", () => rough(text));
  let script: ReturnType<typeof parse>;
  try {
    script = parse(text);
  } catch {
    return whole("it could not be parsed", () => rough(text));
  }
  const inside = () => [...commandsInside(script, text), ...rough(text)];
  const error = script.errors?.[0];
  if (error !== undefined) {
    const refused = whole(`it could not be parsed: ${error.message}`, inside);
    // The parser is stricter than bash inside [[ ]] and (( )): there it may be wrong.
    return /\[\[|\(\(/.test(text) ? refused : { ...refused, syntaxError: error.message };
  }
  const disguised = disguise(text);
  if (disguised !== undefined) return whole(disguised, () => [...inside(), ...insideVisible(text)]);

  if (dialect === "sh" && notOfSh.test(text)) return whole("not every sh reads it as bash does", inside);

  const reading: Reading = { source: text, doubts: [], documents: [] };
  const root = readList(script.commands, 0, text.length, reading);
  const [first] = reading.doubts;
  return first === undefined ? { root, inside } : whole(first, inside);
}

function readList(statements: readonly Statement[], from: number, to: number, reading: Reading): ShellNode {
  const [first] = statements;
  expectGap(reading, "lead", from, first?.pos ?? to);
  const list = readStatements(statements, reading);
  if (first !== undefined) expectEnd(reading, "tail", statements, to);
  return list;
}

/** The statements and what stands between them; the caller looks at what stands around them. */
function readStatements(statements: readonly Statement[], reading: Reading): ShellNode {
  const items: Sequence["items"][number][] = [];
  for (const [index, statement] of statements.entries()) {
    const previous = statements[index - 1];
    if (previous !== undefined) expectEnd(reading, "next", [previous], statement.pos);
    const read = readAndOr(statement.command, reading);
    const node: ShellNode = statement.background ? { kind: "background", body: read } : read;
    const nested: Sequence["items"] = node.kind === "sequence" ? node.items : [{ node, before: ";" }];
    for (const [at, item] of nested.entries()) {
      items.push(at > 0 ? item : { node: item.node, before: index === 0 ? "start" : ";" });
    }
  }
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
  if (commands.length > 1 || only === undefined) {
    return { kind: "pipeline", commands, withErrors: node.operators.includes("|&") };
  }
  const negated = node.prefixes.some(({ type }) => type === "Negation");
  return negated ? { kind: "group", copy: false, body: only, redirects: [] } : only;
}

function readCommandNode(node: CommandNode, reading: Reading): ShellNode {
  if (node.type === "Command") return readSimple(node, reading);
  if (node.type !== "Redirected") return readCompound(node, reading, compounds);
  const body = readCompound(node.command, reading, compounds);
  const redirects = readRedirects(node.redirects, node.command.end, reading);
  if ("why" in redirects) return opaque(node, reading, redirects.why);
  return { kind: "group", copy: false, body, redirects };
}

const compounds: CompoundReader = { readList, readStatements, readText, opaque };

function readSimple(node: Command, reading: Reading): ShellNode {
  const pieces = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix];
  const words: WordTemplate[] = [];
  const assignments: Assignment[] = [];
  const redirects: ShellRedirect[] = [];
  const texts: string[] = [];
  let end = node.pos;
  for (const piece of pieces) {
    if (piece.type === "Word" || piece.type === "Assignment") {
      if (end !== node.pos) expectGap(reading, "words", end, piece.pos);
      texts.push(reading.source.slice(piece.pos, piece.end));
    }
    if (piece.type === "Assignment" && words.length === 0) {
      const assignment = readAssignment(piece, reading);
      if ("why" in assignment) return opaque(node, reading, assignment.why);
      assignments.push(assignment);
    } else if (piece.type === "Word" || piece.type === "Assignment") {
      const read = piece.type === "Word" ? readText(piece, "word", reading) : readArgument(piece, reading);
      if ("why" in read) return opaque(node, reading, read.why);
      if (words.length === 0 && read.length > 1) return opaque(node, reading, "braces make its command word");
      words.push(...read);
      if (words.length > mostWords) return opaque(node, reading, "it has too many words");
    } else {
      const read = readRedirects([piece], end, reading);
      if ("why" in read) return opaque(node, reading, read.why);
      redirects.push(...read);
    }
    end = piece.end;
  }
  if (redirects.length > mostRedirects) return opaque(node, reading, "it has too many redirections");
  const [command] = words;
  if (node.name !== undefined && (command === undefined || !isPlainCommand(command))) {
    return opaque(node, reading, "its command word is not plain text");
  }
  return { kind: "simple", text: texts.join(" "), assignments, words, redirects };
}

/** Plain text, in which plain variables may be filled in. `[` alone matches no file name. */
function isPlainCommand({ pieces, text }: WordTemplate): boolean {
  if (text === "[") return true;
  if (text.includes("$") && !pieces.some(({ kind }) => kind === "variable")) return false;
  return pieces.every(
    (piece) =>
      piece.kind === "variable" ||
      (piece.kind === "text" && /^[\x21-\x7e]*$/.test(piece.value) && (piece.quoted || !/[*?[]/.test(piece.value))),
  );
}

type AssignmentNode = Extract<Command["prefix"][number], { type: "Assignment" }>;

function readAssignment(node: AssignmentNode, reading: Reading): Assignment | Doubt {
  const { name, value, index } = node;
  const isPlain = value.type === "Word" && index === undefined && node.append !== true;
  if (!isPlain || reading.source.slice(node.pos, value.pos) !== `${name}=`) return { why: `it sets ${name}` };
  const read = readText(value, "value", reading);
  return "why" in read ? read : { name, value: read[0] ?? { text: "", pieces: [] } };
}

/** `export A=b`, `make CC=gcc`: a word that looks like an assignment. Bash splits its value only for some commands. */
function readArgument(node: AssignmentNode, reading: Reading): readonly WordTemplate[] | Doubt {
  const assignment = readAssignment(node, reading);
  if ("why" in assignment) return assignment;
  const { name, value } = assignment;
  const settled = value.pieces.every(
    (piece) => piece.kind === "text" && (piece.quoted || !/[{*?[~]/.test(piece.value)),
  );
  const quoted = value.pieces.every((piece) => piece.kind !== "home" && "quoted" in piece && piece.quoted);
  if (!settled && !quoted) return { why: `${node.text} can be read in two ways` };
  const start = { kind: "text", value: `${name}=`, quoted: false } as const;
  return [{ text: reading.source.slice(node.pos, node.end), pieces: [start, ...value.pieces] }];
}

function readText(word: Word, use: WordUse, reading: Reading): readonly WordTemplate[] | Doubt {
  return readWord(word, use, wordContext(reading));
}

function wordContext(reading: Reading) {
  const { source } = reading;
  return {
    source,
    nested: (part: CommandExpansionPart | ProcessSubstitutionPart) => readNested(part, reading),
  };
}

function readNested(part: CommandExpansionPart | ProcessSubstitutionPart, reading: Reading): ShellNode {
  const { script } = part;
  const open = part.text.startsWith("`") ? 1 : 2;
  if (script === undefined || script.source !== undefined || (script.errors?.length ?? 0) > 0) {
    return opaque(part, reading, "what it substitutes is not understood");
  }
  const before = documentsBeyond(reading, part.end - 1);
  const list = readList(script.commands, part.pos + open, part.end - 1, reading);
  if (documentsBeyond(reading, part.end - 1) !== before) doubt(reading, part.pos, part.end);
  return list;
}

function readRedirects(
  redirections: readonly Redirection[],
  from: number,
  reading: Reading,
): readonly ShellRedirect[] | Doubt {
  const list: ShellRedirect[] = [];
  let end = from;
  for (const redirection of redirections) {
    expectGap(reading, "redirect", end, redirection.pos);
    end = redirection.end;
    const redirect = readRedirect(redirection, reading);
    if ("why" in redirect) return redirect;
    list.push(redirect);
  }
  return list;
}

function readRedirect(node: Redirection, reading: Reading): ShellRedirect | Doubt {
  const text = reading.source.slice(node.pos, node.end);
  if (node.descriptor?.type === "FileDescriptorVariable") return { why: "a redirection is unusual" };
  if (node.type === "HereDoc") return readHereDocument(node, text, reading);
  const { target, operator } = node;
  if (target === undefined) return { why: "a redirection is unusual" };
  const head = reading.source.slice(node.pos, target.pos);
  const descriptor = descriptorOf(head, operator);
  if (descriptor === undefined) return { why: "a redirection is unusual" };
  const words = readText(target, operator === "<<<" ? "value" : "target", reading);
  if ("why" in words) return words;
  const [word] = words;
  if (word === undefined) return { why: "a redirection is unusual" };
  if (node.type === "HereString") return { kind: "input", text, descriptor, content: word };
  return redirectOf(operator, word, { text, descriptor });
}

/** One digit at most: `00` is another way to write 0, and to some shells a word. */
function descriptorOf(head: string, operator: string): number | undefined {
  const [, digit, sign] = /^(\d?)([<>&|]+-?)[ \t]*$/.exec(head) ?? [];
  if (sign !== operator) return undefined;
  return digit === "" ? (operator.startsWith("<") ? 0 : 1) : Number(digit);
}

function redirectOf(
  operator: string,
  target: WordTemplate,
  common: { readonly text: string; readonly descriptor: number },
): ShellRedirect | Doubt {
  const [only, second] = target.pieces;
  const literal = only?.kind === "text" && second === undefined ? only.value : undefined;
  if (operator === ">&" || operator === "<&") {
    // Behind >& and <& bash expands the word a second time, quotes or not.
    // With `-` it closes one, and redirections of commands inside may fail.
    if (literal === undefined || !/^\d$/.test(literal)) return { why: "a redirection names no descriptor" };
    return { kind: "copy", ...common, source: Number(literal) };
  }
  if (operator === "<" && literal !== undefined && isStandardInput(literal))
    return { kind: "copy", ...common, source: 0, byName: true };
  const takes = operator !== "<" && operator !== "<>" && isSink(literal ?? "");
  if (literal !== undefined && (takes || sinks.has(literal)))
    return { kind: "sink", ...common, empty: literal === "/dev/null" };
  return { kind: operator === "<" ? "read" : operator === "<>" ? "change" : "write", ...common, target };
}

const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function readHereDocument(
  node: Extract<Redirection, { type: "HereDoc" }>,
  text: string,
  reading: Reading,
): ShellRedirect | Doubt {
  const why = checkHereDocument(reading, node);
  if (why !== undefined) {
    reading.doubts.push(why);
    return { why };
  }
  const { body, delimiter, closing } = node;
  const content: WordTemplate | Doubt =
    delimiter?.quoted === true
      ? { text: "", pieces: [{ kind: "text", value: body.text, quoted: true }] }
      : readQuoted({ pos: body.pos, end: body.end, parts: body.parts ?? [] }, wordContext(reading));
  leaveOut(reading, body.pos, closing?.end ?? body.end);
  if ("why" in content) return content;
  const descriptor = descriptorOf(/^\d*<<-?/.exec(text)?.[0] ?? "", node.operator);
  if (descriptor === undefined) return { why: "a redirection is unusual" };
  const kept = node.operator === "<<-" ? withoutTabs(content) : content;
  return "why" in kept ? kept : { kind: "input", text, descriptor, content: kept };
}

/** `<<-` takes the tabs off the beginning of every line. */
function withoutTabs({ text, pieces: [only, second] }: WordTemplate): WordTemplate | Doubt {
  if (only?.kind !== "text" || second !== undefined) return { why: "a here-document is filled in, and loses tabs" };
  return { text, pieces: [{ ...only, value: only.value.replace(/^\t+/gm, "") }] };
}

function opaque(node: SyntaxNode, reading: Reading, why: string): Opaque {
  const text = reading.source.slice(node.pos, node.end);
  return { kind: "opaque", text, why, inside: commandsInside(node, text) };
}

function insideVisible(text: string): InsideCommands {
  const visible = withoutDisguise(text);
  try {
    return commandsInside(parse(visible), visible);
  } catch {
    return [];
  }
}

function rough(text: string): InsideCommands {
  return [{ text, words: roughWords(text), rough: true }];
}

/** Substitutions in substitutions hold each other's text: from here on one list of words stands for the rest. */
const mostInside = 1024 * 1024;

/** `GIT_EDITOR="rm x"`: a variable that a command is given may be one that it runs. */
export function insideGiven(value: string): InsideCommands {
  if (!/\s/.test(value)) return [];
  return [{ text: value, words: value.trim().split(/\s+/), ...(/[$`]/.test(value) ? {} : { rough: true }) }];
}

function givenText(prefix: Command["prefix"][number]): InsideCommands {
  return insideGiven(prefix.type === "Assignment" && prefix.value?.type === "Word" ? prefix.value.value : "");
}

function commandsInside(root: SyntaxNode, source: string): InsideCommands {
  const found: InsideCommands[number][] = [];
  let size = 0;
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "Command" && node.name !== undefined) {
      const words = [node.name, ...node.args].map((word) => (word.type === "Word" ? word.value : word.text));
      const text = words.join(" ");
      found.push({ text, words }, ...node.prefix.flatMap(givenText));
      size += text.length;
      if (size > mostInside) return [...found, ...rough(source)];
    }
    forEachChild(node, (child) => void waiting.push(child));
  }
  return found;
}
