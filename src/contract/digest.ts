import { hash } from "node:crypto";

/** JSON with sorted keys: equal values give equal bytes, whatever order they were built in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A copy is many times quicker than a replacer, which keeps `JSON.stringify` from its own fast ways. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  if ("toJSON" in value && typeof value.toJSON === "function") return sorted(value.toJSON());
  const copy: Record<string, unknown> = {};
  const entries = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(entries).sort()) {
    const inner = sorted(entries[key]);
    // As a name like any other: set plainly, it would be the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, enumerable: true });
    else copy[key] = inner;
  }
  return copy;
}

export function sha256(bytes: string | Uint8Array): string {
  return hash("sha256", bytes);
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
