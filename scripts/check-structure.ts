/**
 * The rules of size and order of `src/`, which no linter knows. `budget.json` holds how many lines each top folder may
 * have, and what breaks a rule for a recorded reason.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import ts from "typescript";

interface Budget {
  /** Non-blank lines, tests and generated files not counted. */
  readonly lines: Readonly<Record<string, number>>;
  /** `rule subject` with the reason. */
  readonly exceptions: Readonly<Record<string, string>>;
}

const root = path.join(import.meta.dirname, "..");
const budget: Budget = JSON.parse(readFileSync(path.join(root, "budget.json"), "utf8"));
const most = { filesInFolder: 20, linesInFile: 500, linesInFunction: 80, smallFile: 60, depth: 3 };
/** A file of these is found by its name, however short it is. */
const listed = /^src\/(tools\/|cli\/commands\/|contract\/events\/|programs\/|provider\/adapters\/)/;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => existsSync(path.join(root, file)) && !/\.(test|fixtures?)\.tsx?$/.test(file));
const sources = files
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    return { file, text, lines: text.split("\n").length - 1, tree: parse(file, text) };
  });

const broken = new Map<string, string>();
checkBudget();
checkFolders();
checkFiles();
checkSmallFiles();
checkTypeNames();

const unexpected = [...broken].filter(([subject]) => !(subject in budget.exceptions));
const needless = Object.keys(budget.exceptions).filter((subject) => !broken.has(subject));
for (const [subject, why] of unexpected) console.error(`${subject}: ${why}`);
for (const subject of needless) console.error(`${subject}: no longer exceeded, remove it from budget.json`);
process.exitCode = unexpected.length + needless.length > 0 ? 1 : 0;

function checkBudget(): void {
  const lines = new Map<string, number>();
  for (const file of files) {
    const [, folder = ""] = file.split("/");
    const top = file.split("/").length > 2 ? folder : ".";
    const text = readFileSync(path.join(root, file), "utf8");
    lines.set(top, (lines.get(top) ?? 0) + text.split("\n").filter((line) => line.trim() !== "").length);
  }
  for (const [folder, count] of lines) {
    const allowed = budget.lines[folder] ?? 0;
    if (count > allowed) broken.set(`budget ${folder}`, `${count} lines, ${allowed} in budget.json`);
  }
}

function checkFolders(): void {
  const folders = Map.groupBy(sources, ({ file }) => path.dirname(file));
  for (const [folder, { length }] of folders) {
    if (length > most.filesInFolder) broken.set(`folder ${folder}`, `${length} files, at most ${most.filesInFolder}`);
    if (folder.split("/").length - 1 > most.depth) broken.set(`depth ${folder}`, `at most ${most.depth} below src`);
  }
}

function checkFiles(): void {
  for (const { file, lines, tree } of sources) {
    if (lines > most.linesInFile) broken.set(`file ${file}`, `${lines} lines, at most ${most.linesInFile}`);
    const visit = (node: ts.Node, outer: string) => {
      const name = isFunction(node) ? (nameOf(node) ?? outer) : outer;
      if (isFunction(node)) {
        const length = ownLines(node, tree);
        const why = `${length} lines of its own, at most ${most.linesInFunction}`;
        if (length > most.linesInFunction) broken.set(`function ${file} ${name}`, why);
      }
      ts.forEachChild(node, (child) => visit(child, name));
    };
    visit(tree, "");
  }
}

function checkSmallFiles(): void {
  const importers = new Map<string, Set<string>>();
  for (const { file, tree } of sources) {
    for (const target of importsOf(tree)) {
      const found = path.join(path.dirname(file), target);
      importers.set(found, (importers.get(found) ?? new Set()).add(file));
    }
  }
  for (const { file, lines } of sources) {
    const [only, second] = importers.get(file) ?? [];
    if (lines >= most.smallFile || only === undefined || second !== undefined || listed.test(file)) continue;
    if (path.dirname(only) === path.dirname(file)) broken.set(`small ${file}`, `${lines} lines, used by ${only} alone`);
  }
}

function checkTypeNames(): void {
  const homes = new Map<string, string[]>();
  for (const { file, tree } of sources) {
    for (const statement of tree.statements) {
      if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) continue;
      const name = statement.name.text;
      homes.set(name, [...(homes.get(name) ?? []), file]);
    }
  }
  for (const [name, { length }] of homes) {
    if (length > 1) broken.set(`type ${name}`, `in ${homes.get(name)?.join(", ")}`);
  }
}

function importsOf(tree: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const from =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (from !== undefined && ts.isStringLiteral(from) && from.text.startsWith(".")) found.push(from.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Without the functions inside it: one that makes an object of functions is as long as a class. */
function ownLines(node: ts.Node, tree: ts.SourceFile): number {
  const all = lineAt(tree, node.end) - lineAt(tree, node.getStart()) + 1;
  let inner = 0;
  const visit = (child: ts.Node) => {
    if (isFunction(child)) inner += lineAt(tree, child.end) - lineAt(tree, child.getStart());
    else ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return all - inner;
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

function nameOf(node: ts.SignatureDeclaration): string | undefined {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : undefined;
}

function lineAt(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line;
}

function parse(file: string, text: string): ts.SourceFile {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
}
