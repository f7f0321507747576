import { visibleText } from "../../contract/visible-text.ts";

/** Words of a server: nothing in them is hidden, and there is an end to them. */
export function bounded(text: string, mostCharacters: number): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const visible = visibleText(wellFormed.slice(0, mostCharacters + 1).toWellFormed());
  return visible.length <= mostCharacters ? visible : `${visible.slice(0, mostCharacters - 1).toWellFormed()}…`;
}

/** The same in one line. */
export function boundedLine(text: string, mostCharacters: number): string {
  return bounded(
    text
      .slice(0, mostCharacters * 4)
      .replace(/\s+/g, " ")
      .trim(),
    mostCharacters,
  );
}
