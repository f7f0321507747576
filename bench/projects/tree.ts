import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, type Stats } from "node:fs";
import path from "node:path";

/** Path below the root, `.` included → what changes whenever the entry does. */
type Stamps = Map<string, string>;

/** What an entry is, without its times: type, mode, content or target. */
export type Entries = ReadonlyMap<string, string>;

export const absent = "absent";

/**
 * A checkout that commands may change, and the pristine copy that it is reset from. A look costs one `lstat` per entry,
 * a reset only what was changed, so repositories with 100,000 files are workable without a mount.
 */
export class WorkTree {
  readonly root: string;
  readonly #pristine: string;
  /** Names beside the checkout that belong there. */
  readonly #beside: ReadonlySet<string>;
  readonly #stamps: Stamps = new Map();

  constructor(root: string, pristine: string) {
    this.root = root;
    this.#pristine = pristine;
    if (!existsSync(pristine)) {
      execFileSync("mkdir", ["-p", path.dirname(pristine)]);
      execFileSync("cp", ["-a", "--reflink=auto", root, pristine]);
    }
    this.#beside = new Set(readdirSync(path.dirname(root)));
    const there = new Map<string, string>();
    stampBelow(pristine, ".", there);
    stampBelow(root, ".", this.#stamps);
    // An earlier run that was killed may have left changes: inodes differ, so compare what copies have in common.
    const differs = new Set([...there.keys(), ...this.#stamps.keys()].filter((one) => !this.#isCopy(one)));
    if (differs.size > 0) this.#restore([...differs]);
  }

  /** What differs from the state after the last reset. `rename` is applied to the content of git's own files. */
  changes(rename: (text: string) => string): Entries {
    return new Map(this.#changed().map((one) => [one, this.#describe(path.join(this.root, one), rename)]));
  }

  /** What the entry was before the run. */
  original(name: string): string {
    return name.startsWith("..") ? absent : this.#describe(path.join(this.#pristine, name));
  }

  reset(): void {
    this.#restore(this.#changed());
  }

  /** Makes the present content of a file the one that a reset gives. */
  keep(file: string): void {
    const name = path.relative(this.root, file);
    execFileSync("cp", ["-a", file, path.join(this.#pristine, name)]);
    for (const one of [name, path.dirname(name)]) this.#stamp(one);
  }

  #changed(): string[] {
    const now: Stamps = new Map();
    stampBelow(this.root, ".", now);
    const changed = [...now].filter(([name, stamp]) => this.#stamps.get(name) !== stamp).map(([name]) => name);
    for (const name of this.#stamps.keys()) if (!now.has(name)) changed.push(name);
    const beside = readdirSync(path.dirname(this.root)).filter((name) => !this.#beside.has(name));
    return [...changed, ...beside.map((name) => path.join("..", name))];
  }

  #describe(file: string, rename?: (text: string) => string): string {
    const stats = statsOf(file);
    if (stats === undefined) return absent;
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
    if (stats.isFile()) {
      const content = readFileSync(file);
      const renamed = rename !== undefined && file.includes("/.git/") ? rename(content.toString("latin1")) : content;
      return `file ${mode} ${hashOf(renamed)}`;
    }
    if (!stats.isDirectory()) return `special ${mode}`;
    if (path.dirname(file) !== path.dirname(this.root) || file === this.root) return `directory ${mode}`;
    const below = readdirSync(file).filter((name) => name !== ".git");
    return `directory ${mode} ${hashOf(below.map((name) => `${name} ${this.#describe(path.join(file, name))}`).join("\n"))}`;
  }

  #isCopy(name: string): boolean {
    const [one, other] = [statsOf(path.join(this.root, name)), statsOf(path.join(this.#pristine, name))];
    if (one === undefined || other === undefined || one.mode !== other.mode) return false;
    return one.isDirectory() || (one.size === other.size && one.mtimeMs === other.mtimeMs);
  }

  #restore(changed: readonly string[]): void {
    const isDirectory = (file: string) => statsOf(file)?.isDirectory() === true;
    const replaced: string[] = [];
    for (const name of [...changed].sort()) {
      const [target, source] = [path.join(this.root, name), path.join(this.#pristine, name)];
      if (!name.startsWith("..") && isDirectory(target) && isDirectory(source))
        chmodSync(target, lstatSync(source).mode);
      else if (!replaced.some((above) => name.startsWith(`${above}/`))) replaced.push(name);
    }
    for (const name of replaced) {
      const target = path.join(this.root, name);
      if (isDirectory(target)) execFileSync("chmod", ["-R", "u+rwX", target]);
      rmSync(target, { recursive: true, force: true });
    }
    const back = replaced.filter((name) => !name.startsWith("..") && existsOrLink(path.join(this.#pristine, name)));
    for (let from = 0; from < back.length; from += 500) {
      const some = back.slice(from, from + 500);
      const parts = ["-a", "--reflink=auto", "--parents", "-t", this.root, "--", ...some];
      execFileSync("cp", parts, { cwd: this.#pristine });
    }
    for (const name of changed) {
      for (let above = name; above !== "." && above !== ".."; above = path.dirname(above)) this.#stamp(above);
    }
    this.#stamp(".");
    for (const name of back) stampBelow(this.root, name, this.#stamps);
  }

  #stamp(name: string): void {
    if (name.startsWith("..")) return;
    const stats = statsOf(path.join(this.root, name));
    if (stats === undefined) this.#stamps.delete(name);
    else this.#stamps.set(name, stampOf(stats));
  }
}

function stampBelow(root: string, name: string, stamps: Stamps): void {
  const stats = statsOf(path.join(root, name));
  if (stats === undefined) return;
  stamps.set(name, stampOf(stats));
  if (!stats.isDirectory()) return;
  for (const one of readdirSync(path.join(root, name))) stampBelow(root, path.join(name, one), stamps);
}

function stampOf({ ino, mode, size, ctimeMs }: Stats): string {
  return `${ino} ${mode} ${size} ${ctimeMs}`;
}

function statsOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

function existsOrLink(file: string): boolean {
  return statsOf(file) !== undefined;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha1").update(content).digest("hex").slice(0, 12);
}
