export interface ClosedNames {
  readonly patterns: readonly string[];
}

interface AttributeOptions {
  readonly closed: string;
  readonly paths: readonly string[];
  readonly withoutDiffDrivers?: boolean;
  readonly withoutFilters?: boolean;
  readonly withoutMergeDrivers?: boolean;
}

// `.git/info/attributes` wins over every other attribute. With `-diff` git shows no content of any commit.
export function gitAttributes(options: AttributeOptions): string {
  const drivers = options.withoutDiffDrivers ? "* !diff\n" : "";
  const filters = options.withoutFilters ? "* -filter\n" : "";
  // Not "unspecified": the configuration can name a driver for unspecified paths.
  const mergeDrivers = options.withoutMergeDrivers ? "* merge\n" : "";
  const paths = options.paths.flatMap((path) => [`/${literal(path)}`, `/${literal(path)}/**`]);
  return `${drivers}${filters}${mergeDrivers}${options.closed}${paths.map((path) => `${quoted(path)} -diff\n`).join("")}`;
}

/** The same for every command, so it is built once. Attributes have no exceptions: `.env.example` is closed too. */
export function closedLines(names: readonly ClosedNames[]): string {
  return names.flatMap(({ patterns }) => patterns.flatMap(everywhere).map((pattern) => `${pattern} -diff\n`)).join("");
}

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
