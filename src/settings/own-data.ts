import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import type { StdioServer } from "../contract/server.ts";
import { tellsPrograms } from "./refuse-environment.ts";
import { entries } from "./runtimes.ts";

/** Endings of what a program keeps, and none runs or loads. */
const kept =
  /\.(?:db3?|sqlite3?|s3db|duckdb|lmdb|mdb|(?:db|sqlite3?)-(?:wal|shm|journal)|logs?|jsonl|ndjson|json|csv|tsv|txt|md|parquet|arrow|faiss|hnsw|png|jpe?g|webp|gif|pdf|har|lock|pid|tmp|bak|cache)$/i;
const ofOrders =
  /conf|setting|servers|manifest|plugin|preset|extension|script|hook|command|package|require|import|(?<!down|up)load/i;

/** May what stands behind an option of that name, or what is called so, tell a program what to start? */
export function givesOrders(name: string): boolean {
  return ofOrders.test(name);
}

/** Of more directories than these nobody looks whether a file is there. */
const mostPlaces = 50;

/** What a word is: the value of an option, or of a variable. */
export interface Place {
  readonly option?: string;
  readonly variable?: string;
}

/**
 * Is it what the server itself writes? Its entry lets it do so there, and its first call would end the trust in it.
 * What could be a program stays bound wherever it lies.
 */
export function createOwnData({ sandbox }: StdioServer, workspace: string) {
  const writable = (sandbox?.write ?? []).slice(0, mostPlaces).map((written) => path.resolve(workspace, written));
  return (file: string, { option = "", variable = "" }: Place): boolean => {
    const name = path.basename(file);
    if (!kept.test(name) || entries.includes(name) || /^\.?mcp\./.test(name)) return false;
    if (tellsPrograms(variable) || [name, option, variable].some(givesOrders)) return false;
    return writable.some((directory) => isInside(file, directory));
  };
}
