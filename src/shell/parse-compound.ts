import type { Case, CommandNode, CompoundList, If, Statement, SyntaxNode, TestExpression, Word } from "unbash";
import { doubt, expectEnd, expectGap, type Reading } from "./gaps.ts";
import type { Doubt, WordUse } from "./read-word.ts";
import type { Opaque, ShellNode, TestCommand, WordTemplate } from "./tree.ts";

export interface CompoundReader {
  readonly readList: (statements: readonly Statement[], from: number, to: number, reading: Reading) => ShellNode;
  readonly readStatements: (statements: readonly Statement[], reading: Reading) => ShellNode;
  readonly readText: (word: Word, use: WordUse, reading: Reading) => readonly WordTemplate[] | Doubt;
  readonly opaque: (node: SyntaxNode, reading: Reading, why: string) => Opaque;
}

type Node<T extends CommandNode["type"]> = Extract<CommandNode, { type: T }>;

export function readCompound(
  node: Exclude<CommandNode, Node<"Command"> | Node<"Redirected">>,
  reading: Reading,
  reader: CompoundReader,
): ShellNode {
  switch (node.type) {
    case "Subshell":
    case "BraceGroup":
      return readGroup(node, reading, reader);
    case "If":
      return readConditional(node, reading, reader);
    case "While": {
      expectGap(reading, "while", node.pos, start(node.clause, node));
      const test = reader.readStatements(node.clause.commands, reading);
      expectEnd(reading, "do", node.clause.commands, start(node.body, node));
      const body = reader.readStatements(node.body.commands, reading);
      expectEnd(reading, "done", node.body.commands, node.end);
      return { kind: "loop", word: node.kind, test, body };
    }
    case "For":
      return readForEach(node, reading, reader);
    case "Case":
      return readChoice(node, reading, reader);
    case "TestCommand":
      return readTest(node, reading, reader);
    case "ArithmeticCommand": {
      const text = reading.source.slice(node.pos, node.end);
      if (!/^\(\(.*\)\)$/s.test(text)) break;
      return { kind: "arithmetic", text, expression: text.slice(2, -2) };
    }
  }
  const over = reader.opaque(node, reading, `${node.type} is not in the grammar`);
  if (node.type === "ArithmeticFor") return { ...over, body: reader.readStatements(node.body.commands, reading) };
  if (node.type !== "Function" || (node.body.type !== "BraceGroup" && node.body.type !== "Subshell")) return over;
  return { ...over, body: readGroup(node.body, reading, reader) };
}

/** An empty list is an error to bash; its place then fits nothing. */
function start(list: CompoundList, around: { readonly end: number }): number {
  return list.commands[0]?.pos ?? around.end + 1;
}

function readGroup(
  node: Node<"Subshell"> | Node<"BraceGroup">,
  reading: Reading,
  { readList, opaque }: CompoundReader,
): ShellNode {
  const copy = node.type === "Subshell";
  const first = node.body.commands[0];
  if (first === undefined || reading.source[node.end - 1] !== (copy ? ")" : "}")) {
    return opaque(node, reading, "the group is not understood");
  }
  expectGap(reading, copy ? "(" : "{", node.pos, first.pos);
  const body = readList(node.body.commands, first.pos, node.end - 1, reading);
  return { kind: "group", copy, redirects: [], body };
}

function readConditional(node: If, reading: Reading, { readStatements }: CompoundReader): ShellNode {
  const parts = [node, ...node.elif];
  expectGap(reading, "if", node.pos, start(node.clause, node));
  const branches = parts.map(({ clause, then }, index) => {
    const test = readStatements(clause.commands, reading);
    expectEnd(reading, "then body", clause.commands, start(then, node));
    const body = readStatements(then.commands, reading);
    const following = parts[index + 1];
    if (following !== undefined) expectEnd(reading, "elif", then.commands, start(following.clause, node));
    else if (node.else !== undefined) expectEnd(reading, "else", then.commands, start(node.else, node));
    else expectEnd(reading, "fi", then.commands, node.end);
    return { test, body };
  });
  if (node.else === undefined) return { kind: "conditional", branches, otherwise: undefined };
  const otherwise = readStatements(node.else.commands, reading);
  expectEnd(reading, "fi", node.else.commands, node.end);
  return { kind: "conditional", branches, otherwise };
}

