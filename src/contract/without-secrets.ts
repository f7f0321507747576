/**
 * Words of somebody else's tool as they can be shown. `undefined` where a name in them would have to change, because
 * nobody could call it by what is left of that.
 */
export function withoutSecrets<Shown extends { readonly name: string }>(
  shown: Shown,
  /** Gives the same back where there is no secret. */
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
