import type { TextStretch } from "../../base/secret-span.ts";
import { type SecretPattern, secretPatterns, token } from "./secret-patterns.ts";

export interface FoundSecret extends TextStretch {
  readonly kind: string;
}

/** All secrets except private keys are shorter than this. */
const margin = 16 * 1024;

const names =
  "passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|auth[_-]?key|credentials?";

const sensitiveName = new RegExp(`(?:${names})$`, "i");
const sensitiveFlag = new RegExp(`^--?(?:[\\w-]*-)?(?:${names})$`, "i");

/** The common part of the names of secrets in assignments, keys and flags, in plain text and inside JSON. */
const assignmentHint = `(?:${names})(?:\\\\t|[ \\t"'\`\\\\]){0,12}(?:=|:)|-(?:${names})(?:\\\\t|[ \\t"',\\\\])`;

/** `password = "…"`, `token: …`, `API_KEY=…`, `--token …`: the gap, then the value, quoted, escaped or bare. */
const assignment = new RegExp(
  `(?<name>${names})(?<gap>\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|=|:)[ \\t]{0,8}|[ \\t]{1,4})` +
    `(?:"(?<double>[^"\\n\\\\]{8,256})"|'(?<single>[^'\\n\\\\]{8,256})'|\`(?<tick>[^\`\\n\\\\]{8,256})\`` +
    `|\\\\"(?<escaped>[^"\\n\\\\]{8,256})\\\\"|(?<bare>[^\\s"'\`\\\\,;&<>(){}[\\]|]{8,256}))`,
  "gi",
);

const marks = /\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]/g;
const bearer = token(/bearer/, /bearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16,})/i);
const privateKeys = secretPatterns.filter(({ kind }) => kind === "private-key");

const anchors = secretPatterns.flatMap((pattern) => pattern.anchors);

/**
 * Every match contains one of these, also after JSON escaping. Grouped by length: short words slow the search for long
 * ones.
 */
const hints = [
  anchors.filter(({ length }) => length < 4).map(hintFor),
  anchors.filter(({ length }) => length === 4).map(hintFor),
  anchors.filter(({ length }) => length > 4).map(hintFor),
  [`(?i:bearer|${assignmentHint})`],
].map((words) => new RegExp(words.join("|")));

/** Too common to search for. */
function hintFor(anchor: string): string {
  if (anchor === "://") return ":\\/\\/[^\\s/?#@\"'`]{0,4000}@";
  if (/^ecret$/i.test(anchor)) return "(?i:ecret_?access_?key)";
  return anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** `false` is definite. */
export function mayHoldSecret(text: string): boolean {
  return hints.some((hint) => hint.test(text));
}

export function holdsMark(text: string): boolean {
  return text.search(marks) !== -1;
}

/** The secrets that overlap the range, in order, disjoint. Redaction marks are never searched. */
export function findSecrets(text: string, stretch: TextStretch = { from: 0, to: text.length }): readonly FoundSecret[] {
  const from = Math.max(0, stretch.from - margin);
  const to = Math.min(text.length, stretch.to + margin);
  const near = shifted(secretsOf(text.slice(from, to)), from);
  const whole = from === 0 && to === text.length;
  const found = whole ? near : merged([...matchesOf(text, privateKeys), ...near]);
  return found.filter((secret) => secret.from < stretch.to && secret.to > stretch.from);
}

function secretsOf(text: string): readonly FoundSecret[] {
  if (text.length < 8 || !mayHoldSecret(text)) return [];
  return inGaps(text, text.includes("[redacted:") ? [...text.matchAll(marks)].map(stretchOf) : [], (part) => {
    const known = merged([...matchesOf(part, secretPatterns), ...bearersOf(part)]);
    return [...known, ...inGaps(part, known, assignedOf)].sort((a, b) => a.from - b.from);
  });
}

function matchesOf(text: string, patterns: readonly SecretPattern[]): readonly FoundSecret[] {
  return patterns
    .filter(({ anchors }) => anchors.some((anchor) => text.includes(anchor)))
    .flatMap(({ kind, pattern }) => [...text.matchAll(pattern)].map((match) => ({ kind, ...secretOf(match) })));
}

function bearersOf(text: string): readonly FoundSecret[] {
  return [...text.matchAll(bearer)]
    .map((match) => ({ kind: "authorization", ...secretOf(match) }))
    .filter(({ from, to }) => looksSecret(text.slice(from, to), true));
}

function assignedOf(text: string): readonly FoundSecret[] {
  return assignedIn(text).map((stretch) => ({ kind: "assigned", ...stretch }));
}

function secretOf(match: RegExpExecArray): TextStretch {
  const { groups, index, indices, 0: whole } = match;
  const [start, end] = indices?.groups?.secret ?? [];
  if (start !== undefined && end !== undefined) return { from: start, to: end };
  const secret = groups?.secret ?? whole;
  const from = index + whole.lastIndexOf(secret);
  return { from, to: from + secret.length };
}

function stretchOf({ index, 0: whole }: RegExpExecArray): TextStretch {
  return { from: index, to: index + whole.length };
}

function inGaps(
  text: string,
  stretches: readonly TextStretch[],
  find: (part: string) => readonly FoundSecret[],
): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  let reached = 0;
  for (const { from, to } of [...stretches, { from: text.length, to: text.length }]) {
    for (const secret of shifted(find(text.slice(reached, from)), reached)) found.push(secret);
    reached = to;
  }
  return found;
}

