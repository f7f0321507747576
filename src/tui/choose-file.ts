import { visibleText } from "../base/text.ts";

/** A file that is being named: `@` and what follows it, in quotes or not, up to where the cursor stands. */
export interface Mention {
  readonly from: number;
  readonly typed: string;
}

export function mentionAt(text: string, at: number): Mention | undefined {
  const found = /(?:^|[\s([{])@("[^"\n]*|[^\s"]*)$/.exec(text.slice(0, at));
  const typed = found?.[1];
  return typed === undefined ? undefined : { from: at - typed.length - 1, typed: typed.replace(/^"/, "") };
}

/** As it is written in a message. */
export function mentionOf(file: string): string {
  return /\s/.test(file) ? `@"${file}"` : `@${file}`;
}

/** The best fits first: a name that begins with what was typed, then one that holds it, then its letters in order. */
export function fittingFiles(files: readonly string[], typed: string, most: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const rated: { readonly file: string; readonly rate: number }[] = [];
  for (const file of files) {
    // A name that drives the terminal or begins a line would say something in the person's name.
    if (/\s/.test(file.replaceAll(" ", "")) || visibleText(file) !== file) continue;
    const rate = rateOf(file.toLowerCase(), wanted);
    if (rate !== undefined) rated.push({ file, rate });
  }
  return rated
    .toSorted((a, b) => a.rate - b.rate || a.file.length - b.file.length || (a.file < b.file ? -1 : 1))
    .slice(0, most)
    .map(({ file }) => file);
}

function rateOf(file: string, wanted: string): number | undefined {
  if (wanted === "") return file.split("/").length;
  const name = file.slice(file.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (file.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (file.includes(wanted)) return 3;
  let at = 0;
  for (const letter of wanted) {
    at = file.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 4;
}
