import { createHmac } from "node:crypto";
import type { SecretSpan, TextStretch } from "../../base/secret-span.ts";
import {
  type FoundSecret,
  findSecrets,
  holdsMark,
  isSensitiveFlag,
  isSensitiveName,
  looksSecret,
  mayHoldSecret,
  merged,
} from "./find-secrets.ts";
import { KnownValues } from "./known-values.ts";

/**
 * Replaces secrets by marks `[redacted:<kind>:<hmac8>]`. Equal secrets get equal marks; the key keeps short ones from
 * being guessed.
 */
export interface Redactor {
  redactText(text: string): string;
  /** The secrets that overlap the range, found in the whole text. In order, disjoint. */
  secretsIn(text: string, stretch?: TextStretch): readonly SecretSpan[];
  /** Names as well as values. `value` is the argument itself when nothing changed. */
  redactValue<Value>(value: Value): { readonly value: Value; readonly changed: boolean };
  /** Cheap. `false` is definite, also for values that serialise to this text. */
  suspects(text: string): boolean;
}

export function createRedactor(key: Uint8Array, known: Pick<KnownValues, "find"> = new KnownValues()): Redactor {
  const mark = (kind: string, secret: string) =>
    `[redacted:${kind}:${createHmac("sha256", key).update(secret).digest("hex").slice(0, 8)}]`;
  const marked = (text: string, { kind, from, to }: FoundSecret): SecretSpan => ({
    from,
    to,
    mark: mark(kind, text.slice(from, to)),
  });

  const secretsOf = (text: string, stretch?: TextStretch): readonly FoundSecret[] => {
    const { from, to } = stretch ?? { from: 0, to: text.length };
    const learned = known.find(text).filter((one) => one.from < to && one.to > from);
    return learned.length === 0 ? findSecrets(text, stretch) : merged([...learned, ...findSecrets(text, stretch)]);
  };
  const suspects = (text: string) => mayHoldSecret(text) || known.find(text).length > 0;

  const redactText = (text: string): string => {
    if (!suspects(text)) return text;
    let redacted = "";
    let reached = 0;
    for (const secret of secretsOf(text)) {
      redacted += text.slice(reached, secret.from) + marked(text, secret).mark;
      reached = secret.to;
    }
    return reached === 0 ? text : redacted + text.slice(reached);
  };

  return {
    redactText,
    secretsIn: (text, stretch) => secretsOf(text, stretch).map((secret) => marked(text, secret)),
    redactValue: (value) => {
      const redacted = redactDeep(value, { redactText, markAssigned: (secret) => mark("assigned", secret) });
      return { value: redacted, changed: redacted !== value };
    },
    suspects,
  };
}

interface DeepRedaction {
  readonly redactText: (text: string) => string;
  readonly markAssigned: (secret: string) => string;
}

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
  const redacted = items.map((inner, index) => {
    const before = items[index - 1];
    const isFlagValue = typeof before === "string" && isSensitiveFlag(before);
    return isFlagValue ? redactNamed(inner, how) : redactDeep(inner, how);
  });
  return redacted.every((inner, index) => inner === items[index]) ? items : redacted;
}

function redactNamed(value: unknown, how: DeepRedaction): unknown {
  const redacted = redactDeep(value, how);
  return typeof redacted === "string" && redacted === value && !holdsMark(redacted) && looksSecret(redacted, true)
    ? how.markAssigned(redacted)
    : redacted;
}
