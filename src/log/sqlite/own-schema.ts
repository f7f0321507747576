import type { DatabaseSync } from "node:sqlite";
import { TamperedFile } from "../log-failure.ts";

/**
 * Throws when the file holds anything but what these statements make. A view has no end that anybody could wait for, a
 * computed column no size, and an index of its own answers what it likes.
 */
export function requireSchema(database: DatabaseSync, statements: readonly string[]): void {
  const known = new Set(statements.map(normal));
  const found = database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  const foreign = found.find(({ sql }) => !known.has(normal(String(sql))));
  if (foreign === undefined) return;
  throw new TamperedFile(`the ${foreign.type} ${JSON.stringify(foreign.name)} in it is not one of its layout`);
}

/** The statements of a script, each of which begins a line. */
export function partsOf(script: string): readonly string[] {
  return script.split(/;\n(?= *(?:CREATE|PRAGMA))/);
}

function normal(statement: string): string {
  return statement
    .trim()
    .replace(/;$/, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1");
}
