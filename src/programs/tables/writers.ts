import { basename, resolve } from "node:path/posix";
import type { Effect } from "../../contract/effect.ts";
import { entriesOf } from "../flag-lists.ts";
import { pathEffect, readByRoles } from "../path-operands.ts";
import type { CommandReading, ProgramCall, ProgramEntry, ShellWord, Site } from "../program-entry.ts";
import { flagValue, hasFlag, isLiteral, notUnderstood, type Reader } from "../readings.ts";

const readers: Readonly<Record<string, Reader>> = {
  cp: transfer,
  mv: transfer,
  ln: link,
  rm: remove,
  rmdir: remove,
  tar: readTar,
};

/** Programs whose changes follow from their words. Flags for links, backup files and owners are not listed. */
export const writers: readonly ProgramEntry[] = [
  ...entriesOf(`
  mkdir -pv --parents --verbose -m= --mode= : write*
  touch -acfhm --no-create --no-dereference -dt= --date= --time= -r=list --reference=list : write*
  truncate -co --no-create --io-blocks -s= --size= -r=list --reference=list : write*
  chmod -cfvR^ --changes --silent --quiet --verbose --recursive^ --preserve-root : text edit*
`).map((entry) => ({ ...entry, operands: withPlainMode(entry) })),
  ...entriesOf("  tee -aip --append --ignore-interrupts --output-error? : write*", {
    output: (call) => (call.flags.size === 0 ? "input" : undefined),
  }),
  ...entriesOf(`
  cp -adfinpPrRTuvx --archive --attributes-only --force --interactive --no-clobber --no-dereference --recursive
    --no-target-directory --update --verbose --one-file-system --remove-destination --preserve? --reflink? -t=
    --target-directory= --sparse= --no-preserve= :
  mv -finTuv --force --interactive --no-clobber --no-target-directory --update --verbose -t= --target-directory= :
  ln -fnrsTvLPi --force --no-dereference --relative --symbolic --no-target-directory --verbose :
  rm -dfiIrRv --dir --force --recursive --verbose --one-file-system --interactive? --preserve-root? :
  rmdir,unlink -v --verbose --ignore-fail-on-non-empty :
  tar :
`).map((entry) => ({
    ...entry,
    operands: readers[entry.names[0] ?? ""] ?? entry.operands,
    verbatim: entry.names.includes("tar"),
  })),
];

/** Without the bits that lend a program the rights of its owner. */
const plainMode = /^(?:0?[0-7]{1,3}|[ugoa]*[-+=][rwxX]*(?:,[ugoa]*[-+=][rwxX]*)*)$/;

function withPlainMode({ operands }: ProgramEntry): Reader {
  return (call, place) => {
    const changes = call.name === "chmod";
    const mode = changes ? call.operands[0] : flagValue(call, "-m", "--mode");
    const targets = changes ? call.operands.slice(1) : call.operands;
    if (targets.length === 0 || (changes && mode === undefined)) return notUnderstood(`${call.name} has no operand`);
    if (mode !== undefined && !(isLiteral(mode) && plainMode.test(mode.value))) {
      return notUnderstood(`${call.name} sets an unusual mode`);
    }
    return (
      uncertain(targets) ??
      (typeof operands === "function" ? operands(call, place) : readByRoles(call, operands, place))
    );
  };
}

/** Words that may become any number of paths make a change of unknown extent. */
function uncertain(words: readonly ShellWord[]): CommandReading | undefined {
  const wide = words.find((word) => !isLiteral(word));
  return wide === undefined ? undefined : notUnderstood(`the value of ${wide.text} is known only when it runs`);
}

function transfer(call: ProgramCall, place: Site): CommandReading {
  const moves = call.name === "mv";
  const directoryFlag = flagValue(call, "-t", "--target-directory");
  const sources = directoryFlag === undefined ? call.operands.slice(0, -1) : call.operands;
  const target = directoryFlag ?? call.operands.at(-1);
  if (target === undefined || sources.length === 0) return notUnderstood(`${call.name} has no target`);
  const wide = uncertain([...sources, target]);
  if (wide !== undefined) return wide;
  // With these flags a copy of a device is a device.
  const asIs = hasFlag(call, "-a", "-d", "-P", "-r", "-R", "--archive", "--no-dereference", "--recursive");
  const device = sources.find(({ value }) => value.startsWith("/dev/") && (asIs || value !== "/dev/null"));
  if (device !== undefined && !moves) return notUnderstood(`${call.name} copies ${device.text}`);
  const into = pathEffect("write", target, "file", place);
  const inside = isDirectory(into) && !hasFlag(call, "-T", "--no-target-directory");
  if ((sources.length > 1 || directoryFlag !== undefined) && !inside) {
    return notUnderstood(`${target.text} is not a directory`);
  }
  const effects = sources.flatMap((source) => {
    const read = pathEffect("read", source, "file", place);
    const scope = read.op === "read" && read.path.kind === "directory" ? "tree" : "file";
    return [
      pathEffect("read", source, scope, place),
      ...(moves ? [pathEffect("delete", source, scope, place)] : []),
      pathEffect("write", inside ? entryIn(target, source) : target, scope, place),
    ];
  });
  const reason = `${call.name} ${moves ? "moves" : "copies"} ${shown(sources)}`;
  return moves ? { effects, reason, moves } : { effects, reason };
}

