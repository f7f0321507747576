import { chmodSync, closeSync, fstatSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../../host/failure.ts";
import { openPlace } from "../../host/files/descriptor.ts";

interface Lent {
  readonly directory: number;
  readonly mode: number;
}

const enter = 0o100;
const enterAndChange = 0o300;

// A command may have removed its user's rights to a directory. They are restored while `act` runs, which is repeated
// from the start and must have done nothing when it fails.
export function withRightsTo(directory: string, act: () => void): void {
  const lent: Lent[] = [];
  try {
    while (isDenied(act)) {
      const more = lendNext(directory);
      // Nothing more can be lent: its own error tells.
      if (more === undefined) return void act();
      lent.push(more);
    }
  } finally {
    for (const { directory, mode } of lent.reverse()) {
      chmodSync(byDescriptor(directory), mode);
      closeSync(directory);
    }
  }
}

function isDenied(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (errnoOf(error) === "EACCES") return true;
    throw error;
  }
}

function lendNext(directory: string): Lent | undefined {
  for (const path of [...above(directory), directory]) {
    const needed = path === directory ? enterAndChange : enter;
    const place = openPlace(path);
    const stats = fstatSync(place);
    const mode = stats.mode & 0o7777;
    if (stats.uid === process.geteuid?.() && (mode & needed) !== needed) {
      chmodSync(byDescriptor(place), mode | needed);
      return { directory: place, mode };
    }
    closeSync(place);
  }
  return undefined;
}

function above(path: string): readonly string[] {
  const found: string[] = [];
  for (let here = path; here !== dirname(here); ) {
    here = dirname(here);
    found.unshift(here);
  }
  return found;
}

function byDescriptor(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}
