import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { interpreters, shellBuiltins } from "../src/programs/interpreters.ts";
import { launching } from "../src/programs/launchers.ts";
import { programs } from "../src/programs/programs.ts";
import { subCommands } from "../src/programs/sub-commands.ts";
import { wrappers } from "../src/programs/wrappers.ts";

const programNames: ReadonlySet<string> = new Set([
  ...[...programs, ...subCommands, ...wrappers].flatMap(({ names }) => names.map((name) => name.replace(/ .*/, ""))),
  ...[...interpreters, ...shellBuiltins, ...launching],
]);

/** English words, or words of this program, that programs are called as well. Only distinctive names count. */
const ordinaryWords: ReadonlySet<string> = new Set(
  `. : [ act alias alternatives amp api apply arch archive as at base batch bc bg bind box break build builtin buf bundle
  c8 cache caller case cat cd check clear code codex coffee column comm command compress consul continue continued cross-env
  cursor cut date declare delta diff dig dir disown dist dot echo ed enable entr eval ex exec exit expand expect export
  expr factor false fetch file find flock fold forever format free fuser get go goose group groups help hist history host
  hostname http https hub id init install ip jar join just kind kill last ld less let lines link links list llm local
  locate log login logout look mail make man map mode more most mount mv name nice node objects op open packages parallel
  parted pass paste patch paths pi ping port pr printf ps pstree python pwd r rank read readonly rename render return rev
  route run sar screen script security sed seq serve service set shift shopt show sleep sort source split ss standard
  start stat storybook strings stripe sum supervisor suspend tap tar task tee terminal test tests tick time timeout times
  tmux top touch tr trap travis tree true tty type types umask uniq unit unlink unset update uptime users view wait watch
  wc whereis which who wire write yes zip base64 configure info env complete coverage size head hash next jobs tail R`.split(
    /\s+/,
  ),
);

/** Our own name, and tools of ours that are called like the programs that models know. */
const ownNames: ReadonlySet<string> = new Set(["gauntlet", "skill", "bash", "grep"]);

/** Places that may name a program all the same. An entry of which nothing is found is an error. */
const allowed: Readonly<Record<string, string>> = {
  "src/host/": "runs git and keyrings, and examines the machine",
  "src/sandbox/": "runs programs of its own and names system calls",
  "src/provider/known-providers.ts": "the name of a provider",
  "src/agent/context/notes.ts": "shortens a command for display",
  "src/tools/terminal/test-report.ts": "the names of report formats",
  "src/shell/read-command.ts": "git has a reader of its own",
  "src/shell/builtins.ts": "builtins change the state of the shell",
};

/** Places that may match the text of a command. All others ask `src/shell`, or use the words of an effect report. */
const allowedText: Readonly<Record<string, string>> = {
  "src/shell/": "reads shell text",
  "src/tools/terminal/command-text.ts": "shortens a command for display",
};

export interface ProgramFinding {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** Program names, and regular expressions on the text of a command, outside the folders that own this knowledge. */
export function findPrograms(files: Readonly<Record<string, string>>): readonly ProgramFinding[] {
  return Object.entries(files).flatMap(([file, text]) => findingsIn(file, text));
}

function findingsIn(file: string, text: string): readonly ProgramFinding[] {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found: ProgramFinding[] = [];
  const report = (node: ts.Node, what: string) =>
    found.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, what });
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && isValue(node) && namesPrograms(node.text)) report(node, node.text.slice(0, 40));
    if (ts.isCallExpression(node) && readsCommand(node)) report(node, textMatch);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter(
    ({ what }) => what !== textMatch || !Object.keys(allowedText).some((place) => file.startsWith(place)),
  );
}

const textMatch = "regular expression on a command";

/** A name, or a list of names in one text. */
function namesPrograms(text: string): boolean {
  if (isDistinctive(text)) return true;
  const words = text.split(/\s+/).filter((word) => word !== "");
  const known = words.filter((word) => programNames.has(word));
  return known.length * 4 >= words.length * 3 && words.filter(isDistinctive).length >= 3;
}

function isDistinctive(name: string): boolean {
  return programNames.has(name) && !ordinaryWords.has(name) && !ownNames.has(name) && !/^[a-z]{1,2}$/.test(name);
}

/** Not the name of a module, and not a key of an object or a type. */
function isValue({ parent }: ts.Node): boolean {
  return !(ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent));
}

const commandNames: ReadonlySet<string> = new Set(["command", "commandText"]);
const onText: ReadonlySet<string> = new Set(["match", "matchAll", "replace", "replaceAll", "split", "search"]);

/** `/x/.test(command)`, `pattern.exec(report.command?.text ?? "")`, `part.text.trim().split(" ")`. */
function readsCommand(call: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(call.expression)) return false;
  const { expression: receiver, name } = call.expression;
  const [first] = call.arguments;
  if (name.text === "test" || name.text === "exec") return first !== undefined && isCommand(first);
  return onText.has(name.text) && isCommand(receiver);
}

/** What holds the text of a command by its name, or is taken out of a part of an effect report. */
function isCommand(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isCommand(node.expression);
  if (ts.isBinaryExpression(node)) return isCommand(node.left);
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return /^(?:trim|toLowerCase|slice)/.test(node.expression.name.text) && isCommand(node.expression.expression);
  if (ts.isIdentifier(node)) return commandNames.has(node.text) || isTextOfPart(node);
  if (!ts.isPropertyAccessExpression(node)) return false;
  const isPart = ts.isIdentifier(node.expression) && /part$/i.test(node.expression.text);
  return commandNames.has(node.name.text) || (node.name.text === "text" && (isPart || isCommand(node.expression)));
}

/** `({ text }: EffectPart) => …`. */
function isTextOfPart({ text, parent }: ts.Identifier): boolean {
  const from = ts.findAncestor(
    parent,
    (node) =>
      ts.isFunctionLike(node) &&
      node.parameters.some(
        ({ name, type }) =>
          ts.isObjectBindingPattern(name) &&
          /\b(?:EffectPart|ShellCommand)\b/.test(type?.getText() ?? "") &&
          name.elements.some(
            (one) => one.name.getText() === text && (one.propertyName ?? one.name).getText() === "text",
          ),
      ),
  );
  return from !== undefined;
}

/** What is wrong in the sources below a directory, a line each. */
export function checkPrograms(root: string): readonly string[] {
  const names = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join("src", name.replaceAll(path.sep, "/")))
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture)\.tsx?$|^src\/programs\//.test(file));
  const found = findPrograms(
    Object.fromEntries(names.map((file) => [file, readFileSync(path.join(root, file), "utf8")])),
  );
  const places = Object.keys(allowed);
  const wrong = found.filter(({ file }) => !places.some((place) => file.startsWith(place)));
  const unused = places.filter((place) => !found.some(({ file }) => file.startsWith(place)));
  return [
    ...wrong.map(({ file, line, what }) => `${file}:${line} ${what}: programs are known in src/programs only`),
    ...unused.map((place) => `${place} needs no exception: remove it from scripts/check-programs.ts`),
  ];
}

if (import.meta.main) {
  const found = checkPrograms(path.dirname(import.meta.dirname));
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
