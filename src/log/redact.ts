import { createHmac } from "node:crypto";
import type { SecretSpan, TextStretch } from "../contract/secret-span.ts";
import { isSensitiveFlag, isSensitiveName, looksSecret } from "./assigned-secret.ts";
import { type FoundSecret, findSecrets, holdsMark, mayHoldSecret } from "./find-secrets.ts";

/**
 * Replaces secrets by marks `[redacted:<kind>:<hmac8>]`. Equal secrets get equal marks, so that an auditor sees
 * that the same one was used again; the key keeps short secrets from being guessed out of the mark.
 */
export interface Redactor {
  redactText(text: string): string;
  /**
   * For who shows a stretch of a text: the secrets that reach into it, seen as parts of the whole text. In order,
   * none over another.
   */
  secretsIn(text: string, stretch?: TextStretch): readonly SecretSpan[];
  /** Names as well as values. `value` is the argument itself when nothing had to change. */
  redactValue<Value>(value: Value): { readonly value: Value; readonly changed: boolean };
  /** Cheap. `false` is certain: neither this text nor any value that serialises to it holds a known secret. */
  suspects(text: string): boolean;
}

export function createRedactor(key: Uint8Array): Redactor {
  const mark = (kind: string, secret: string) =>
    `[redacted:${kind}:${createHmac("sha256", key).update(secret).digest("hex").slice(0, 8)}]`;
  const marked = (text: string, { kind, from, to }: FoundSecret): SecretSpan => ({
    from,
    to,
    mark: mark(kind, text.slice(from, to)),
  });

  const redactText = (text: string): string => {
    if (!mayHoldSecret(text)) return text;
    let redacted = "";
    let reached = 0;
    for (const secret of findSecrets(text)) {
      redacted += text.slice(reached, secret.from) + marked(text, secret).mark;
      reached = secret.to;
    }
    return reached === 0 ? text : redacted + text.slice(reached);
  };

  return {
    redactText,
    secretsIn: (text, stretch) => findSecrets(text, stretch).map((secret) => marked(text, secret)),
    redactValue: (value) => {
      const redacted = redactDeep(value, { redactText, markAssigned: (secret) => mark("assigned", secret) });
      return { value: redacted, changed: redacted !== value };
    },
    suspects: mayHoldSecret,
  };
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
  let changed = false;
  const entries = Object.entries(value).map(([key, inner]) => {
    const name = how.redactText(key);
    const redacted = isSensitiveName(key) ? redactNamed(inner, how) : redactDeep(inner, how);
    changed ||= name !== key || redacted !== inner;
    return [name, redacted] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
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
  return typeof redacted === "string" && redacted === value && !holdsMark(redacted) && looksSecret(redacted, true)
    ? how.markAssigned(redacted)
    : redacted;
}
