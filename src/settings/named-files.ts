import path from "node:path";
import { messageOf } from "../contract/message-of.ts";
import { isInside } from "../contract/path-scope.ts";

export interface NamedFiles {
  readonly workspace: string;
  /** Of the bytes. `undefined` only when nothing is there; what cannot be hashed is thrown. */
  readonly hashFile: (file: string) => string | undefined;
}

export type BoundFiles = readonly (readonly [file: string, hash: string])[];

/** Every file of the project that a command names, with its hash; or why they cannot be told for certain. */
export type Binding = { readonly ok: true; readonly files: BoundFiles } | ({ readonly ok: false } & Refused);

const mostFiles = 20;
/** How many names one entry may make us look for, and how many we think of on the way. */
const mostNames = 8_000;
const mostSteps = 12_000;

export interface Search extends NamedFiles {
  /** Where a relative name starts. */
  readonly base: string;
  readonly found: Map<string, string>;
  asked: number;
  steps: number;
}

export interface Refused {
  readonly why: string;
  /** What is wrong with a file, without its name. */
  readonly because?: string;
  /** A script of the project in its place could be bound. */
  readonly byScript?: true;
}

export function searchIn(files: NamedFiles): Search {
  return { ...files, base: files.workspace, found: new Map(), asked: 0, steps: 0 };
}

/** Throws when one entry took more than all of its words are worth. */
export function spend(search: Search, steps: number): void {
  search.steps += steps;
  if (isExhausted(search)) throw new Error("it has too many words");
}

export function isExhausted({ asked, steps }: Search): boolean {
  return asked > mostNames || steps > mostSteps;
}

export function filesOf({ workspace, found }: Search): BoundFiles {
  return [...found].map(([file, hash]) => [path.relative(workspace, file), hash] as const);
}

/** An option such as `-r./x` may give its value from any letter on, and `@x` often means what x holds. */
export function namesIn(piece: string): readonly string[] {
  if (/^-[^-]/.test(piece)) return Array.from(piece, (_, at) => piece.slice(at));
  return piece.includes("@") ? [piece, piece.slice(piece.indexOf("@") + 1)] : [piece];
}

/** What cannot be hashed is refused, unless it is something that nobody could run by that name. */
export function bindNames(
  names: readonly string[],
  search: Search,
  isNone: (file: string) => boolean = () => false,
): { readonly bound: number } | Refused {
  const { workspace, base, hashFile, found } = search;
  let bound = 0;
  for (const name of names) {
    const file = path.resolve(base, name);
    if (name === "" || !isInside(file, workspace)) continue;
    search.asked += 1;
    if (search.asked > mostNames) return { why: "it has too many words" };
    try {
      const hash = found.get(file) ?? hashFile(file);
      if (hash === undefined) continue;
      found.set(file, hash);
      bound += 1;
    } catch (error) {
      if (isNone(file)) continue;
      const because = messageOf(error);
      return { why: `it names ${name}, and ${because}`, because };
    }
    if (found.size > mostFiles) return { why: `it names more than ${mostFiles} files of the project` };
  }
  return { bound };
}

export function isThere(file: string, { hashFile }: NamedFiles): boolean {
  try {
    return hashFile(file) !== undefined;
  } catch {
    return true;
  }
}

/** Something is there, and something could be in it. */
export function isDirectory(place: string, { hashFile }: NamedFiles): boolean {
  try {
    hashFile(`${place}/.`);
    return false;
  } catch {
    return true;
  }
}
