import { type PathClassEntry, pathClasses } from "./path-classes.ts";

export function namesOf(path: string): readonly string[] {
  return path.split("/").filter(isName).map(comparedName);
}

/** A name folded for comparison; a copy of what is closed counts as what it is a copy of. */
export function comparedName(name: string): string {
  const folded = foldName(name);
  return isClosed(folded) ? folded : (copiedNames(folded).find(isClosed) ?? folded);
}

/**
 * The strongest entry that a run of these names belongs to. `from` is the first name that counts for entries
 * that stop at a workspace root. With `endsLast` the run has to end with the last name. `open` passes over secrets.
 */
export function findEntry(
  names: readonly string[],
  options: { readonly from: number; readonly endsLast?: boolean; readonly open?: boolean },
): PathClassEntry | undefined {
  let best: Matcher | undefined;
  for (let at = 0; at < names.length; at++) {
    for (const matcher of startingWith(names[at] ?? "")) {
      if (best !== undefined && best.rank <= matcher.rank) continue;
      if (options.open && matcher.entry.class === "secret") continue;
      if (at < options.from && !matcher.entry.aboveRoot && !matcher.rooted) continue;
      if (matches(matcher, names, at, options.endsLast === true)) best = matcher;
    }
  }
  return best?.entry;
}

export function beginsEntry(path: string): boolean {
  return namesOf(path).some((first, at, all) => {
    const run = all.slice(at);
    const isBegun = ({ names, rooted }: Matcher) =>
      run.length < names.length && (!rooted || at === 0) && run.every((name, index) => names[index]?.test(name));
    return startingWith(first).some(isBegun);
  });
}

/** Can a pattern of one of these classes end with this folded name? Cheap: asked for every file of a scan. */
export function mayEndWith(name: string): boolean {
  return lastNames.has(name) || lastGlobs.test(name);
}

interface Matcher {
  readonly entry: PathClassEntry;
  readonly rank: number;
  readonly rooted: boolean;
  readonly pattern: readonly string[];
  readonly names: readonly RegExp[];
  readonly except: readonly RegExp[];
  readonly exceptBelow: readonly (readonly RegExp[])[];
}

const matchers: readonly Matcher[] = pathClasses.flatMap((entry, rank) => {
  const except = (entry.except ?? []).map(nameGlob);
  const exceptBelow = (entry.exceptBelow ?? []).map((run) => run.split("/").map(nameGlob));
  return entry.patterns.map((text) => {
    const pattern = text.split("/").filter(isName);
    const names = pattern.map(nameGlob);
    return { entry, rank, rooted: text.startsWith("/"), pattern, names, except, exceptBelow };
  });
});
const literal: ReadonlyMap<string, readonly Matcher[]> = Map.groupBy(
  matchers.filter((matcher) => !isGlob(first(matcher))),
  first,
);
const withGlob = matchers.filter((matcher) => isGlob(first(matcher)));
const firstGlobs = anyOf(withGlob.map(first));
const lastNames = new Set(matchers.map(last));
const lastGlobs = anyOf(matchers.map(last).filter(isGlob));

const closed = matchers.filter(({ entry }) => entry.class === "secret" || entry.class === "state");
const closedNames = new Set(closed.flatMap(({ pattern }) => pattern).filter((name) => !isGlob(name)));
const closedGlobs = closed.filter(({ pattern }) => pattern.some(isGlob));
const anyClosedGlob = anyOf(closedGlobs.flatMap(({ pattern }) => pattern).filter(isGlob));

function isClosed(name: string): boolean {
  if (closedNames.has(name)) return true;
  if (!anyClosedGlob.test(name)) return false;
  return closedGlobs.some(
    ({ names, except }) => names.some((wanted) => wanted.test(name)) && !except.some((other) => other.test(name)),
  );
}

function startingWith(name: string): readonly Matcher[] {
  const exact = literal.get(name) ?? none;
  return firstGlobs.test(name) ? [...exact, ...withGlob] : exact;
}

function matches(matcher: Matcher, names: readonly string[], at: number, endsLast: boolean): boolean {
  const { names: wanted } = matcher;
  const end = at + wanted.length;
  if (end > names.length || (endsLast && end !== names.length) || (matcher.rooted && at !== 0)) return false;
  if (!wanted.every((name, offset) => name.test(names[at + offset] ?? ""))) return false;
  const name = names[end - 1] ?? "";
  if (matcher.except.some((pattern) => pattern.test(name))) return false;
  return !matcher.exceptBelow.some((run) => holdsRun(names.slice(0, at), run));
}

