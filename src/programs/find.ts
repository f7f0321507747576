import type { Effect } from "../contract/effect.ts";
import { listed, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type Role,
  type ShellWord,
} from "./program-entry.ts";
import { isLiteral } from "./readings.ts";

/** Tests and actions without an argument. */
const plain: ReadonlySet<string> = new Set([
  ...listed("( ) ! , -not -a -and -o -or -true -false -print -print0 -prune -quit -ls -depth -d -mount -xdev"),
  ...listed("-empty -readable -writable -executable -nouser -nogroup -noleaf -daystart -ignore_readdir_race"),
  "-noignore_readdir_race",
]);

/** Tests and actions with one argument, and what it is. */
const withArgument: Readonly<Record<string, Role>> = {
  ...text(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth",
  ),
  ...text("-mtime -mmin -ctime -cmin -atime -amin -newermt -newerct -newerat -size -perm -user -group -uid -gid"),
  ...text("-links -inum -fstype -lname -ilname -printf -used"),
  "-newer": "list",
  "-newermm": "list",
  "-anewer": "list",
  "-cnewer": "list",
  "-samefile": "list",
};

const refused: Readonly<Record<string, string>> = {
  "-delete": "deletes what it finds",
  "-ok": "asks on a terminal before it runs a program",
  "-okdir": "asks on a terminal before it runs a program",
  "-execdir": "runs a program in every directory",
  "-fprint": "writes a file",
  "-fprint0": "writes a file",
  "-fprintf": "writes a file",
  "-fls": "writes a file",
  "-files0-from": "reads the places from a file",
  "-L": "follows links out of the tree",
  "-H": "follows links out of the tree",
  "-follow": "follows links out of the tree",
};

export interface FindExpression {
  readonly paths: readonly ShellWord[];
  readonly tests: readonly { readonly flag: string; readonly role: Role; readonly word: ShellWord }[];
  readonly plain: readonly string[];
  readonly commands: readonly { readonly words: readonly ShellWord[]; readonly many: boolean }[];
}

export const find: readonly ProgramEntry[] = [
  {
    names: ["find"],
    // Its expression has an order and commands inside, so it is read here word by word.
    verbatim: true,
    operands: readFind,
  },
];

/** The words behind `find`, as it reads them; or why not. */
export function parseFind(words: readonly ShellWord[]): FindExpression | { readonly why: string } {
  const ahead = words.toReversed();
  const paths: ShellWord[] = [];
  const tests: { flag: string; role: Role; word: ShellWord }[] = [];
  const seen: string[] = [];
  const commands: { words: readonly ShellWord[]; many: boolean }[] = [];
  while (ahead.at(-1)?.value === "-P") ahead.pop();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    const { value } = word;
    if (word.unknown !== undefined && word.unknown.plain !== true)
      return { why: `${word.text} may become a flag of find` };
    const startsExpression = /^[-(!,]/.test(value);
    if (!startsExpression && seen.length + tests.length + commands.length === 0) {
      paths.push(word);
      continue;
    }
    if (!isLiteral(word)) return { why: `${word.text} may become any flag of find` };
    if (Object.hasOwn(refused, value)) return { why: `find ${value} ${refused[value]}` };
    const role = Object.hasOwn(withArgument, value) ? withArgument[value] : undefined;
    if (plain.has(value)) {
      seen.push(value);
    } else if (value === "-exec") {
      const command = takeCommand(ahead);
      if (command === undefined) return { why: "find -exec without its end" };
      commands.push(command);
    } else if (role !== undefined) {
      const argument = ahead.pop();
      if (argument === undefined) return { why: `${value} of find lacks its value` };
      if (argument.glob) return { why: `the value of ${value} depends on the directory` };
      if (argument.unknown?.one === false) return { why: `${argument.text} may become several words` };
      tests.push({ flag: value, role, word: argument });
    } else {
      return { why: `${value} of find is not in the tables` };
    }
  }
  return { paths, tests, plain: seen, commands };
}

function takeCommand(ahead: ShellWord[]): { words: readonly ShellWord[]; many: boolean } | undefined {
  const words: ShellWord[] = [];
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    if (word.value === ";" && isLiteral(word)) return { words, many: false };
    if (word.value === "+" && isLiteral(word) && words.at(-1)?.value === "{}") return { words, many: true };
    words.push(word);
  }
  return undefined;
}

function readFind(call: ProgramCall, place: Place): CommandReading {
  const parsed = parseFind(call.words);
  if ("why" in parsed) return notUnderstood(parsed.why);
  const { paths, tests, commands } = parsed;
  const listing = readByRoles(
    { ...call, operands: paths, values: tests },
    { rest: "list-tree", none: "list-tree" },
    place,
  );
  const directories = listing.effects.flatMap((effect) =>
    effect.op === "list" && effect.scope === "tree" ? [effect.path.resolved] : [],
  );
  const inner = commands.map((command) => runOn(command, directories, place));
  const effects: Effect[] = [...listing.effects, ...inner.flatMap((reading) => reading.effects)];
  const [first, second] = inner;
  const mixed = parsed.plain.some((word) => word === "-ls" || (first !== undefined && word.startsWith("-print")));
  const odd = mixed || second !== undefined || tests.some(({ flag }) => flag === "-printf");
  const output = odd ? undefined : first === undefined ? "names" : first.output;
  const raised = inner.find((reading) => reading.raisedBecause !== undefined)?.raisedBecause;
  return {
    effects,
    reason:
      first === undefined ? listing.reason : `find lists, and ${inner.map((reading) => reading.reason).join(" and ")}`,
    ...(output === undefined ? {} : { output }),
    ...(raised === undefined ? {} : { raisedBecause: raised }),
  };
}

/** `{}` becomes the names that were found, one at a time or as many as fit. */
function runOn(
  { words, many }: FindExpression["commands"][number],
  directories: readonly string[],
  place: Place,
): CommandReading {
  const doubtful = words.find((word) => !isLiteral(word) || (word.value !== "{}" && word.value.includes("{}")));
  if (doubtful !== undefined) return notUnderstood(`find -exec with ${doubtful.text}`);
  const given = words.map(
    (word): ShellWord =>
      word.value === "{}"
        ? { text: "{}", value: "", glob: false, tilde: false, unknown: { one: !many, names: directories, plain: true } }
        : word,
  );
  return given.length === 0 || words[0]?.value === "{}"
    ? notUnderstood("find -exec runs what it finds")
    : place.inner(given);
}
