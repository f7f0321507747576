import { quoted } from "../base/text.ts";
import type { SpawnOptions } from "../host/spawn-process.ts";
import { framed, takeWord } from "./shell-prelude.ts";
import { viewsVariable } from "./transaction/view.ts";

/** What a process gets stays below. */
const control = 200;
const firstLine = control + 1;
const wordsAt = control - 1;
/** Where bubblewrap tells how its command ended. */
export const statusAt = control - 2;
/** Bash keeps a few numbers from 10 on for itself. */
export const mostDescriptors = statusAt - 20;

export interface StartWords {
  /** Which of the lines becomes its channel. */
  readonly line: number;
  readonly lines: number;
  readonly descriptors: SpawnOptions["descriptors"];
  /** Those of them that it writes to. */
  readonly written: ReadonlySet<number>;
  /** A file with what `startWords` made. */
  readonly words: number;
  readonly stdout: number;
  readonly stderr: number;
  readonly status: number;
  /** The directory of the views that it mounts first. */
  readonly views?: string | undefined;
}

/**
 * Bash that does what it reads on its first descriptor, which leads to us. It has nothing else open: what it hands on
 * it opens anew through our own table of descriptors, so it has no part in what we read and wrote. It ends when we do,
 * and with it its group: a bubblewrap that was killed before it let its own child go on leaves that one waiting.
 */
export function starterScript(lines: number): string {
  const moved = Array.from({ length: lines + 1 }, (_, index) => `${control + index}<&${3 + index}`);
  return `exec ${moved.join(" ")}
for GAUNTLET_WORD in /proc/self/fd/*; do
  GAUNTLET_WORD=\${GAUNTLET_WORD##*/}
  [[ $GAUNTLET_WORD -eq 0 || $GAUNTLET_WORD -ge ${control} && $GAUNTLET_WORD -le ${control + lines} ]] || eval "exec $GAUNTLET_WORD<&-"
done
GAUNTLET_OURS=/proc/$PPID/fd
while ${takeWord(control)}; do eval "$GAUNTLET_WORD"; done
kill -KILL 0`;
}

/** Bash, of numbers and one quoted path of ours. Answers with the pid, or without one. */
export function startWord({ descriptors, line, lines, written, ...own }: StartWords): string {
  const ours = (descriptor: number) => `$GAUNTLET_OURS/${descriptor}`;
  const given = descriptors.flatMap((descriptor, index) => {
    if (descriptor === "closed") return [];
    if (descriptor === "channel") return `${3 + index}<&${firstLine + line}`;
    return `${3 + index}${written.has(descriptor) ? ">" : "<"}${ours(descriptor)}`;
  });
  const kept = Array.from({ length: lines - line }, (_, index) => `${firstLine + line + index}<&-`);
  const views = own.views === undefined ? "" : `${viewsVariable}=${quoted(own.views)} `;
  const started = `{ { exec ${control}<&- ${kept.join(" ")}; ${views}exec "$@"; } & }`;
  const output = `1>${ours(own.stdout)} 2>${ours(own.stderr)} ${statusAt}>${ours(own.status)}`;
  const redirected = `${output} ${given.join(" ")} ${wordsAt}<${ours(own.words)}`;
  const answer = `printf '%s\\n' $! >&${control} || echo >&${control}`;
  return framed(`${started} ${redirected} && ${answer}; exec ${firstLine + line}<&-`);
}

/** Where bubblewrap finds the rest of its arguments. */
export const wordsArguments = ["--args", String(wordsAt), "--"];

/** `sandbox` is all before the program. The environment is among them, because in a file nobody else can read it. */
export function startWords(environment: Readonly<Record<string, string>>, sandbox: readonly string[]): string {
  const set = Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]);
  return ["--clearenv", ...set, ...sandbox, ""].join("\0");
}