function holdsRun(names: readonly string[], run: readonly RegExp[]): boolean {
  return names.some((_name, from) => run.every((wanted, offset) => wanted.test(names[from + offset] ?? "")));
}

function nameGlob(pattern: string): RegExp {
  return new RegExp(`^${source(pattern)}$`, "su");
}

function anyOf(patterns: readonly string[]): RegExp {
  return new RegExp(`^(?:${patterns.map(source).join("|")})$`, "su");
}

function source(pattern: string): string {
  return pattern.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*");
}

function first(matcher: Matcher): string {
  return matcher.pattern[0] ?? "";
}

function last(matcher: Matcher): string {
  return matcher.pattern.at(-1) ?? "";
}

function isGlob(name: string): boolean {
  return name.includes("*");
}

export function isName(component: string): boolean {
  return component !== "" && component !== "." && component !== "..";
}

const none: readonly Matcher[] = [];

/**
 * One spelling for names that a file system, an eye or an editor's copy takes for the same: letter case, Unicode forms,
 * invisible characters. For comparing protected names only: never open a path by its folded form.
 */
export function foldName(name: string): string {
  const one = plain.test(name)
    ? name.toLowerCase()
    : name
        .replace(unseen, "")
        .normalize("NFKC")
        .toLowerCase()
        .normalize("NFKC")
        .replace(/\p{Cc}/gu, " ");
  const folded = one.trim();
  return kept.test(folded) ? original(folded) : folded;
}

const kept = /[~ #]$|\.(?:bak|orig|old)$/;

function original(folded: string): string {
  const beside = folded.replace(/(?<=.)(?:[~ ]|\.(?:bak|orig|old))+$/, "");
  return /^#.+#$/.test(beside) ? beside.slice(1, -1) : beside;
}

const plain = /^[\x20-\x7e]*$/;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * What a file under this folded name may be a copy of, and still hold: editors, tools and people keep one beside the
 * file under nearly its name. Only for names that are closed; whether one of these is decides whoever asks.
 */
function copiedNames(folded: string): readonly string[] {
  if (!sign.test(folded)) return [];
  const found: string[] = [];
  for (let name = withoutFront(folded), round = 0; round < mostMarks; round += 1) {
    if (name !== folded) found.push(name, ...unhidden(name, folded));
    const inner = name.replace(markInside, "$1$2");
    if (inner !== name) found.push(inner);
    const next = name.replace(markBehind, "");
    if (next === name || next === "") break;
    name = next;
  }
  return found;
}

const mostMarks = 6;

/** `server.key.bak2`, `secrets.yml_old`, `.env copy`; what is packed can be read as it is. */
const words =
  "bak|back|bck|backup|old|orig|original|prev|previous|copy|save|saved|tmp|temp|new|rej|lock|part|dpkg-old|dpkg-new|dpkg-dist|rpmsave|rpmnew|ucf-old|ucf-dist|gz|bz2|xz|zst|zip";

const sign = new RegExp(`[~%+.)]$|,v$|\\.~|^(?:copy|backup|~|\\.#)|%|[ ._-]\\(?(?:${words}|sw[a-p]|un|\\d)`);

const markBehind = new RegExp(
  `(?:[~%+.]|,v| ?\\(\\d{1,4}\\)|\\.~\\d{1,4}~?|\\.sw[a-p]|\\.un|[ ._-](?:\\(copy\\)|(?:${words})[ ._-]?\\d{0,8}|\\d[\\d._-]{0,20}))$`,
);

/** Before the ending, as file managers do: `secrets copy 2.yml`, `secrets (1).json`, `credentials-old.json`. */
const markInside =
  /^(.+?)(?: copy(?: \d{1,4})?| ?\((?:copy|\d{1,4})\)| \d{1,4}|[ ._-](?:bak|backup|old|orig|copy)\d{0,4})(\.[a-z0-9]+)$/;

/** `copy of x`, `~x`, and the whole path that vim writes in one directory for all: `%home%ann%app%.env.swp`. */
function withoutFront(name: string): string {
  const last = name.lastIndexOf("%", name.length - 2) + 1;
  return name.slice(last).replace(/^(?:(?:copy|backup)[ _]of[ _]|~\$?|\.#)/, "");
}

/** Vim hides what it keeps: `.server.key.swp` is of `server.key`, and `.npmrc.swp` of `.npmrc`. */
function unhidden(name: string, copy: string): readonly string[] {
  return name.startsWith(".") && /\.(?:sw[a-p]|un)(?:$|[~.])/.test(copy) ? [name.slice(1)] : [];
}
