/** The words of a command as the program will get them, or why that cannot be said without running a shell. */
export type PlainWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly why: string };

/**
 * Reads a command that needs no shell to be understood: words and quotes, and no expansion but the two variables
 * that stand for the project. Everything else is refused, whatever it would come to.
 */
export function plainWords(command: string, workspace: string): PlainWords {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < command.length) {
    const piece = pieceAt(command.slice(at), workspace);
    if ("why" in piece) return { ok: false, why: piece.why };
    if (piece.text !== undefined) word = (word ?? "") + piece.text;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    at += piece.length;
  }
  if (word !== undefined) words.push(word);
  const [first] = words;
  if (first === undefined) return { ok: false, why: "it names no program" };
  if (/^\w+\+?=/.test(first)) return { ok: false, why: "it sets a variable" };
  return { ok: true, words };
}

/** What means itself to every shell and to every program that reads a word as a path. */
const literal = /^[\p{L}\p{N}_@+=:,./-]+/u;
const blank = /^[ \t]+/;
const singleQuoted = /^'([^']*)'/;
const doubleQuoted = /^"([^"\\`]*)"/;
const projectVariable = /\$(?:\{(?:CLAUDE|GAUNTLET)_PROJECT_DIR\}|(?:CLAUDE|GAUNTLET)_PROJECT_DIR(?!\w))/;
const variableFirst = new RegExp(`^${projectVariable.source}`);

export function isLiteral(word: string): boolean {
  return literal.exec(word)?.[0] === word;
}

/** A stretch of one word, or with no text the space between two. */
type Piece = { readonly text?: string; readonly length: number } | { readonly why: string };

function pieceAt(rest: string, workspace: string): Piece {
  const space = blank.exec(rest);
  if (space !== null) return { length: space[0].length };
  const plain = literal.exec(rest) ?? singleQuoted.exec(rest);
  if (plain !== null) return { text: plain[1] ?? plain[0], length: plain[0].length };
  const quoted = doubleQuoted.exec(rest);
  if (quoted !== null) {
    const parts = (quoted[1] ?? "").split(projectVariable);
    if (parts.some((part) => part.includes("$"))) return { why: "it uses a variable or a substitution" };
    return { text: parts.join(workspace), length: quoted[0].length };
  }
  const variable = variableFirst.exec(rest);
  if (variable === null) return { why: `it is more than a program with its words (${JSON.stringify(rest.charAt(0))})` };
  // Unquoted, the shell would split what it stands for.
  if (!isLiteral(workspace)) return { why: "it names the project's directory without double quotes" };
  return { text: workspace, length: variable[0].length };
}
