import { hash } from "node:crypto";

export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonicalCopy(value));
}

/** Equals `JSON.parse(canonicalJson(value))`, but much faster; also faster than a replacer. */
export function canonicalCopy(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Array.from(value, (item) => canonicalCopy(item) ?? null);
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalCopy(value.toJSON());
  const copy: Record<string, unknown> = {};
  const entries = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(entries).sort()) {
    const inner = canonicalCopy(entries[key]);
    if (inner === undefined) continue;
    // Defined as an ordinary property: an assignment would set the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, ...ordinary });
    else copy[key] = inner;
  }
  return copy;
}

const ordinary = { enumerable: true, writable: true, configurable: true };

export function sha256(bytes: string | Uint8Array): string {
  return hash("sha256", bytes);
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
