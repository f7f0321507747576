import { hash } from "node:crypto";

export function canonicalJson(value: unknown): string {
  return JSON.stringify(canonicalCopy(value));
}

/**
 * What reading the canonical JSON of a value would give, without the way through text. It is many times quicker than a
 * replacer, too, which keeps `JSON.stringify` from its own fast ways.
 */
export function canonicalCopy(value: unknown): unknown {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return canonicalItems(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return canonicalCopy(value.toJSON());
  const copy: Record<string, unknown> = {};
  const entries = value as Readonly<Record<string, unknown>>;
  for (const key of sorted(Object.keys(entries))) {
    const inner = canonicalCopy(entries[key]);
    if (inner === undefined) continue;
    // As a name like any other: set plainly, it would be the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, ...ordinary });
    else copy[key] = inner;
  }
  return copy;
}

function canonicalItems(items: readonly unknown[]): readonly unknown[] {
  const copy: unknown[] = [];
  for (let at = 0; at < items.length; at++) copy.push(canonicalCopy(items[at]) ?? null);
  return copy;
}

function sorted(keys: string[]): readonly string[] {
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] ?? "") > (keys[at] ?? "")) return keys.sort();
  }
  return keys;
}

const ordinary = { enumerable: true, writable: true, configurable: true };

export function sha256(bytes: string | Uint8Array): string {
  return hash("sha256", bytes);
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
