import path from "node:path";
import { namesIn } from "./named-files.ts";
import { piecesOf } from "./unclear-path.ts";

const containers = /^(?:docker|podman|nerdctl)$/;
/** Also at the end of several letters, and with its value in the same word. */
const volume = /^(?:-[A-Za-z]*?v|--volume)=?(.*)$/;
const mount = /^--mount=?(.*)$/;

export interface Mount {
  /** As written. */
  readonly here: string;
  readonly there: string;
  /** A directory of the machine, and no volume that has a name. */
  readonly isPlace: boolean;
}

export function isContainer(word: string): boolean {
  return containers.test(path.basename(word));
}

/** What the words of a command show to a container. */
export function mountsIn(words: readonly string[]): readonly Mount[] {
  if (!words.some(isContainer)) return [];
  return words.flatMap((word, at) => {
    const next = words[at + 1] ?? "";
    const ofVolume = volume.exec(word);
    if (ofVolume !== null) {
      const [here = "", there = ""] = (ofVolume[1] || next).split(":");
      return ofPair(here, there, /^[.~]|\//.test(here));
    }
    const ofMount = mount.exec(word);
    return ofMount === null ? [] : ofFields(ofMount[1] || next);
  });
}

/** `docker run -v .:/app node /app/x.js`: a word in a container, by the name that it has here. */
export function mountedNames(words: readonly string[]): readonly (readonly [at: number, name: string])[] {
  const mounts = mountsIn(words);
  if (mounts.length === 0) return [];
  return words.flatMap((word, at) =>
    mounts.flatMap((one) => namesBehind(word, one).map((inner) => [at, path.join(one.here, inner)] as const)),
  );
}

/** What of a word leads to a mount, from there on. */
export function namesBehind(word: string, { there }: Mount): readonly string[] {
  const names = piecesOf(word).flatMap(namesIn).map(path.posix.normalize);
  return [...new Set(names.filter((name) => name.startsWith(`${there}/`)).map((name) => name.slice(there.length)))];
}

function ofFields(text: string): readonly Mount[] {
  const fields = new Map(text.split(",").map((field) => [field.split("=")[0], field.split("=").slice(1).join("=")]));
  const here = fields.get("source") ?? fields.get("src") ?? "";
  const there = fields.get("target") ?? fields.get("dst") ?? fields.get("destination") ?? "";
  return ofPair(here, there, !/^(?:volume|tmpfs)$/.test(fields.get("type") ?? "") || /^[.~]|\//.test(here));
}

function ofPair(here: string, there: string, isPlace: boolean): readonly Mount[] {
  if (here === "" || there === "") return [];
  return [{ here, there: path.posix.normalize(there).replace(/\/+$/, ""), isPlace }];
}