function isDirectory(effect: Effect): boolean {
  return effect.op === "write" && effect.path.kind === "directory";
}

/** Where a source lands in a directory; `src/.` and `..` spread over the directory itself. */
function entryIn(directory: ShellWord, source: ShellWord): ShellWord {
  const name = basename(source.value);
  if (name === "." || name === ".." || name === "") return directory;
  return { ...directory, value: `${directory.value.replace(/\/+$/, "")}/${name}` };
}

/** A link is a write where it is made; what it leads to counts as read, because reading goes on through it. */
function link(call: ProgramCall, place: Site): CommandReading {
  const [source, target, third] = call.operands;
  if (source === undefined || third !== undefined) return notUnderstood("ln needs two operands");
  const wide = uncertain(call.operands);
  if (wide !== undefined) return wide;
  const name = target ?? { ...source, value: basename(source.value), tilde: false };
  const intoDirectory =
    isDirectory(pathEffect("write", name, "file", place)) &&
    !hasFlag(call, "-n", "-T", "--no-dereference", "--no-target-directory");
  const placed = intoDirectory ? entryIn(name, source) : name;
  // A relative target of a symbolic link starts where the link is.
  const beside = hasFlag(call, "-s", "--symbolic") && !hasFlag(call, "-r", "--relative") && !/^\//.test(source.value);
  const directory = placed.value.slice(0, placed.value.lastIndexOf("/") + 1);
  const from =
    beside && !source.tilde && directory !== ""
      ? { ...placed, text: source.text, ...besideLink(source.value, directory, placed, place) }
      : source;
  const replaced = hasFlag(call, "-f", "--force") ? [pathEffect("delete", placed, "file", place)] : [];
  return {
    effects: [pathEffect("read", from, "tree", place), ...replaced, pathEffect("write", placed, "file", place)],
    reason: `ln links ${placed.text} to ${source.text}`,
  };
}

/** The directory of the link may be made by the same line, and `..` leads out of it all the same. */
function besideLink(target: string, directory: string, placed: ShellWord, place: Site): Partial<ShellWord> {
  const found = pathEffect("list", { ...placed, value: directory }, "file", place);
  if (found.op !== "list" || found.path.kind !== "missing") return { value: directory + target };
  const [climb = ""] = /^(?:\.\.?(?:\/+|$))*/.exec(target) ?? [];
  return { value: `${resolve(found.path.resolved, climb)}/${target.slice(climb.length)}`, tilde: false };
}

function remove(call: ProgramCall, place: Site): CommandReading {
  if (call.operands.length === 0) return notUnderstood(`${call.name} has no operand`);
  const scope = hasFlag(call, "-r", "-R", "--recursive") ? "tree" : "file";
  return (
    uncertain(call.operands) ?? {
      effects: call.operands.map((word) => pathEffect("delete", word, scope, place)),
      reason: `${call.name} deletes ${shown(call.operands)}`,
    }
  );
}

/** `tar tzf a.tgz` and `tar -czf a.tgz src`. With other flags it may run programs or take names from a file. */
function readTar(call: ProgramCall, place: Site): CommandReading {
  const [mode, file, ...names] = call.operands;
  const task = mode && isLiteral(mode) ? /^-?[vzjJ]*([tc])[vzjJ]*f$/.exec(mode.value)?.[1] : undefined;
  const odd = names.some((word) => word.value.startsWith("-") || (task === "t" && !isLiteral(word)));
  // Before a colon is the name of another machine.
  if (task === undefined || file === undefined || !isLiteral(file) || odd || /^-.|^[^/]*:/.test(file.value)) {
    return notUnderstood("tar: some arguments could not be analysed");
  }
  if (task === "c" && names.length === 0) return notUnderstood("tar has no files to pack");
  const target = file.value === "-" ? "text" : task === "t" ? "read" : "write";
  const operands = [file, ...names];
  return readByRoles({ ...call, operands }, { first: [target], rest: task === "t" ? "text" : "read-tree" }, place);
}

function shown(words: readonly ShellWord[]): string {
  return words.map((word) => word.text).join(" ");
}
