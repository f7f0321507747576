import { fail, type Outcome, ok } from "../../contract/codes.ts";

const mostPages = 100;
const mostEntries = 10_000;

/** All pages of a list. A server that never comes to the end, or goes in a circle, gets a failure. */
export async function allPages<T>(
  server: string,
  fetchPage: (
    cursor: string | undefined,
  ) => Promise<Outcome<{ readonly entries: readonly T[]; next: string | undefined }>>,
): Promise<Outcome<readonly T[]>> {
  const entries: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const fetched = await fetchPage(cursor);
    if (!fetched.ok) return fetched;
    for (const entry of fetched.value.entries) entries.push(entry);
    cursor = fetched.value.next;
    if (cursor === undefined) return ok(entries);
    if (entries.length > mostEntries) return endless(server, `has more than ${mostEntries} entries`);
    if (seen.has(cursor)) return endless(server, "goes in a circle");
    seen.add(cursor);
  }
  return endless(server, `has more than ${mostPages} pages`);
}

function endless(server: string, why: string): Outcome<never> {
  return fail("output_invalid", `The list of the server "${server}" ${why}.`, { happened: "nothing" });
}
