import path from "node:path";
import type { Environment } from "../contract/fill-variables.ts";
import { isInside } from "../contract/path-scope.ts";
import { hasCode } from "./command-code.ts";
import { isDirectory, isThere, namesIn, type Refused, type Search } from "./named-files.ts";
import { piecesOf } from "./unclear-path.ts";

/** Variables that hold words for a program, or a program. */
const holdsWords = new RegExp(
  `^(?:${[
    ".*(?:OPTS?|OPTIONS|FLAGS|EDITOR|PAGER|ASKPASS|_COMMAND)",
    "BASH_ENV|ENV|PS[0-4]|VISUAL|BROWSER|LESS\\w*|SHELLOPTS|BASHOPTS|IFS",
    "GIT_(?:CONFIG|SSH|EXTERNAL|PROXY|EXEC)\\w*",
    "PERL5(?:OPT|DB)|RUBYOPT|PYTHON(?:STARTUP|INSPECT|WARNINGS|BREAKPOINT)",
    "(?:LD|DYLD)_\\w+|LUA_INIT\\w*|npm_config_\\w+",
  ].join("|")})$`,
  "i",
);
/** Variables of directories in which programs look by themselves. */
const holdsDirectories = new RegExp(
  `^(?:${[
    "HOME|USERPROFILE|XDG_\\w+|ZDOTDIR",
    "PYTHON(?:PATH|HOME|USERBASE|PLATLIBDIR)|PERL5?LIB|RUBYLIB|GEM_(?:HOME|PATH)|NODE_PATH|CLASSPATH",
    "(?:LD|DYLD)_\\w+|LUA_C?PATH\\w*|JULIA_(?:LOAD|DEPOT)_PATH|R_LIBS\\w*|TCLLIBPATH|ERL_LIBS|PHP_INI_SCAN_DIR|PHPRC",
    "GIT_(?:DIR|EXEC_PATH|TEMPLATE_DIR|COMMON_DIR)",
  ].join("|")})$`,
  "i",
);
/** What runtimes, launchers and libraries go by. */
const ofRuntimes = new RegExp(
  `^(?:${[
    "PATH|SHELL|TMPDIR|\\w+_PROXY|MAKE\\w*|GO(?!OGLE)\\w*|PYTHON\\w*|RUBY\\w*|PERL\\w*|JAVA\\w*|PHP\\w*|RUST\\w*|ERL\\w*",
    "(?:NODE|NPM|PNPM|BUN|DENO|COREPACK|TS|TSX|UV|PIP|PIPX|CONDA|VIRTUAL|GEM|BUNDLE|JDK|LUA|R|DOTNET|CORECLR|CARGO)_\\w+",
    "(?:ELECTRON|GUNICORN|FLASK|UVICORN|DJANGO|PYTEST|OPENSSL|SSL|JUST|NIX|BASH|GCONV|GLIBC|GTK|QT|PM2|BABEL|SWC)_\\w+",
    "(?:SYSTEMD|DOCKER|COMPOSE|JULIA|ELIXIR|MIX|GIT|XDG)_\\w+",
  ].join("|")})$`,
  "i",
);
/** Variables of runtimes and package managers: any of them may be a directory from which code is taken. */
const ofPlaces = new RegExp(
  `^(?:${[
    "(?:npm_config|UV|PIP|PIPX|POETRY|CARGO|RUSTUP|NODE|BUN|DENO|YARN|PNPM|COREPACK|JAVA|JDK|MAVEN|GRADLE|GEM|BUNDLE|LUA)_\\w+",
    "(?:JULIA|R|ERL|MIX|HEX|DOTNET|NUGET|COMPOSER)_\\w+",
    "GO(?!OGLE)\\w*|PYTHON(?!PYCACHEPREFIX)\\w*|TCL\\w*|DOCKER_CONFIG|CONTAINERS_\\w+|RUBY\\w*|PERL\\w*|PHP\\w*",
  ].join("|")})$`,
  "i",
);
const ofOptions = /(?:OPTS?|OPTIONS|FLAGS)$/i;
const ofStage = /^(?:NODE|BUN|DENO|MIX|DOTNET|PHP)_ENV(?:IRONMENT)?$/i;
const ofAddress = /(?:URLS?|REGISTRY|PROXY|INDEX|MIRROR|SERVER)$/i;
const optionsOf: ReadonlyMap<string, string> = new Map([
  ["PERL5OPT", "perl"],
  ["RUBYOPT", "ruby"],
  ["NODE_OPTIONS", "node"],
]);
const ofThePerson = /^(?:HOME|USERPROFILE|XDG_\w+)$/i;
const oddInWords = /[\n;|&()<>"'`{}*?[\]$\\~!#]/;
const plainVariable = /^[A-Za-z_][\w.-]*$/;

/** Does it say to programs how they run, rather than hold something for one of them? */
export function tellsPrograms(variable: string): boolean {
  return [holdsWords, holdsDirectories, ofRuntimes].some((names) => names.test(variable));
}

interface Given {
  readonly environment: Environment;
  readonly fill: (text: string) => string;
}

/** Why the variables of an entry make programs load what cannot be told. */
export function refuseEnvironment(
  variables: Readonly<Record<string, string>>,
  { environment, fill }: Given,
  search: Search,
): Refused | undefined {
  for (const [name, written] of Object.entries(variables)) {
    const value = fill(written);
    const isTheirs = value === environment[name];
    if (!plainVariable.test(name)) return { why: `${JSON.stringify(name)} is no plain name of a variable` };
    if (holdsWords.test(name) && !isTheirs && oddInWords.test(value)) {
      return { why: `${name} could be more than names` };
    }
    const program = optionsOf.get(name.toUpperCase());
    if (program !== undefined && hasCode([program, ...value.split(/\s+/)])) return { why: `${name} has code in it` };
    if (isTheirs && ofThePerson.test(name)) continue;
    if (holdsDirectories.test(name) && entriesOf(value).some((entry) => isNear(entry, search))) {
      return { why: `${name} makes programs look for files in the project, or above it` };
    }
    const named = piecesOf(value)
      .flatMap(namesIn)
      .filter((entry) => !/^\/+$/.test(entry));
    if (
      ofPlaces.test(name) &&
      !isPlainValue(name, value) &&
      placesIn(name, value).some((one) => isPlace(one, search))
    ) {
      return { why: `${name} makes programs look for files in the project, or above it` };
    }
    if (!isTheirs && named.some((entry) => holdsProject(entry, search))) {
      return { why: `${name} names a directory that holds the project` };
    }
  }
  return undefined;
}

/** An entry that is left empty is the directory that a program works in. */
function entriesOf(value: string): readonly string[] {
  return value === "" ? [] : value.split(/[:;\s]/).map((entry) => entry || ".");
}

function isNear(entry: string, search: Search): boolean {
  const place = path.resolve(search.base, entry);
  return isInside(place, search.workspace) || isInside(search.workspace, place);
}

function isPlainValue(name: string, value: string): boolean {
  return ofStage.test(name) || (ofAddress.test(name) && /^https?:\/\/\S+$/i.test(value));
}

function placesIn(name: string, value: string): readonly string[] {
  return ofOptions.test(name) ? value.split(/[\s=:,]+/) : piecesOf(value);
}

/** Is it a directory of the project or above it, or could it become one? What is a file is bound. */
function isPlace(piece: string, search: Search): boolean {
  const near = namesIn(piece).filter((entry) => entry !== "" && isNear(entry, search));
  const places = near.map((entry) => path.resolve(search.base, entry));
  if (places.some((place) => isDirectory(place, search))) return true;
  return near.some((entry) => /\/|^\./.test(entry)) && !places.some((place) => isThere(place, search));
}

/** Is it a directory above the project? From there its files have other names. */
export function holdsProject(name: string, { base, workspace }: Search): boolean {
  if (name === "") return false;
  const place = path.resolve(base, name);
  return place !== workspace && isInside(workspace, place);
}
