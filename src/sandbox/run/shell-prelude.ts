import { Buffer } from "node:buffer";
import { quoted } from "../../base/text.ts";
import { fail, type Outcome } from "../../contract/codes.ts";

/** Where the shell keeps its line to us: a number that nobody uses by accident. */
const line = 219;
/** Of the number of bytes before a word. */
const digits = 6;

const atTheEnd = `trap '{ set +x; [[ -S /proc/self/fd/${line} ]] && pwd -P >&${line}; } >/dev/null 2>&1' EXIT`;

/** What a shell holds itself to before anything else. */
export interface OwnLimits {
  /** How many processes it may have; where the user may have fewer anyway, it stays at that. */
  readonly pids?: number | undefined;
  /** Descriptors that lead into control groups. Whether it is in them is looked up from outside. */
  readonly doors?: readonly number[];
}

function limitItself({ pids, doors = [] }: OwnLimits): string {
  const counted = pids === undefined ? "" : `ulimit -u ${pids} 2>/dev/null\n`;
  return counted + doors.map((door) => `printf 0 2>/dev/null >&${door}\n`).join("");
}

/** Whatever descriptors our own parent left open are closed. `kept` is one more that stays. */
function takeLine(kept: number): string {
  return `exec ${line}<&3 3<&-
for GAUNTLET_WORD in /proc/self/fd/*; do
  GAUNTLET_WORD=\${GAUNTLET_WORD##*/}
  [[ $GAUNTLET_WORD -le 2 || $GAUNTLET_WORD == ${line} || $GAUNTLET_WORD == ${kept} ]] || eval "exec $GAUNTLET_WORD<&-"
done
printf r >&${line}`;
}

/**
 * What bash runs before the text, so that the text itself stays untouched byte for byte. The shell says that it is
 * ready and waits for a word from us: a shell whose runtime died in the meantime ends here and runs nothing. It says
 * that it begins, and at the end where it is; a text with an EXIT trap of its own, or that puts something else on this
 * descriptor, just loses that. `beforeText` is more bash for the moment before it begins, given the line's number.
 */
export function shellPrelude(limits: OwnLimits = {}, beforeText: (line: number) => string = () => ""): string {
  return `unset BASH_ENV
${limitItself(limits)}${takeLine(line)}
IFS= read -r -N 1 -u ${line} GAUNTLET_WORD || exit 126
${beforeText(line)}unset GAUNTLET_WORD
printf b >&${line}
${atTheEnd}
`;
}

/**
 * A shell that was started ahead of need and learns later what it is for. It then becomes the very process that a cold
 * start would have made: same program, same arguments, same environment. The words come as `shellWord` and
 * `programWord` make them: how many bytes, then bash that becomes it.
 */
export function waitingScript(limits: OwnLimits): string {
  return `${limitItself(limits)}${takeLine(4)}
${takeWord(line)} || exit 126
eval "$GAUNTLET_WORD"
`;
}

/** Bash that takes one word as `framed` makes it. It is read in two pieces; up to a mark it would be byte by byte. */
export function takeWord(descriptor: number): string {
  const read = (count: string) => `LC_ALL=C IFS= read -r -N ${count} -u ${descriptor} GAUNTLET_WORD`;
  return `${read(String(digits))} && ${read('"$((10#$GAUNTLET_WORD))"')}`;
}

export function framed(word: string): string {
  return `${String(Buffer.byteLength(word)).padStart(digits, "0")}${word}`;
}

/** Bash that lets go of its line to us and becomes the program. */
export function becomeProgram(
  argv: readonly string[],
  variables: { readonly set: Readonly<Record<string, string>>; readonly unset: readonly string[] },
): string {
  const unset = variables.unset.map((name) => `unset -v ${quoted(name)}\n`);
  const set = Object.entries(variables.set).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return `${[...unset, ...set].join("")}exec ${line}<&-\nexec -- ${argv.map(quoted).join(" ")}\n`;
}

/** No part of a word holds a NUL byte: paths and arguments cannot, and the text was checked. */
export function shellWord(text: string, cwd: string): string {
  const become = `BASH_ENV=/dev/fd/4 exec "$BASH" --noprofile --norc -c ${quoted(text)} bash`;
  return framed(`${enter(cwd)}\nprintf b >&${line}\n${become}`);
}

export function programWord(argv: readonly string[], cwd: string): string {
  const become = `exec ${line}<&- 4<&-\nexec ${argv.map(quoted).join(" ")}`;
  return framed(`${enter(cwd)}\nprintf b >&${line}\n${become}`);
}

function enter(cwd: string): string {
  return `cd -P -- ${quoted(cwd)} || exit 126\nunset OLDPWD`;
}

/** What is left of the prelude for a shell that waited. */
export const afterWaiting = `unset BASH_ENV
exec 4<&-
${atTheEnd}
`;

/** The channel is descriptor 3 and the prelude descriptor 4 of every shell. */
export const preludeVariable = { BASH_ENV: "/dev/fd/4" };

/** The last argument becomes `$0`, the name in the shell's own messages. */
export function shellArguments(bash: string, text: string): readonly [string, ...string[]] {
  return [bash, "--noprofile", "--norc", "-c", text, "bash"];
}

/** The largest argument that Linux hands to a program, less its final NUL. */
const maxTextBytes = 128 * 1024 - 1;

/** Only text that reaches the shell byte for byte may run: what was judged is what runs. */
export function checkText(text: string): Outcome<never> | undefined {
  if (text.includes("\0")) return fail("runtime_precondition_failed", "The command contains a NUL byte");
  if (!text.isWellFormed()) return fail("runtime_precondition_failed", "The command is not valid Unicode");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxTextBytes)
    return fail("budget_exceeded", `The command has ${bytes} bytes; ${maxTextBytes} is the limit`);
  return undefined;
}
