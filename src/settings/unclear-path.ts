import path from "node:path";
import { isInside, isInsideAny } from "../contract/path-scope.ts";

interface Start {
  /** Where a relative name starts. */
  readonly base: string;
  readonly workspace: string;
  /** Is it certain what lies above the place where names start? */
  readonly mayClimb: boolean;
}

/** Here the same name is another file for every process that asks. */
const ownOfEachProcess = ["/proc", "/dev"];
const between = /[\s=:,;@|&<>(){}]/;
const endsUp = new RegExp(`^\\.\\.(?:$|${between.source})`);
const startsUp = new RegExp(`(?:^|${between.source}|^-\\w*)(?:\\./+)*\\.\\.(?:$|/|${between.source})`);
const hostedFile = /file:\/\/[^/]/i;
const writtenModule = /data:\s*[\w.+-]+\/[\w.+-]+\s*[;,]/i;

/**
 * Why the text of a word does not tell which file it leads to; `undefined` where it does. We resolve names by their
 * text, and the kernel follows links first.
 */
export function unclearPath(word: string, { base, workspace, mayClimb }: Start): string | undefined {
  for (const reading of readingsOf(word)) {
    if (climbsBehindName(reading)) return "has a .. behind another name, which may be a link";
    if (!mayClimb && startsUp.test(reading)) return "leads up from a directory that may be a link";
    if (hostedFile.test(reading) || writtenModule.test(reading)) return "has an address that could be more than a name";
  }
  const isOdd = (name: string) => {
    const place = path.resolve(base, name.replace(/^-[^/]*/, ""));
    return place !== "/dev/null" && !isInside(place, workspace) && isInsideAny(place, ownOfEachProcess);
  };
  const names = piecesOf(word).flatMap((piece) => [piece, ...piece.split(between)]);
  return names.some(isOdd) ? "leads to /proc or /dev, where every program finds something else" : undefined;
}

/** Every stretch of a word that some program may take for a name. */
export function piecesOf(word: string): readonly string[] {
  const pieces = readingsOf(word).flatMap((reading) => [
    reading,
    ...reading.split(/[\s=:,]/),
    ...reading.split(/[\s=:,;|&()<>{}[\]"'`]+/),
  ]);
  return [...new Set(pieces.flatMap((piece) => [piece, ...asAddress(piece)]))];
}

/** As it stands, and as who reads quotes, an address, or a name in a language takes it. */
function readingsOf(word: string): readonly string[] {
  const bare = word.replace(/[\t\r\n"'`]/g, "");
  const folded = bare.normalize("NFKC");
  return [...new Set([word, bare, folded, bare.replaceAll("\\", ""), bare.replaceAll("\\", "/")])];
}

/** Runtimes take the name of a module for an address. */
function asAddress(piece: string): readonly string[] {
  const [name = ""] = piece.split(/[?#]/);
  try {
    return [name, decodeURIComponent(name)];
  } catch {
    return [name];
  }
}

function climbsBehindName(text: string): boolean {
  const parts = text.split("/");
  const last = parts.findLastIndex((part) => endsUp.test(part));
  return parts.slice(0, Math.max(last, 0)).some((part) => part !== "" && part !== "." && part !== "..");
}
