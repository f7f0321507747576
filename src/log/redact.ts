import { createHmac } from "node:crypto";
import { assignmentHint, isSensitiveFlag, isSensitiveName, looksSecret, replaceAssigned } from "./assigned-secret.ts";
import { type SecretPattern, secretPatterns } from "./secret-patterns.ts";

/**
 * Replaces secrets by marks `[redacted:<kind>:<hmac8>]`. Equal secrets get equal marks, so that an auditor sees
 * that the same one was used again; the key keeps short secrets from being guessed out of the mark.
 */
export interface Redactor {
  redactText(text: string): string;
  /** Keys stay as they are. `value` is the argument itself when nothing had to change. */
  redactValue<Value>(value: Value): { readonly value: Value; readonly changed: boolean };
  /** Cheap. `false` is certain: neither this text nor any value that serialises to it holds a known secret. */
  suspects(text: string): boolean;
}

export function createRedactor(key: Uint8Array): Redactor {
  const mark = (kind: string) => (secret: string) =>
    `[redacted:${kind}:${createHmac("sha256", key).update(secret).digest("hex").slice(0, 8)}]`;

  const redactText = (text: string): string => {
    if (text.length < 8 || !hint.test(text)) return text;
    return betweenMarks(text, (part) => redactPlain(part, mark));
  };

  return {
    redactText,
    redactValue: (value) => {
      const redacted = redactDeep(value, { redactText, markAssigned: mark("assigned") });
      return { value: redacted, changed: redacted !== value };
    },
    suspects: (text) => hint.test(text),
  };
}

const marks = /(\[redacted:[a-z0-9-]+:[0-9a-f]{8}\])/;
const bearer = /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16,})/gi;

/** Every text that a pattern matches contains one of these, also after JSON escaping. */
const hint = new RegExp(
  [...secretPatterns.flatMap(({ anchors }) => anchors.map(hintFor)), "[Bb]earer|BEARER", `(?i:${assignmentHint})`].join(
    "|",
  ),
);

/** A bare `://` stands in too many texts to mean anything. */
function hintFor(anchor: string): string {
  if (anchor === "://") return ":\\/\\/[^\\s/?#@\"'`]{0,4000}@";
  return anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

type Mark = (kind: string) => (secret: string) => string;

function redactPlain(text: string, mark: Mark): string {
  let redacted = text;
  for (const known of secretPatterns) redacted = redactKnown(redacted, known, mark(known.kind));
  redacted = replaceGroup(redacted, bearer, mark("authorization"), (secret) => looksSecret(secret, true));
  return betweenMarks(redacted, (part) => replaceAssigned(part, mark("assigned")));
}

/** A mark is never looked into: what was redacted once stays as it is. */
function betweenMarks(text: string, change: (part: string) => string): string {
  if (!text.includes("[redacted:")) return change(text);
  return text
    .split(marks)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

function redactKnown(text: string, known: SecretPattern, mark: (secret: string) => string): string {
  if (!known.anchors.some((anchor) => text.includes(anchor))) return text;
  return replaceGroup(text, known.pattern, mark, () => true);
}

function replaceGroup(
  text: string,
  pattern: RegExp,
  mark: (secret: string) => string,
  accept: (secret: string) => boolean,
): string {
  return text.replace(pattern, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const secret = isGroups(groups) ? (groups.secret ?? whole) : whole;
    if (!accept(secret)) return whole;
    const start = whole.lastIndexOf(secret);
    return whole.slice(0, start) + mark(secret) + whole.slice(start + secret.length);
  });
}

function isGroups(candidate: unknown): candidate is Readonly<Record<string, string | undefined>> {
  return candidate !== null && typeof candidate === "object";
}

interface DeepRedaction {
  readonly redactText: (text: string) => string;
  readonly markAssigned: (secret: string) => string;
}

/** Copies only what changes, so that an untouched value keeps its identity. */
function redactDeep<Value>(value: Value, how: DeepRedaction): Value;
function redactDeep(value: unknown, how: DeepRedaction): unknown {
  if (typeof value === "string") return how.redactText(value);
  if (Array.isArray(value)) return redactArray(value, how);
  if (value === null || typeof value !== "object") return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const redacted = isSensitiveName(key) ? redactNamed(inner, how) : redactDeep(inner, how);
    if (redacted === inner) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: redacted, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

function redactArray(items: readonly unknown[], how: DeepRedaction): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, inner] of items.entries()) {
    const before = index > 0 ? items[index - 1] : undefined;
    const isFlagValue = typeof before === "string" && isSensitiveFlag(before);
    const redacted = isFlagValue ? redactNamed(inner, how) : redactDeep(inner, how);
    if (redacted === inner) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
}

function redactNamed(value: unknown, how: DeepRedaction): unknown {
  const redacted = redactDeep(value, how);
  return typeof redacted === "string" && redacted === value && !marks.test(redacted) && looksSecret(redacted, true)
    ? how.markAssigned(redacted)
    : redacted;
}
