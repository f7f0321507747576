import { z } from "zod";
import type { Outcome } from "../../contract/codes.ts";
import { boundedLine } from "./bounded-text.ts";
import type { StateFiles } from "./server-state.ts";

const longestWhy = 300;
const fileIn = (directory: string) => `${directory}/failed-test.json`;
/** Written whenever it starts: when it is another one since, the test is out of date. */
const startedIn = (directory: string) => `${directory}/tools.json`;

/** Remembers a test that came to nothing, and forgets it with one that did not. */
export function noteTest(
  files: StateFiles & { remove(name: string): Outcome<void> },
  directory: string,
  { at, failed }: { readonly at: string; readonly failed: string | undefined },
): void {
  if (failed === undefined) files.remove(fileIn(directory));
  else {
    const stamp = files.stamp(startedIn(directory));
    const since = stamp.ok ? stamp.value : undefined;
    files.write(fileIn(directory), JSON.stringify({ at, why: boundedLine(failed, longestWhy), since }));
  }
}

export function readFailedTest(
  files: StateFiles,
  directory: string,
): { readonly at: string; readonly why: string } | undefined {
  const text = files.read(fileIn(directory));
  if (!text.ok || text.value === undefined) return undefined;
  const stamp = files.stamp(startedIn(directory));
  const shape = z.object({ at: z.iso.datetime(), why: z.string(), since: z.exactOptional(z.string()) });
  try {
    const { at, why, since } = shape.parse(JSON.parse(text.value));
    return stamp.ok && stamp.value === since ? { at, why: boundedLine(why, longestWhy) } : undefined;
  } catch {
    return undefined;
  }
}
