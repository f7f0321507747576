import { z } from "zod";
import type { Outcome } from "../../contract/codes.ts";
import type { ListedServer } from "../../contract/server/desk.ts";
import { bounded } from "./bounded-text.ts";
import type { StateFiles } from "./server-state.ts";

/** All of it: what to do about it stands at its end. */
const longestWhy = 2_000;
const fileIn = (directory: string) => `${directory}/failed-test.json`;
/** Written whenever it starts: when it is another one since, the test is out of date. */
const startedIn = (directory: string) => `${directory}/tools.json`;

/** Remembers a test that came to nothing, or that its login is gone, and forgets it with a test that did not. */
export function noteTest(
  files: StateFiles & { remove(name: string): Outcome<void> },
  directory: string,
  { at, failed, loggedOut }: { readonly at: string; readonly failed: string | undefined; readonly loggedOut?: true },
): void {
  if (failed === undefined) files.remove(fileIn(directory));
  else {
    const stamp = files.stamp(startedIn(directory));
    const since = stamp.ok ? stamp.value : undefined;
    files.write(fileIn(directory), JSON.stringify({ at, why: bounded(failed, longestWhy), since, loggedOut }));
  }
}

export function readFailedTest(files: StateFiles, directory: string): ListedServer["failed"] {
  const text = files.read(fileIn(directory));
  if (!text.ok || text.value === undefined) return undefined;
  const stamp = files.stamp(startedIn(directory));
  const shape = z.object({
    at: z.iso.datetime(),
    why: z.string(),
    since: z.exactOptional(z.string()),
    loggedOut: z.exactOptional(z.literal(true)),
  });
  try {
    const { since, why, ...facts } = shape.parse(JSON.parse(text.value));
    return stamp.ok && stamp.value === since ? { ...facts, why: bounded(why, longestWhy) } : undefined;
  } catch {
    return undefined;
  }
}
