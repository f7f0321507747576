import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { gitCommands } from "../src/programs/git/commands.ts";
import { interpreters, shellBuiltins } from "../src/programs/interpreters.ts";
import { launching } from "../src/programs/launchers.ts";
import { programs } from "../src/programs/programs.ts";
import { subCommands } from "../src/programs/sub-commands.ts";
import { wrappers } from "../src/programs/wrappers.ts";

const programNames: ReadonlySet<string> = new Set([
  ...[...programs, ...subCommands, ...wrappers].flatMap(({ names }) => names.map((name) => name.replace(/ .*/, ""))),
  ...[...interpreters, ...shellBuiltins, ...launching],
]);

/** English words, or words of this program, that programs are called as well. One that is not in the sources is an error. */
export const ordinaryWords: ReadonlySet<string> = new Set(
  `. : [ alias base64 break builtin code column command complete configure continue coverage cursor date declare
  delta diff echo enable env exec exit export false file free hash head help history host http info jobs kind last
  less links local logout open patch read return serve set size source tail task time test timeout touch tree true type
  umask wait yes`.split(/\s+/),
);

/** Sub-commands of git. A single one is an ordinary word, a list of them is not. */
const gitVerbs: ReadonlySet<string> = new Set(
  gitCommands.flatMap(({ names }) => names.map((name) => name.split(" ")[1] ?? "")),
);

/** Our own name, and tools of ours that are called like the programs that models know. */
const ownNames: ReadonlySet<string> = new Set(["gauntlet", "skill", "bash", "grep"]);

/** Places that may name a program all the same. An entry of which nothing is found is an error. */
export const allowed: Readonly<Record<string, string>> = {
  "src/host/": "runs git and keyrings, and examines the machine",
  "src/sandbox/": "runs programs of its own and names system calls",
  "src/provider/known-providers.ts": "the name of a provider",
  "src/agent/context/notes.ts": "shortens a command for display",
  "src/agent/verification/check-claims.ts": "the names of configuration files",
  "src/gate/generated-paths.ts": "the names of caches",
  "src/tools/terminal/test-report.ts": "the names of report formats",
};

/** Places that may match the text of a command. All others ask `src/shell`, or use the words of an effect report. */
export const allowedText: Readonly<Record<string, string>> = {
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
    if (ts.isStringLiteralLike(node) && isValue(node)) {
      if (isDistinctive(node.text) || isListed(node.text.split(/\s+/)) || isAskedFor(node))
        report(node, node.text.slice(0, 40));
    }
    const words = wordsIn(node);
    if (isListed(words)) report(node, words.join(" ").slice(0, 40));
    if (ts.isCallExpression(node) && readsCommand(node)) report(node, textMatch);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter(
    ({ what }) => what !== textMatch || !Object.keys(allowedText).some((place) => file.startsWith(place)),
  );
}

const textMatch = "regular expression on a command";

/** Of an array of texts, or of the alternatives of a regular expression. */
function wordsIn(node: ts.Node): readonly string[] {
  if (ts.isArrayLiteralExpression(node))
    return node.elements.map((one) => (ts.isStringLiteralLike(one) && !/\s/.test(one.text) ? one.text : "…"));
  const groups = ts.isRegularExpressionLiteral(node) ? node.text.match(/[\w-]+(?:\|[\w-]+)+/g) : undefined;
  return groups?.find((group) => isListed(group.split("|")))?.split("|") ?? [];
}

/** Mostly programs, and at least two of them distinctive, or mostly sub-commands of git. */
function isListed(given: readonly string[]): boolean {
  const words = given.filter((word) => word !== "");
  const isMost = (count: number, least: number) => count >= least && count * 4 >= words.length * 3;
  const known = words.filter((word) => programNames.has(word));
  const isOfPrograms = isMost(known.length, 2) && words.filter(isDistinctive).length >= 2;
  return isOfPrograms || isMost(words.filter((word) => gitVerbs.has(word)).length, 3);
}

/** `program === "file"`: here an ordinary word is the name of a program as well. */
function isAskedFor({ text, parent }: ts.StringLiteralLike): boolean {
  if (!programNames.has(text) || !/\w/.test(text) || !ts.isBinaryExpression(parent)) return false;
  return /(?:^|\.)(?:program|executable|interpreter|launcher)(?:Name)?$/.test(parent.left.getText());
}

function isDistinctive(name: string): boolean {
  return programNames.has(name) && !ordinaryWords.has(name) && !ownNames.has(name) && !/^[A-Za-z]{1,2}$/.test(name);
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
  const texts = Object.fromEntries(names.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
  const found = findPrograms(texts);
  const places = Object.keys(allowed);
  const wrong = found.filter(({ file }) => !places.some((place) => file.startsWith(place)));
  const unused = places.filter((place) => !found.some(({ file }) => file.startsWith(place)));
  const sources = Object.values(texts).join("\n");
  const needless = [...ordinaryWords].filter(
    (word) =>
      !['"', "|"].some((sign) => sources.includes(`${sign}${word}${sign}`) || sources.includes(`:${word}${sign}`)),
  );
  return [
    ...wrong.map(({ file, line, what }) => `${file}:${line} ${what}: programs are known in src/programs only`),
    ...unused.map((place) => `${place} needs no exception: remove it from scripts/check-programs.ts`),
    ...needless.map(
      (word) => `${word} is not an ordinary word of the sources: remove it from scripts/check-programs.ts`,
    ),
  ];
}

if (import.meta.main) {
  const found = checkPrograms(path.dirname(import.meta.dirname));
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
