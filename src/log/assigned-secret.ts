import type { TextStretch } from "../base/secret-span.ts";

const names =
  "passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|auth[_-]?key|credentials?";

/** A name whose value is worth a look: `DB_PASSWORD`, `clientSecret`, `x-api-key`. */
const sensitiveName = new RegExp(`(?:${names})$`, "i");
const sensitiveFlag = new RegExp(`^--?(?:[\\w-]*-)?(?:${names})$`, "i");

/** What every assignment, key or flag with such a name has in common, in plain text and inside JSON. */
export const assignmentHint = `(?:${names})(?:\\\\t|[ \\t"'\`\\\\]){0,12}(?:=|:)|-(?:${names})(?:\\\\t|[ \\t"',\\\\])`;

/**
 * `password = "…"`, `token: …`, `API_KEY=…`, `--token …`. Groups: the gap between name and value, then the
 * value, quoted, quoted inside a quoted text, or bare.
 */
const assignment = new RegExp(
  `(?<name>${names})(?<gap>\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|=|:)[ \\t]{0,8}|[ \\t]{1,4})` +
    `(?:"(?<double>[^"\\n\\\\]{8,256})"|'(?<single>[^'\\n\\\\]{8,256})'|\`(?<tick>[^\`\\n\\\\]{8,256})\`` +
    `|\\\\"(?<escaped>[^"\\n\\\\]{8,256})\\\\"|(?<bare>[^\\s"'\`\\\\,;&<>(){}[\\]|]{8,256}))`,
  "gi",
);

export function assignedIn(text: string): readonly TextStretch[] {
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

/** `--password` as one word of an argument list: the next word is its value. */
export function isSensitiveFlag(word: string): boolean {
  return word.startsWith("-") && sensitiveFlag.test(word);
}

/**
 * Random enough to be a secret rather than a word, a path or an identifier. `loose` where the value is plainly
 * data (quoted, or `NAME=value`); otherwise it may as well be code and has to look less like a name.
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

/** Bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often letters turn into digits or back. Names do it once or twice, random text all the time. */
function turns(text: string): number {
  return (text.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length;
}

function followsDashes(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 40), offset);
  return /(?:^|[\s"'])-(?:[\w-]*-)?$/.test(before);
}
