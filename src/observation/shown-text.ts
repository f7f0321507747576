import { clip, plainText } from "../base/text.ts";
import type { ObservationInput, PrivatePath } from "./observation-input.ts";

export interface Cleaner {
  text(raw: string): string;
  plain(raw: string): string;
  redact(plain: string): string;
  output(raw: string): string;
  line(raw: string, maxChars: number): string;
}

export function createCleaner(input: Pick<ObservationInput, "redact" | "privatePaths">): Cleaner {
  const hidePaths = pathHider(input.privatePaths ?? []);
  const plain = (raw: string) => hidePaths(plainText(raw));
  const text = (raw: string) => input.redact(plain(raw));
  return {
    text,
    plain,
    redact: input.redact,
    output: (raw) => text(hideSettings(plainText(raw))),
    line: (raw, maxChars) => clip(oneLine(text(raw)), maxChars),
  };
}

function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function pathHider(paths: NonNullable<ObservationInput["privatePaths"]>): (text: string) => string {
  const longestFirst = paths.toSorted((a, b) => b.path.length - a.path.length);
  return (text) => longestFirst.reduce(hidePath, text);
}

function hidePath(text: string, { path, shown, except }: PrivatePath): string {
  if (!text.includes(path)) return text;
  const open = except?.slice(path.length);
  const isShown = (part: string) => goesOn(part) || (open !== undefined && leadsInto(part, open));
  return text.split(path).reduce((joined, part) => joined + (isShown(part) ? path : shown) + part);
}

function goesOn(part: string): boolean {
  return /^[\w.-]/.test(part);
}

function leadsInto(part: string, open: string): boolean {
  return part.startsWith(open) && !goesOn(part.slice(open.length));
}

const setting = /^((?:export |declare -x )?)([A-Za-z_][A-Za-z0-9_]*)=(?!["']?\$)(["']?\S.{4,})$/gm;
const secretName =
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|COOKIE|PRIVATE)(?:_|$)|(?:token|secret|password)$/i;

function hideSettings(text: string): string {
  if (!text.includes("=")) return text;
  return text.replace(setting, (whole, prefix: string, name: string) =>
    secretName.test(name) ? `${prefix}${name}=[redacted]` : whole,
  );
}
