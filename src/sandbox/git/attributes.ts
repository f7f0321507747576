/** Names of files that stay closed. A pattern without a slash is one name; `*` stands for any run of characters in it. */
export interface ClosedNames {
  readonly patterns: readonly string[];
}

interface AttributeOptions {
  /** From `closedLines`. */
  readonly closed: string;
  /** Closed paths, relative to the root of the repository. */
  readonly paths: readonly string[];
  /** The configuration may name programs that show or store files: take them from every path. */
  readonly withoutDiffDrivers: boolean;
  readonly withoutFilters: boolean;
  readonly withoutMergeDrivers: boolean;
}

/**
 * For `.git/info/attributes`, which wins over every other attribute. Git takes a file with `-diff` for a binary one:
 * its content is in no difference, patch or search, whichever commit it comes from.
 */
export function gitAttributes(options: AttributeOptions): string {
  const drivers = options.withoutDiffDrivers ? "* !diff\n" : "";
  const filters = options.withoutFilters ? "* -filter\n" : "";
  // Not "unspecified": the configuration can name a driver for that.
  const mergeDrivers = options.withoutMergeDrivers ? "* merge\n" : "";
  const paths = options.paths.flatMap((path) => [`/${literal(path)}`, `/${literal(path)}/**`]);
  return `${drivers}${filters}${mergeDrivers}${options.closed}${paths.map((path) => `${quoted(path)} -diff\n`).join("")}`;
}

/** The same for every command, so it is made once. Attributes know no "but not": `.env.example` is closed too. */
export function closedLines(names: readonly ClosedNames[]): string {
  return names.flatMap(({ patterns }) => patterns.flatMap(everywhere).map((pattern) => `${pattern} -diff\n`)).join("");
}

/** The entry itself and everything below it. Patterns that are tied to the root of the disk are in no repository. */
function everywhere(pattern: string): readonly string[] {
  if (pattern.startsWith("/")) return [];
  const folded = anyCase(pattern);
  return [pattern.includes("/") ? `**/${folded}` : folded, `**/${folded}/**`];
}

function anyCase(pattern: string): string {
  return pattern.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function literal(path: string): string {
  return path.replaceAll(/[\\*?[\]]/g, "\\$&");
}

function quoted(pattern: string): string {
  const escaped = pattern.replaceAll(/["\\]/g, "\\$&").replaceAll(/\p{Cc}/gu, octal);
  return /[\s"\p{Cc}]/u.test(pattern) ? `"${escaped}"` : pattern;
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
}