function readForEach(node: Node<"For">, reading: Reading, reader: CompoundReader): ShellNode {
  const { name, wordlist, body } = node;
  const [first] = wordlist ?? [];
  if (wordlist === undefined || first === undefined) {
    return reader.opaque(node, reading, "a loop without a list is not in the grammar");
  }
  expectGap(reading, "for", node.pos, name.pos);
  expectGap(reading, "in", name.end, first.pos);
  const words: WordTemplate[] = [];
  let why: string | undefined;
  for (const [index, word] of wordlist.entries()) {
    const previous = wordlist[index - 1];
    if (previous !== undefined) expectGap(reading, "words", previous.end, word.pos);
    const read = reader.readText(word, "word", reading);
    if ("why" in read) why ??= read.why;
    else words.push(...read);
  }
  expectGap(reading, "list do", wordlist.at(-1)?.end ?? node.end, start(body, node));
  const statements = reader.readStatements(body.commands, reading);
  expectEnd(reading, "done", body.commands, node.end);
  if (why !== undefined) return reader.opaque(node, reading, why);
  return { kind: "for-each", name: name.text, words, body: statements };
}

function readChoice(node: Case, reading: Reading, reader: CompoundReader): ShellNode {
  const { readText, readStatements, opaque } = reader;
  const subject = readText(node.word, "pattern", reading);
  if ("why" in subject) return opaque(node, reading, subject.why);
  expectGap(reading, "case", node.pos, node.word.pos);
  const words = [...subject];
  const bodies: ShellNode[] = [];
  let end = node.word.end;
  for (const [index, item] of node.items.entries()) {
    const [first] = item.pattern;
    if (item.terminator !== ";;" || first === undefined) return opaque(node, reading, "a case falls through");
    expectGap(reading, index === 0 ? "case in" : "lead", end, item.pos);
    expectGap(reading, "first pattern", item.pos, first.pos);
    for (const [at, pattern] of item.pattern.entries()) {
      const previous = item.pattern[at - 1];
      if (previous !== undefined) expectGap(reading, "next pattern", previous.end, pattern.pos);
      const read = readText(pattern, "pattern", reading);
      if ("why" in read) return opaque(node, reading, read.why);
      words.push(...read);
    }
    const statements = item.body.commands;
    const opened = item.pattern.at(-1)?.end ?? item.pos;
    expectGap(reading, "pattern end", opened, statements[0]?.pos ?? item.end - 2);
    bodies.push(readStatements(statements, reading));
    if (statements.length === 0) expectGap(reading, "empty item", item.end - 2, item.end);
    else expectEnd(reading, "item end", statements, item.end);
    end = item.end;
  }
  expectGap(reading, "esac", end, node.end);
  return { kind: "choice", words, bodies };
}

/** Which of the tests are made is not followed, so what joins them may be any of the signs. */
function readTest(node: Node<"TestCommand">, reading: Reading, reader: CompoundReader): ShellNode {
  const text = reading.source.slice(node.pos, node.end);
  const tests: TestCommand["tests"][number][] = [];
  let end = node.pos;
  const upTo = (to: number, expected: RegExp, last = "") => {
    const between = reading.source.slice(end, to).replace(/[ \t\n]+/g, "");
    if (!between.endsWith(last) || !expected.test(between.slice(0, between.length - last.length)))
      doubt(reading, end, to);
  };
  for (const { operator, operands } of testsIn(node.expression)) {
    const words: WordTemplate[] = [];
    for (const [at, operand] of operands.entries()) {
      const opens = at === 0 ? (tests.length === 0 ? /^\[\[[!(]*$/ : /^[!()&|]+$/) : /^$/;
      upTo(operand.pos, opens, at === operands.length - 1 ? operator : "");
      const read = reader.readText(operand, "pattern", reading);
      if ("why" in read) return reader.opaque(node, reading, read.why);
      words.push(...read);
      ({ end } = operand);
    }
    tests.push({ operator, words });
  }
  upTo(node.end, /^\)*\]\]$/);
  return { kind: "test", text, tests };
}

function testsIn(node: TestExpression): readonly { readonly operator: string; readonly operands: readonly Word[] }[] {
  switch (node.type) {
    case "TestUnary":
      return [{ operator: node.operator, operands: [node.operand] }];
    case "TestBinary":
      return [{ operator: node.operator, operands: [node.left, node.right] }];
    case "TestNot":
      return testsIn(node.operand);
    case "TestGroup":
      return testsIn(node.expression);
    case "TestLogical":
      return node.operands.flatMap(testsIn);
  }
}
