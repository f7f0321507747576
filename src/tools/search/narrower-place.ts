/** The directory right below `below` that holds most of these paths: where to look again when there were too many. */
export function busiestDirectory(paths: readonly string[], below: string): string | undefined {
  const prefix = below === "." ? "" : `${below}/`;
  const counts = new Map<string, number>();
  let busiest: string | undefined;
  for (const path of paths) {
    const end = path.indexOf("/", prefix.length);
    if (end === -1 || !path.startsWith(prefix)) continue;
    const directory = path.slice(0, end);
    const count = (counts.get(directory) ?? 0) + 1;
    counts.set(directory, count);
    if (busiest === undefined || count > (counts.get(busiest) ?? 0)) busiest = directory;
  }
  return busiest;
}
