import { Buffer } from "node:buffer";
import { quoted } from "../../base/text.ts";
import { fail, type Outcome } from "../../contract/codes.ts";
import { sandboxHome } from "../plan/environment.ts";

/** A descriptor that no script uses by accident. */
const line = 219;
const digits = 6;

// The sandbox put its own files in the home before it started this shell.
const newInHome = `set +f; shopt -s nullglob dotglob; GAUNTLET_NEW=()
for GAUNTLET_WORD in ${sandboxHome}/{,.config/}*; do
  [[ ! -L $GAUNTLET_WORD && $GAUNTLET_WORD -nt /proc/$$/fd ]] && GAUNTLET_NEW+=("$GAUNTLET_WORD")
done
((\${#GAUNTLET_NEW[@]})) && printf "\\0%s" "\${GAUNTLET_NEW[@]:0:8}"`;

const atTheEnd = `trap '{ set +x; [[ -S /proc/self/fd/${line} ]] && { pwd -P; ${newInHome}; } >&${line}; } >/dev/null 2>&1' EXIT`;

function limitItself(pids: number | undefined): string {
  return pids === undefined ? "" : `ulimit -u ${pids} 2>/dev/null\n`;
}

function takeLine(kept: number): string {
  return `exec ${line}<&3 3<&-
for GAUNTLET_WORD in /proc/self/fd/*; do
  GAUNTLET_WORD=\${GAUNTLET_WORD##*/}
  [[ $GAUNTLET_WORD -le 2 || $GAUNTLET_WORD == ${line} || $GAUNTLET_WORD == ${kept} ]] || eval "exec $GAUNTLET_WORD<&-"
done
printf r >&${line}`;
}

// The text stays untouched byte for byte. The shell waits for a signal, so it runs nothing if the runtime died. A
// text with its own EXIT trap does not report its directory.
export function shellPrelude(pids?: number, beforeText: (line: number) => string = () => ""): string {
  return `unset BASH_ENV
${limitItself(pids)}${takeLine(line)}
IFS= read -r -N 1 -u ${line} GAUNTLET_WORD || exit 126
${beforeText(line)}unset GAUNTLET_WORD
printf b >&${line}
${atTheEnd}
`;
}

/** The result is the same process as after a cold start: program, arguments, environment. */
export function waitingScript(pids: number | undefined): string {
  // Read in two pieces; up to a delimiter bash would read byte by byte.
  const read = (count: string) => `LC_ALL=C IFS= read -r -N ${count} -u ${line} GAUNTLET_WORD`;
  return `${limitItself(pids)}${takeLine(4)}
${read(String(digits))} && ${read('"$((10#$GAUNTLET_WORD))"')} || exit 126
eval "$GAUNTLET_WORD"
`;
}

/** The input of a waiting shell. No part contains a NUL byte: paths cannot, and the text was checked. */
export function shellWord(text: string, cwd: string): string {
  const word = `cd -P -- ${quoted(cwd)} || exit 126
unset OLDPWD
printf b >&${line}
BASH_ENV=/dev/fd/4 exec "$BASH" --noprofile --norc -c ${quoted(text)} bash`;
  return `${String(Buffer.byteLength(word)).padStart(digits, "0")}${word}`;
}

/** A text for a shell that executes this program. */
export function becomeProgram(
  argv: readonly string[],
  variables: { readonly set: Readonly<Record<string, string>>; readonly unset: readonly string[] },
): string {
  const unset = variables.unset.map((name) => `unset -v ${quoted(name)}\n`);
  const set = Object.entries(variables.set).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return `${[...unset, ...set].join("")}exec ${line}<&-\nexec -- ${argv.map(quoted).join(" ")}\n`;
}

export const afterWaiting = `unset BASH_ENV
exec 4<&-
${atTheEnd}
`;

/** The channel is descriptor 3 and the prelude descriptor 4 of every shell. */
export const preludeVariable = { BASH_ENV: "/dev/fd/4" };

export function shellArguments(bash: string, text: string): readonly [string, ...string[]] {
  return [bash, "--noprofile", "--norc", "-c", text, "bash"];
}

const maxTextBytes = 128 * 1024 - 1;

/** Only text that reaches the shell byte for byte may run: exactly the judged text must run. */
export function checkText(text: string): Outcome<never> | undefined {
  if (text.includes("\0")) return fail("runtime_precondition_failed", "The command contains a NUL byte");
  if (!text.isWellFormed()) return fail("runtime_precondition_failed", "The command is not valid Unicode");
  const bytes = Buffer.byteLength(text);
  if (bytes > maxTextBytes)
    return fail("budget_exceeded", `The command has ${bytes} bytes; ${maxTextBytes} is the limit`);
  return undefined;
}
