import { looksSecret } from "./assigned-secret.ts";
import { findSecrets } from "./find-secrets.ts";

/** A name that is given something to keep, whatever the value looks like: `DB_PASSWORD=x`, `password x`. */
const given =
  /[\w.-]*(?:pass|pwd|secret|token|key|auth|cred)[\w.-]*["']?(?:\s*[:=]|[ \t])\s*["']?(?!\$\{?\w)[^\s"'#]+/gi;

/** What is kept of a binary file, a piece at a time. */
const binaryPiece = 48;

/**
 * Values in a file of a secret's name that look like secrets, as bytes: one character each. In other files so little
 * would be too much.
 */
export function secretValues(content: Buffer): readonly string[] {
  if (content.includes(0)) {
    const text = content.toString("latin1");
    const pieces = Math.ceil(text.length / binaryPiece);
    return Array.from({ length: pieces }, (_, at) => text.slice(at * binaryPiece, (at + 1) * binaryPiece));
  }
  const text = content.toString("utf8");
  const found = findSecrets(text).flatMap(({ from, to }) => text.slice(from, to).split(/\s+|\\n/));
  const words = text
    .split(/[\s"'`,;]+/)
    .map((word) => word.replace(/^[\w.-]+[=:]/, ""))
    .filter((word) => looksSecret(word, false));
  return [...new Set([...found, ...words])]
    .filter((value) => value.length >= 8 && !value.startsWith("-----"))
    .map((value) => Buffer.from(value).toString("latin1"));
}

/**
 * Does it hold something worth hiding that this version does not have? To an empty version everything is added: an
 * earlier session may have committed what it found in the place of a hidden file.
 */
export function addsSecrets(content: Buffer, version: Buffer): boolean {
  if (version.toString("utf8").trim() === "") return content.toString("utf8").trim() !== "";
  if (content.includes(0) || version.includes(0)) return !content.equals(version);
  const known = partsOf(version);
  return [...partsOf(content)].some((part) => !known.has(part));
}

function partsOf(content: Buffer): ReadonlySet<string> {
  const text = content.toString("utf8").replaceAll(/^\s*[#;].*$/gm, "");
  const assigned = [...text.matchAll(given)].map(([part]) => part.replaceAll(/\s+/g, " "));
  return new Set([...secretValues(content), ...assigned]);
}

const publicBlock =
  /^(?:TRUSTED CERTIFICATE|CERTIFICATE(?: REQUEST)?|X509 CRL|(?:[A-Z]+ )*PUBLIC KEY|(?:DH|EC) PARAMETERS)$/;
const npmCredential = /^[^#;\n]*_(?:auth|authToken|password)\s*=\s*(?!["']?\$\{\w+\}["']?\s*$)\S/im;

/** A name that often means a secret, and a content that is none: certificates, public keys, plain `.npmrc` files. */
export function isPlainContent(name: string, content: Buffer): boolean {
  const text = content.toString("utf8");
  if (content.includes(0) || findSecrets(text).length > 0) return false;
  if (name.toLowerCase() === ".npmrc") return !npmCredential.test(text);
  const blocks = [...text.matchAll(/-----BEGIN ([^-\n]+)-----/g)].map(([, label = ""]) => label);
  return blocks.length > 0 && blocks.every((label) => publicBlock.test(label));
}