/** Merges overlapping secrets; the kind of the first one counts. */
export function merged(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const all: FoundSecret[] = [];
  for (const next of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = all.at(-1);
    if (last === undefined || next.from >= last.to) all.push(next);
    else if (next.to > last.to) all[all.length - 1] = { ...last, to: next.to };
  }
  return all;
}

function shifted(found: readonly FoundSecret[], by: number): readonly FoundSecret[] {
  return by === 0 ? found : found.map(({ kind, from, to }) => ({ kind, from: from + by, to: to + by }));
}

function assignedIn(text: string): readonly TextStretch[] {
  const found: TextStretch[] = [];
  for (const { index, groups, 0: whole } of text.matchAll(assignment)) {
    const { double, single, tick, escaped, bare, gap = "" } = groups ?? {};
    const value = double ?? single ?? tick ?? escaped ?? bare ?? "";
    const isFlag = gap.trim() === "";
    if (isFlag && !followsDashes(text, index)) continue;
    const isCall = bare !== undefined && text[index + whole.length] === "(";
    const loose = bare === undefined || gap === "=" || isFlag;
    if (isCall || !looksSecret(value, loose)) continue;
    const from = index + whole.lastIndexOf(value);
    found.push({ from, to: from + value.length });
  }
  return found;
}

export function isSensitiveName(name: string): boolean {
  return sensitiveName.test(name);
}

export function isSensitiveFlag(word: string): boolean {
  return word.startsWith("-") && sensitiveFlag.test(word);
}

/**
 * Random enough for a secret. Unless `loose` (quoted, or `NAME=value`), it may be code and must look less like a name.
 */
export function looksSecret(value: string, loose: boolean): boolean {
  if (value.length < 8 || value.length > 4096) return false;
  if (/^[$%<{*[]|^(?:your|example|placeholder|changeme|insert|replace|redacted)|\s|x{6}|\*{4}/i.test(value))
    return false;
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value)) return false;
  if (/^(?:\.{0,2}|~)\/[\w.-]+(?:\/[\w.-]+)*$/.test(value) || /^[a-z][a-z+.-]*:\/\//i.test(value)) return false;
  if (/^(?:sha\d+-)?[0-9a-f]{64}$/.test(value)) return false;
  if (entropy(value) < 2.75) return false;
  if (loose) return true;
  if (/^[A-Za-z_$][\w$]*(?:[.?!]+[\w$]*)+$/.test(value)) return false;
  return value.length >= 12 && turns(value) >= 4;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** The number of changes between letters and digits, which is high in random text. */
function turns(text: string): number {
  return (text.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length;
}

function followsDashes(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 40), offset);
  return /(?:^|[\s"'])-(?:[\w-]*-)?$/.test(before);
}
