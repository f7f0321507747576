import type { FoundSecret } from "./find-secrets.ts";

const windowChars = 8;
/** Long values are split, so that a part of one is found as well. */
const pieceChars = 24;
const mostTexts = 40_000;
/** Separates two pieces that were encoded together. */
const gap = 3;
const base = 31;
const highest = Array.from({ length: windowChars - 1 }).reduce<number>((power) => Math.imul(power, base), 1);

/** Exact values that must not leave the machine, also as Base64, as hexadecimal digits and in URLs. */
export class KnownValues {
  readonly #texts = new Map<number, string[]>();
  readonly #learned = new Set<string>();
  readonly #hashes = new Uint8Array(65_536);
  #count = 0;

  /** Bytes as characters. `false` if the set is full: the values must then not be shown anywhere. */
  learn(values: readonly string[]): boolean {
    for (const value of values) {
      if (this.#learned.has(value)) continue;
      if (this.#count >= mostTexts) return false;
      this.#learned.add(value);
      for (const piece of piecesOf(value)) for (const text of formsOf(piece)) this.#add(text);
    }
    return true;
  }

  /** In order, disjoint. White space between the characters is ignored. */
  find(text: string): readonly FoundSecret[] {
    if (this.#count === 0) return [];
    const { codes, places, length } = compact(text);
    const found: { from: number; to: number }[] = [];
    let hash = 0;
    for (let at = 0; at < length; at += 1) {
      if (at >= windowChars) hash = (hash - Math.imul(codes[at - windowChars] ?? 0, highest)) | 0;
      hash = (Math.imul(hash, base) + (codes[at] ?? 0)) | 0;
      const from = at - windowChars + 1;
      if (from < 0 || this.#hashes[hash & 0xffff] === 0) continue;
      const hit = this.#texts.get(hash)?.find((one) => isAt(one, codes, from, length));
      if (hit === undefined) continue;
      const last = found.at(-1);
      if (last !== undefined && from <= last.to + gap) last.to = Math.max(last.to, from + hit.length);
      else found.push({ from, to: from + hit.length });
    }
    return found.map(({ from, to }) => ({ kind: "known", from: places[from] ?? 0, to: (places[to - 1] ?? 0) + 1 }));
  }

  mask(bytes: Buffer): void {
    if (this.#count === 0) return;
    for (const { from, to } of this.find(bytes.toString("latin1"))) {
      for (let at = from; at < to; at += 1) if (bytes[at] !== 10 && bytes[at] !== 13) bytes[at] = 0x2a;
      if (to - from >= mark.length) bytes.write(mark, from, "latin1");
    }
  }

  #add(form: string): void {
    const text = form.replaceAll(/\\[nrt]/g, "");
    if (text.length < windowChars) return;
    let hash = 0;
    for (let at = 0; at < windowChars; at += 1) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
    const same = this.#texts.get(hash) ?? [];
    if (same.includes(text)) return;
    const longestFirst = [...same, text].sort((a, b) => b.length - a.length);
    this.#texts.set(hash, longestFirst);
    this.#hashes[hash & 0xffff] = 1;
    this.#count += 1;
  }
}

const mark = "[redacted]";

function piecesOf(value: string): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  for (; value.length - at >= 2 * pieceChars; at += pieceChars) pieces.push(value.slice(at, at + pieceChars));
  return [...pieces, value.slice(at)];
}

function formsOf(piece: string): ReadonlySet<string> {
  const bytes = Buffer.from(piece, "latin1");
  const hex = bytes.toString("hex");
  const encoded = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    // Only the characters that these bytes alone determine.
    return all.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
  });
  const address = encodeURIComponent(piece);
  const lower = address.replace(/%../g, (one) => one.toLowerCase());
  const texts = /^[\x21-\x7e]+$/.test(piece) ? [piece, JSON.stringify(piece).slice(1, -1), address, lower] : [];
  const urlSafe = encoded.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return new Set([...texts, hex, hex.toUpperCase(), ...encoded, ...urlSafe]);
}

/** Without white space, including escaped white space as in JSON. */
function compact(text: string) {
  const codes = new Uint16Array(text.length);
  const places = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || (code >= 9 && code <= 13)) continue;
    if (code === 0x5c && "nrt".includes(text.charAt(at + 1) || " ")) {
      at += 1;
      continue;
    }
    codes[length] = code;
    places[length] = at;
    length += 1;
  }
  return { codes, places, length };
}

function isAt(wanted: string, codes: Uint16Array, from: number, length: number): boolean {
  if (from + wanted.length > length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (codes[from + at] !== wanted.charCodeAt(at)) return false;
  return true;
}
