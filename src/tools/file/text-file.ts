import { Buffer } from "node:buffer";
import { fail, type Outcome, ok } from "../../contract/codes.ts";

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1";
export type Eol = "lf" | "crlf" | "mixed" | "none";

/** The encoding of a text. Kept over every change, so that only the requested lines change. */
export interface TextStyle {
  readonly encoding: Encoding;
  readonly bom: boolean;
  readonly eol: Eol;
}

export interface TextFile extends TextStyle {
  /** Without the byte order mark; with the file's own line endings. */
  readonly text: string;
}

export const newFileStyle: TextStyle = { encoding: "utf-8", bom: false, eol: "lf" };

/** Decodes without loss: `encodeText(decoded.text, decoded)` gives the same bytes. */
export function decodeText(bytes: Uint8Array): Outcome<TextFile> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(buffer, 0xff, 0xfe) || startsWith(buffer, 0xfe, 0xff)) return decodeUtf16(buffer);
  if (buffer.includes(0)) return binary();

  const bom = startsWith(buffer, 0xef, 0xbb, 0xbf);
  const utf8 = decodeUtf8(bom ? buffer.subarray(3) : buffer);
  if (utf8 !== undefined) return ok(textFile(utf8, { encoding: "utf-8", bom }));
  if (buffer.some(isControl)) return binary();
  return ok(textFile(buffer.toString("latin1"), { encoding: "latin1", bom: false }));
}

export function encodeText(text: string, style: Pick<TextStyle, "encoding" | "bom">): Outcome<Uint8Array> {
  const { encoding, bom } = style;
  if (encoding === "latin1") {
    const outside = /[^\0-\u00ff]/u.exec(text)?.[0];
    if (outside !== undefined) return inexpressible(`the character ${JSON.stringify(outside)}`, style);
    return ok(Buffer.from(text, "latin1"));
  }
  if (!text.isWellFormed() && encoding === "utf-8") return inexpressible("half of a surrogate pair", style);
  const bytes = Buffer.from(bom ? `\ufeff${text}` : text, encoding === "utf-8" ? "utf8" : "utf16le");
  return ok(encoding === "utf-16be" ? bytes.swap16() : bytes);
}

export function eolOf(text: string): Eol {
  const hasLf = /(?<!\r)\n/.test(text);
  if (text.includes("\r\n")) return hasLf ? "mixed" : "crlf";
  return hasLf ? "lf" : "none";
}

export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

export function toCrlf(text: string): string {
  return toLf(text).replaceAll("\n", "\r\n");
}

function decodeUtf16(buffer: Buffer): Outcome<TextFile> {
  if (buffer.length % 2 !== 0) return binary();
  const littleEndian = buffer[0] === 0xff;
  const units = littleEndian ? buffer.subarray(2) : Buffer.from(buffer.subarray(2)).swap16();
  const text = units.toString("utf16le");
  if (text.includes("\0")) return binary();
  return ok(textFile(text, { encoding: littleEndian ? "utf-16le" : "utf-16be", bom: true }));
}

function decodeUtf8(buffer: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return undefined;
  }
}

function textFile(text: string, style: Pick<TextStyle, "encoding" | "bom">): TextFile {
  return { text, ...style, eol: eolOf(text) };
}

function startsWith(buffer: Buffer, ...marks: readonly number[]): boolean {
  return marks.every((mark, index) => buffer[index] === mark);
}

/**
 * Control bytes that no text in an 8-bit encoding contains; tab, line ends, form feed, backspace and escape may occur.
 */
function isControl(byte: number): boolean {
  return byte < 8 || byte === 11 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127;
}

function binary(): Outcome<never> {
  return fail("runtime_precondition_failed", "it is binary, not text", {
    happened: "nothing",
    recovery: "Inspect it with a command such as `file` or `xxd`; only text files can be read, edited or patched.",
  });
}

function inexpressible(what: string, style: Pick<TextStyle, "encoding">): Outcome<never> {
  return fail("runtime_precondition_failed", `the file is ${style.encoding}, which cannot encode ${what}`, {
    happened: "nothing",
    recovery: "Use only characters of that encoding, or delete the file and write it again as UTF-8.",
  });
}
