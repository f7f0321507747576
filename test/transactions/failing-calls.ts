import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const names = [
  "chmodSync",
  "copyFileSync",
  "linkSync",
  "mkdirSync",
  "renameSync",
  "rmSync",
  "symlinkSync",
  "writeFileSync",
] as const;

type Call = (...words: unknown[]) => unknown;
const calls = fs as unknown as Record<string, Call>;

/** The process would be dead by now: it does not fail, it just does nothing more. */
export class Killed extends Error {}

/** What happens before the call with this number, counted from 1; `undefined` where it is made as usual. */
export type Interruption = (count: number, name: string, words: readonly unknown[]) => Error | undefined;

/** Does the work while every call that changes the file system can be interrupted. Gives how many there were. */
export async function interrupting(interrupt: Interruption, work: () => Promise<unknown>): Promise<number> {
  const real = new Map(names.map((name) => [name, calls[name] as Call]));
  let count = 0;
  for (const [name, call] of real)
    calls[name] = (...words) => {
      // It ends with its process, whatever becomes of its file.
      if (String(words[0]).endsWith(".lock")) return call(...words);
      count += 1;
      const error = interrupt(count, name, words);
      if (error === undefined) return call(...words);
      if (name === "copyFileSync") copyHalf(words);
      throw error;
    };
  syncBuiltinESMExports();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    for (const [name, call] of real) calls[name] = call;
    syncBuiltinESMExports();
  }
  return count;

  function copyHalf([from, to]: readonly unknown[]): void {
    const content = fs.readFileSync(from as Buffer);
    real.get("writeFileSync")?.(to, content.subarray(0, Math.ceil(content.length / 2)));
  }
}

export function noSpace(): Error {
  return Object.assign(new Error("ENOSPC"), { errno: -28, code: "ENOSPC" });
}
