import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../log-failure.ts";

/** What others keep in the state directory for a workspace, and nobody needs without a session of it. */
export interface Belongings {
  /** Below the state directory. Nothing else lies in them. */
  readonly directories: readonly string[];
  /** Which entries of them, as `directory/name`. */
  of(workspace: string): readonly string[];
}

export interface Belonging {
  /** As `directory/name`. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** Everything that lies there, whoever it belongs to. */
export function belongingsIn(stateDirectory: string, { directories }: Belongings): readonly Belonging[] {
  return directories.flatMap((directory) =>
    entriesOf(join(stateDirectory, directory)).map((entry) => {
      const path = join(stateDirectory, directory, entry.name);
      const files = entry.isDirectory() ? entriesOf(path).map(({ name }) => join(path, name)) : [path];
      const facts = files.map(factsOf);
      return {
        // What SQLite keeps beside a database goes where the database goes.
        name: join(directory, entry.name.replace(/-(?:wal|shm|journal)$/, "")),
        path,
        bytes: facts.reduce((sum, { bytes }) => sum + bytes, 0),
        usedAt: Math.max(0, ...facts.map(({ usedAt }) => usedAt)),
      };
    }),
  );
}

function entriesOf(directory: string): readonly Dirent[] {
  return unlessMissing([], () => readdirSync(directory, { withFileTypes: true }));
}

function factsOf(file: string): Pick<Belonging, "bytes" | "usedAt"> {
  return unlessMissing({ bytes: 0, usedAt: 0 }, () => {
    const { size, mtimeMs } = statSync(file);
    return { bytes: size, usedAt: mtimeMs };
  });
}

function unlessMissing<Found>(otherwise: Found, look: () => Found): Found {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return otherwise;
    throw error;
  }
}
