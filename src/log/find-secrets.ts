import type { TextStretch } from "../base/secret-span.ts";
import { assignedIn, assignmentHint, looksSecret } from "./assigned-secret.ts";
import { type SecretPattern, secretPatterns, token } from "./secret-patterns.ts";

export interface FoundSecret extends TextStretch {
  readonly kind: string;
}

/** Further than this beyond a stretch only private keys are looked for: everything else that has an end is shorter. */
const margin = 16 * 1024;

const marks = /\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]/g;
const bearer = token(/bearer/, /bearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16,})/i);
const privateKeys = secretPatterns.filter(({ kind }) => kind === "private-key");

const anchors = secretPatterns.flatMap((pattern) => pattern.anchors);

/**
 * Every text that a pattern matches contains one of these, also after JSON escaping. Apart by length: a search for
 * several words skips no more of the text than the shortest of them is long, and a few short ones among all would make
 * it three times as slow.
 */
const hints = [
  anchors.filter(({ length }) => length < 4).map(hintFor),
  anchors.filter(({ length }) => length === 4).map(hintFor),
  anchors.filter(({ length }) => length > 4).map(hintFor),
  [`(?i:bearer|${assignmentHint})`],
].map((words) => new RegExp(words.join("|")));

/** Some stand in too many texts to mean anything by themselves. */
function hintFor(anchor: string): string {
  if (anchor === "://") return ":\\/\\/[^\\s/?#@\"'`]{0,4000}@";
  if (/^ecret$/i.test(anchor)) return "(?i:ecret_?access_?key)";
  return anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** `false` is certain. */
export function mayHoldSecret(text: string): boolean {
  return hints.some((hint) => hint.test(text));
}

export function holdsMark(text: string): boolean {
  return text.search(marks) !== -1;
}

/** Those that reach into the stretch, in order, none over another. A mark is never looked into. */
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

/** What is found in each part of the text that none of these stretches covers. They are in order. */
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

/** Overlapping ones become one, of the kind that begins first. */
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
