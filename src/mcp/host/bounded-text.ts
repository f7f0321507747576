import { plainText } from "../../contract/plain-text.ts";
import { visibleText } from "../../contract/visible-text.ts";

/** Words of a server: nothing in them is hidden, and there is an end to them. */
export function bounded(text: string, mostCharacters: number): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const visible = visibleText(wellFormed.slice(0, mostCharacters + 1).toWellFormed());
  return visible.length <= mostCharacters ? visible : `${visible.slice(0, mostCharacters - 1).toWellFormed()}…`;
}

/** The same in one line. What drives a terminal goes before: written out, it would stick to a secret and disguise it. */
export function boundedLine(text: string, mostCharacters: number): string {
  return bounded(
    plainText(text.slice(0, mostCharacters * 4))
      .replace(/\s+/g, " ")
      .trim(),
    mostCharacters,
  );
}
