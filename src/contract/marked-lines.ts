/** Words of somebody else, each line marked, so that none can be taken for one of ours beside them. */
export function markedLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `  | ${line}`)
    .join("\n");
}
