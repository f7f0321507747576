import { findSecrets, looksSecret } from "./find-secrets.ts";

const given =
  /[\w.-]*(?:pass|pwd|secret|token|key|auth|cred)[\w.-]*["']?(?:\s*[:=]|[ \t])\s*["']?(?!\$\{?\w)[^\s"'#]+/gi;

const binaryPiece = 48;

/** For files with a secret's name: the values that look like secrets, one character per byte. */
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

/** Whether it contains a secret that `version` does not. Everything counts as added to an empty version. */
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

/** A secret's name with public content: certificates, public keys, plain `.npmrc` files. */
export function isPlainContent(name: string, content: Buffer): boolean {
  const text = content.toString("utf8");
  if (content.includes(0) || findSecrets(text).length > 0) return false;
  if (name.toLowerCase() === ".npmrc") return !npmCredential.test(text);
  const blocks = [...text.matchAll(/-----BEGIN ([^-\n]+)-----/g)].map(([, label = ""]) => label);
  return blocks.length > 0 && blocks.every((label) => publicBlock.test(label));
}
