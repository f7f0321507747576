import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** Rooms that may touch the system, as in .dependency-cruiser.mjs. */
const systemRooms = /^src\/(host|sandbox|log|compose)\/|^src\/(index|main|launch)\.ts$/;
const testCode = /\.(test|fixture)\.ts$/;

const forbiddenProperties: Readonly<Record<string, readonly string[]>> = {
  process: ["env", "getBuiltinModule", "binding", "dlopen", "chdir"],
  globalThis: ["fetch", "process", "WebSocket", "EventSource"],
  global: ["fetch", "process", "WebSocket", "EventSource"],
};
const forbiddenGlobals = ["fetch", "WebSocket", "EventSource", "require", "eval", "Function"];

/** Ways to the system that no import shows: `path:line what`. */
export function forbiddenUses(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1} ${what}`);
  };
  const visit = (node: ts.Node): void => {
    const access = propertyAccess(node);
    if (access !== undefined && forbiddenProperties[access.object]?.includes(access.property) === true) {
      report(node, `${access.object}.${access.property}`);
    }
    if (ts.isIdentifier(node) && forbiddenGlobals.includes(node.text) && isGlobalUse(node)) report(node, node.text);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments;
      if (target === undefined || !ts.isStringLiteral(target)) report(node, "import() of a computed name");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function propertyAccess(node: ts.Node): { readonly object: string; readonly property: string } | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return { object: node.expression.text, property: node.name.text };
  }
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const { argumentExpression: key } = node;
    return { object: node.expression.text, property: ts.isStringLiteralLike(key) ? key.text : "" };
  }
  // const { env } = process
  if (ts.isBindingElement(node)) {
    const declaration = node.parent.parent;
    if (!ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return undefined;
    if (!ts.isIdentifier(declaration.initializer)) return undefined;
    const name = node.propertyName ?? node.name;
    return { object: declaration.initializer.text, property: ts.isIdentifier(name) ? name.text : "" };
  }
  return undefined;
}

/** A word that stands for itself: no property, no key, no name being declared, no type. */
function isGlobalUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return true;
  if (ts.isVariableDeclaration(parent)) return parent.initializer === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return (
    ts.isShorthandPropertyAssignment(parent) || ts.isBinaryExpression(parent) || ts.isConditionalExpression(parent)
  );
}

function check(root: string): string[] {
  return readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join("src", name))
    .filter((file) => file.endsWith(".ts") && !systemRooms.test(file) && !testCode.test(file))
    .flatMap((file) => forbiddenUses(file, readFileSync(path.join(root, file), "utf8")));
}

if (import.meta.main) {
  const found = check(path.dirname(import.meta.dirname));
  for (const line of found) console.error(`${line}: only host, sandbox, log and the composition root touch the system`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
