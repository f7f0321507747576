import { entriesOf, setOf, text } from "../flag-lists.ts";
import { readByRoles } from "../path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, Role, ShellWord, Site } from "../program-entry.ts";
import { isLiteral, notUnderstood } from "../readings.ts";

const plain = setOf(
  "( ) ! , -not -a -and -o -or -true -false -print -print0 -prune -quit -ls -depth -d -mount -xdev -empty -readable -writable -executable -nouser -nogroup -noleaf -daystart -ignore_readdir_race",
);

/** Tests and actions with one argument, and what it is. Those that delete, write or follow links are not listed. */
const withArgument: Readonly<Record<string, Role>> = {
  ...text(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -mtime -mmin -ctime -cmin -atime -amin -newermt -newerct -newerat -size -perm -user -group -uid -gid -links -inum -fstype -lname -ilname -printf -used",
  ),
  ...{ "-newer": "list", "-newermm": "list", "-anewer": "list", "-cnewer": "list", "-samefile": "list" },
};

interface Expression {
  readonly paths: ShellWord[];
  readonly tests: { readonly flag: string; readonly role: Role; readonly word: ShellWord }[];
  readonly plain: string[];
  readonly commands: { readonly words: readonly ShellWord[]; readonly many: boolean }[];
}

export const find: readonly ProgramEntry[] = [
  // Its expression has an order and commands inside, so it is read here word by word.
  { names: ["find"], verbatim: true, operands: readFind },
  ...entriesOf(`
  fd,fdfind -HIusigFap0q1 --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive
    --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --print0 --quiet --prune --one-file-system
    --strip-cwd-prefix --no-follow -teEdcSoj= --type= --extension= --exclude= --max-depth= --min-depth= --exact-depth=
    --color= --size= --changed-within= --changed-before= --owner= --threads= --max-results= --and=
    --ignore-file=read : text list-tree*.
`),
];

function parseFind(words: readonly ShellWord[]): Expression | { readonly why: string } {
  const ahead = words.toReversed();
  const found: Expression = { paths: [], tests: [], plain: [], commands: [] };
  while (ahead.at(-1)?.value === "-P") ahead.pop();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    const { value } = word;
    if (word.unknown !== undefined && word.unknown.plain !== true)
      return { why: `${word.text} may become a flag of find` };
    const begun = found.plain.length + found.tests.length + found.commands.length > 0;
    if (!/^[-(!,]/.test(value) && !begun) {
      found.paths.push(word);
      continue;
    }
    if (!isLiteral(word)) return { why: `${word.text} may become any flag of find` };
    const role = Object.hasOwn(withArgument, value) ? withArgument[value] : undefined;
    if (plain.has(value)) {
      found.plain.push(value);
    } else if (value === "-exec") {
      const command = takeCommand(ahead);
      if (command === undefined) return { why: "find -exec has no end" };
      found.commands.push(command);
    } else if (role !== undefined) {
      const argument = ahead.pop();
      if (argument === undefined || argument.glob || argument.unknown?.one === false) {
        return { why: `the value of ${value} is known only when it runs` };
      }
      found.tests.push({ flag: value, role, word: argument });
    } else {
      return { why: `find ${value} may do more than list` };
    }
  }
  return found;
}

function takeCommand(ahead: ShellWord[]): Expression["commands"][number] | undefined {
  const words: ShellWord[] = [];
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    if (word.value === ";" && isLiteral(word)) return { words, many: false };
    if (word.value === "+" && isLiteral(word) && words.at(-1)?.value === "{}") return { words, many: true };
    words.push(word);
  }
  return undefined;
}

function readFind(call: ProgramCall, place: Site): CommandReading {
  const parsed = parseFind(call.words);
  if ("why" in parsed) return notUnderstood(parsed.why);
  const { paths, tests, commands } = parsed;
  const onPaths = { ...call, operands: paths, values: tests };
  const listing = readByRoles(onPaths, { rest: "list-tree", none: "list-tree" }, place);
  const directories = listing.effects.flatMap((effect) =>
    effect.op === "list" && effect.scope === "tree" ? [effect.path.resolved] : [],
  );
  const inner = commands.map((command) => runOn(command, directories, place));
  const [first, second] = inner;
  const prints = parsed.plain.some((word) => word === "-ls" || (first !== undefined && word.startsWith("-print")));
  const odd = prints || second !== undefined || tests.some(({ flag }) => flag === "-printf");
  return {
    effects: [...listing.effects, ...inner.flatMap(({ effects }) => effects)],
    reason: first === undefined ? listing.reason : `find lists, and ${inner.map(({ reason }) => reason).join(" and ")}`,
    output: odd ? undefined : first === undefined ? "names" : first.output,
    raisedBecause: inner.find(({ raisedBecause }) => raisedBecause !== undefined)?.raisedBecause,
  };
}

/** `{}` becomes the names that were found, one at a time or as many as fit. */
function runOn({ words, many }: Expression["commands"][number], names: readonly string[], place: Site): CommandReading {
  const doubtful = words.find((word) => !isLiteral(word) || (word.value !== "{}" && word.value.includes("{}")));
  if (doubtful !== undefined || words.length === 0 || words[0]?.value === "{}") {
    return notUnderstood(`find -exec with ${doubtful?.text ?? "what it finds"}`);
  }
  const found = { text: "{}", value: "", glob: false, tilde: false, unknown: { one: !many, names, plain: true } };
  return place.inner(words.map((word) => (word.value === "{}" ? found : word)));
}
