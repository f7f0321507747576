import type { FileEffect } from "../contract/effect.ts";

const readable: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdin", "/dev/fd/0"]);

/** What is written to these is lost, or is the command's own output. Writing to its input could empty a file. */
const writable: ReadonlySet<string> = new Set(
  "/dev/null /dev/zero /dev/full /dev/stdout /dev/stderr /dev/fd/1 /dev/fd/2".split(" "),
);

/** Nobody's either, but whoever reads one to its end never comes to it. */
const endless: ReadonlySet<string> = new Set(["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]);

/** Only for commands, which have devices of their own, and only by name: a link may lead elsewhere when they run. */
export function touchesNothing({ op, path: { written, resolved }, scope }: FileEffect): boolean {
  if (written !== resolved || scope !== "file") return false;
  if (op === "list") return readable.has(resolved) || writable.has(resolved) || endless.has(resolved);
  return op === "read" && readable.has(resolved);
}

export function opensTerminal({ op, path: { written, resolved }, scope }: FileEffect): boolean {
  return written === resolved && scope === "file" && op !== "delete" && resolved === "/dev/tty";
}

export function isSink(path: string): boolean {
  return writable.has(path);
}

export function isStandardInput(path: string): boolean {
  return path === "/dev/stdin" || path === "/dev/fd/0";
}
