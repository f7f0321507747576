/**
 * Whether every bracket expression that opens in the text of a pattern also closes in it. Where it does not,
 * programs disagree about which separator ends the pattern.
 */
export function closesBrackets(pattern: string): boolean {
  let at = 0;
  while (at < pattern.length) {
    if (pattern[at] === "\\") {
      at += 2;
    } else if (pattern[at] === "[") {
      const end = bracketEnd(pattern, at + 1);
      if (end === undefined) return false;
      at = end;
    } else {
      at++;
    }
  }
  return true;
}

/** Behind the `]`: one that stands first is an ordinary character, and so is one in `[:alpha:]`. */
function bracketEnd(pattern: string, start: number): number | undefined {
  let at = pattern[start] === "^" ? start + 1 : start;
  if (pattern[at] === "]") at++;
  while (at < pattern.length) {
    const named = /^\[([:.=])/.exec(pattern.slice(at))?.[1];
    if (named !== undefined) {
      const end = pattern.indexOf(`${named}]`, at + 2);
      if (end < 0) return undefined;
      at = end + 2;
    } else if (pattern[at] === "]") {
      return at + 1;
    } else {
      // Whether a backslash means itself here depends on the program.
      if (pattern[at] === "\\" && pattern[at + 1] === "]") return undefined;
      at++;
    }
  }
  return undefined;
}
