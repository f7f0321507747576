/** Names of files that stay closed. A pattern without a slash is one name; `*` stands for any run of characters in it. */
export interface ClosedNames {
  readonly patterns: readonly string[];
  /** Names that look like one and are not. */
  readonly except?: readonly string[];
}

export interface AttributeOptions {
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

/** The same for every command, so it is made once. */
export function closedLines(names: readonly ClosedNames[]): string {
  const closed = names.flatMap(({ patterns }) => patterns.flatMap(everywhere)).map((pattern) => `${pattern} -diff\n`);
  const open = names.flatMap(openAgain).map((pattern) => `${anyCase(pattern)} !diff\n`);
  return [...closed, ...open].join("");
}

/** The entry itself and everything below it. Patterns that are tied to the root of the disk are in no repository. */
function everywhere(pattern: string): readonly string[] {
  if (pattern.startsWith("/")) return [];
  const folded = anyCase(pattern);
  return [pattern.includes("/") ? `**/${folded}` : folded, `**/${folded}/**`];
}

function openAgain({ patterns, except = [] }: ClosedNames): readonly string[] {
  return patterns.flatMap((pattern) => except.flatMap((other) => commonNames(pattern, other)));
}

/** Attributes know no "but not", so what two patterns have in common is written out. Each has one star at most. */
export function commonNames(one: string, other: string): readonly string[] {
  const [a, b] = [parts(one), parts(other)];
  if (a.suffix === undefined) return matches(b, one) ? [one] : [];
  if (b.suffix === undefined) return matches(a, other) ? [other] : [];
  const prefix = a.prefix.length > b.prefix.length ? a.prefix : b.prefix;
  const suffix = a.suffix.length > b.suffix.length ? a.suffix : b.suffix;
  if (!prefix.startsWith(a.prefix) || !prefix.startsWith(b.prefix)) return [];
  if (!suffix.endsWith(a.suffix) || !suffix.endsWith(b.suffix)) return [];
  const overlapping = Array.from(suffix, (_, at) => prefix + suffix.slice(at + 1)).filter(
    (name) => matches(a, name) && matches(b, name),
  );
  return [`${prefix}*${suffix}`, ...overlapping];
}

interface Parts {
  readonly prefix: string;
  /** Absent when the pattern has no star. */
  readonly suffix: string | undefined;
}

function parts(pattern: string): Parts {
  const star = pattern.indexOf("*");
  if (star < 0) return { prefix: pattern, suffix: undefined };
  return { prefix: pattern.slice(0, star), suffix: pattern.slice(star + 1) };
}

function matches({ prefix, suffix }: Parts, name: string): boolean {
  if (suffix === undefined) return name === prefix;
  return name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);
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
