export function withMember(text: string, path: readonly string[], value: unknown): string {
  return insert(text, objectAt(text, skipSpace(text, 0)), path, value);
}

export function withoutMember(text: string, path: readonly string[]): string {
  let object = objectAt(text, skipSpace(text, 0));
  for (const [depth, key] of path.entries()) {
    const index = object.members.findIndex((member) => member.key === key);
    const member = object.members[index];
    if (member === undefined) return text;
    if (depth < path.length - 1) {
      object = objectAt(text, member.start);
      continue;
    }
    const next = object.members[index + 1];
    const before = object.members[index - 1];
    if (next !== undefined) return text.slice(0, member.from) + text.slice(next.from);
    if (before !== undefined) return text.slice(0, before.end) + text.slice(member.end);
    return text.slice(0, object.open + 1) + text.slice(object.close);
  }
  return text;
}

interface Member {
  readonly key: string;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

interface ObjectText {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Member[];
}

function insert(text: string, object: ObjectText, path: readonly string[], value: unknown): string {
  const [key = "", ...rest] = path;
  const there = object.members.find((member) => member.key === key);
  if (there !== undefined && rest.length > 0) return insert(text, objectAt(text, there.start), rest, value);
  const whole = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  if (there !== undefined) throw new Error(`${key} is there already`);
  const { open, close, members } = object;
  const last = members.at(-1);
  const isOneLine = !text.slice(open, close).includes("\n") && last !== undefined;
  if (isOneLine) {
    return `${text.slice(0, last.end)}, ${JSON.stringify(key)}: ${JSON.stringify(whole)}${text.slice(last.end)}`;
  }
  const outer = indentOf(text, open);
  const step = stepOf(text);
  const indent = last === undefined ? outer + step : indentOf(text, last.from);
  const written = JSON.stringify(whole, null, step).replaceAll("\n", `\n${indent}`);
  const member = `\n${indent}${JSON.stringify(key)}: ${written}`;
  if (last !== undefined) return `${text.slice(0, last.end)},${member}${text.slice(last.end)}`;
  return `${text.slice(0, open + 1)}${member}\n${outer}${text.slice(close)}`;
}

function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function stepOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function objectAt(text: string, open: number): ObjectText {
  if (text[open] !== "{") throw new Error("an object was expected");
  const members: Member[] = [];
  let at = skipSpace(text, open + 1);
  while (text[at] === '"') {
    const keyEnd = endOfValue(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    members.push({ key: String(JSON.parse(text.slice(at, keyEnd))), from: at, start, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { open, close: at, members };
}

function endOfValue(text: string, from: number): number {
  const first = text[from] ?? "";
  if (first === '"') return endOfString(text, from);
  if (first !== "{" && first !== "[") return from + (/^[^\s,\]}]*/.exec(text.slice(from))?.[0].length ?? 0);
  let depth = 0;
  let at = from;
  do {
    const character = text[at] ?? "";
    if ("{[".includes(character)) depth++;
    else if ("}]".includes(character)) depth--;
    at = character === '"' ? endOfString(text, at) : at + 1;
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (" \n\r\t\uFEFF".includes(text[at] ?? "x")) at++;
  return at;
}
