export interface TextStretch {
  readonly from: number;
  readonly to: number;
}

export interface SecretSpan extends TextStretch {
  readonly mark: string;
}

export function withMarks(
  text: string,
  spans: readonly SecretSpan[],
  stretch: TextStretch = { from: 0, to: text.length },
): string {
  let shown = "";
  let reached = stretch.from;
  for (const span of spans) {
    const from = Math.max(span.from, stretch.from);
    const to = Math.min(span.to, stretch.to);
    if (from >= to) continue;
    shown += text.slice(reached, from) + text.slice(from, to).replace(/[^\r\n]+/g, () => span.mark);
    reached = to;
  }
  return shown + text.slice(reached, stretch.to);
}

/** `undefined` if redaction would change a name: a redacted name cannot be called. */
export function withoutSecrets<Shown extends { readonly name: string }>(
  shown: Shown,
  redact: <Value>(value: Value) => Value,
): Shown | undefined {
  const clean = redact(shown);
  if (clean === shown) return shown;
  return [shown.name, ...keysIn(shown)].every((name) => redact(name) === name) ? clean : undefined;
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...keysIn(inner)]);
}
