import { accessSync, constants, type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { ifPossible } from "../failure.ts";

/** Follows links; `undefined` for a dangling one. */
export function realPathOf(path: string): string | undefined {
  return ifPossible(() => realpathSync.native(path));
}

/** `undefined` also if the path is not accessible. */
export function statsOf(path: string): Stats | undefined {
  return ifPossible(() => lstatSync(path, { throwIfNoEntry: false }));
}

export function entriesIn(directory: string): readonly Dirent[] {
  return ifPossible(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

export function namesIn(directory: string): readonly string[] {
  return ifPossible(() => readdirSync(directory)) ?? [];
}

export function isDirectory(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

export function isExecutable(path: string): boolean {
  return isAccessible(path, constants.X_OK);
}

export function isWritable(path: string): boolean {
  return isAccessible(path, constants.W_OK);
}

export function isAccessible(path: string, mode: number): boolean {
  return ifPossible(() => accessSync(path, mode) ?? true) ?? false;
}
