export interface NameGlob {
  matches(name: string): boolean;
}

type GlobToken = { readonly many: true } | { readonly many: false; readonly accepts: (character: string) => boolean };

export function compileName(pattern: string): NameGlob {
  if (!/[*?[\\]/.test(pattern)) return { matches: (name) => name === pattern };
  const tokens = readTokens([...pattern]);
  return { matches: (name) => matchTokens(tokens, [...name]) };
}

function readTokens(characters: readonly string[]): readonly GlobToken[] {
  const tokens: GlobToken[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") {
      tokens.push({ many: true });
    } else if (character === "?") {
      tokens.push({ many: false, accepts: () => true });
    } else if (character === "[") {
      const set = readSet(characters, at + 1);
      tokens.push({ many: false, accepts: set?.accepts ?? ((other) => other === "[") });
      at = set?.end ?? at;
    } else {
      const literal = character === "\\" ? (characters[at + 1] ?? "\\") : character;
      if (character === "\\") at += 1;
      tokens.push({ many: false, accepts: (other) => other === literal });
    }
  }
  return tokens;
}

function readSet(characters: readonly string[], start: number) {
  const negated = characters[start] === "!" || characters[start] === "^";
  const ranges: [string, string][] = [];
  let at = negated ? start + 1 : start;
  for (let first = true; at < characters.length && (first || characters[at] !== "]"); first = false) {
    if (characters[at] === "\\") at += 1;
    const low = characters[at] ?? "";
    const ranged = characters[at + 1] === "-" && characters[at + 2] !== undefined && characters[at + 2] !== "]";
    const high = ranged ? (characters[at + 2] ?? low) : low;
    ranges.push([low, high]);
    at += ranged ? 3 : 1;
  }
  if (at >= characters.length) return undefined;
  const within = (other: string) => ranges.some(([low, high]) => low <= other && other <= high);
  return { end: at, accepts: (other: string) => within(other) !== negated };
}

/** Backtracks to the last `*` only: linear in name times pattern for every pattern. */
function matchTokens(tokens: readonly GlobToken[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.many) {
      star = token;
      resume = at;
      token += 1;
    } else if (current !== undefined && !current.many && current.accepts(name[at] ?? "")) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      resume += 1;
      at = resume;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((rest) => rest.many);
}
