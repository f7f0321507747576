import { basename } from "node:path/posix";
import type { Effect } from "../contract/effect.ts";
import { flags, text } from "./flag-lists.ts";
import { pathEffect, readByRoles } from "./path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "./program-entry.ts";
import { flagValue, hasFlag, isLiteral, refusing } from "./readings.ts";

const links: Readonly<Record<string, string>> = {
  "-s": "makes links instead of copies",
  "--symbolic-link": "makes links instead of copies",
  "-l": "makes links instead of copies",
  "--link": "makes links instead of copies",
  "-L": "copies what links lead to",
  "-H": "copies what links lead to",
  "--parents": "makes directories of its own",
};
const backups: Readonly<Record<string, string>> = { "-b": "keeps backup files", "--backup": "keeps backup files" };

/** Programs that change files, where what they change can be read off the words. */
export const writers: readonly ProgramEntry[] = [
  {
    names: ["mkdir"],
    flags: flags("pv", "parents verbose"),
    values: text("-m --mode"),
    operands: (call, place) => (plainMode(flagValue(call, "-m", "--mode")) ? writes(call, place) : unusualMode(call)),
  },
  {
    names: ["touch"],
    flags: flags("acfhm", "no-create no-dereference"),
    values: { ...text("-d -t --date --time"), "-r": "list", "--reference": "list" },
    operands: { rest: "write" },
  },
  {
    names: ["tee"],
    flags: flags("aip", "append ignore-interrupts"),
    optional: ["--output-error"],
    operands: { rest: "write" },
    output: (call) => (call.flags.size === 0 ? "input" : undefined),
  },
  {
    names: ["truncate"],
    flags: flags("co", "no-create io-blocks"),
    values: { ...text("-s --size"), "-r": "list", "--reference": "list" },
    operands: { rest: "write" },
  },
  {
    names: ["cp"],
    flags: flags(
      "adfinpPrRTuvxHLbsl",
      "archive attributes-only force interactive no-clobber no-dereference recursive no-target-directory update verbose one-file-system parents remove-destination link symbolic-link",
    ),
    optional: ["--preserve", "--reflink", "--backup"],
    values: text("-t --target-directory --sparse --no-preserve"),
    operands: refusing({ ...links, ...backups }, (call, place) => transfer(call, place, false)),
  },
  {
    names: ["mv"],
    flags: flags("finTuvb", "force interactive no-clobber no-target-directory update verbose"),
    optional: ["--backup"],
    values: text("-t --target-directory"),
    operands: refusing(backups, (call, place) => transfer(call, place, true)),
  },
  {
    names: ["install"],
    flags: flags("cCdDpTvbs", "compare directory preserve-timestamps no-target-directory verbose strip"),
    values: text("-m -t -o -g --mode --target-directory --owner --group --strip-program"),
    operands: refusing(
      {
        ...backups,
        "-s": "runs strip",
        "--strip": "runs strip",
        "--strip-program": "runs a program",
        "-o": "changes the owner",
        "--owner": "changes the owner",
        "-g": "changes the group",
        "--group": "changes the group",
      },
      (call, place) => {
        if (!plainMode(flagValue(call, "-m", "--mode"))) return unusualMode(call);
        return hasFlag(call, "-d", "--directory") ? writes(call, place) : transfer(call, place, false);
      },
    ),
  },
  {
    names: ["ln"],
    flags: flags("fnrsTvbLPi", "force no-dereference relative symbolic no-target-directory verbose"),
    values: text("-t -S --target-directory --suffix"),
    operands: refusing({ ...backups, "-S": "keeps backup files", "--suffix": "keeps backup files" }, link),
  },
  {
    names: ["rm"],
    flags: flags("dfiIrRv", "dir force recursive verbose one-file-system"),
    optional: ["--interactive", "--preserve-root"],
    operands: (call, place) => remove(call, place, ["-r", "-R", "--recursive"]),
  },
  {
    names: ["rmdir", "unlink"],
    flags: flags("v", "verbose ignore-fail-on-non-empty"),
    operands: (call, place) => remove(call, place, []),
  },
  {
    names: ["chmod"],
    flags: flags("cfvR", "changes silent quiet verbose recursive preserve-root"),
    operands: (call, place) => {
      const [mode, ...targets] = call.operands;
      if (mode === undefined || targets.length === 0) return notUnderstood("chmod lacks its operands");
      if (!isLiteral(mode) || !plainMode(mode)) return unusualMode(call);
      const scope = hasFlag(call, "-R", "--recursive") ? "tree" : "file";
      return (
        spreads(targets) ?? {
          effects: targets.map((word) => pathEffect("write", word, scope, place)),
          reason: `chmod changes who may use ${shown(targets)}`,
        }
      );
    },
  },
];

/** Without the bits that lend a program the rights of its owner. */
function plainMode(mode: ShellWord | undefined): boolean {
  if (mode === undefined) return true;
  return isLiteral(mode) && /^(?:0?[0-7]{1,3}|[ugoa]*[-+=][rwxX]*(?:,[ugoa]*[-+=][rwxX]*)*)$/.test(mode.value);
}

function unusualMode(call: ProgramCall): CommandReading {
  return notUnderstood(`${call.name} sets an unusual mode`);
}

function writes(call: ProgramCall, place: Place): CommandReading {
  return call.operands.length === 0
    ? notUnderstood(`${call.name} lacks its operand`)
    : readByRoles({ ...call, values: [] }, { rest: "write" }, place);
}

/** Words that may become any number of paths make a change of unknown extent. */
function spreads(words: readonly ShellWord[]): CommandReading | undefined {
  const wide = words.find((word) => !isLiteral(word));
  return wide === undefined ? undefined : notUnderstood(`what ${wide.text} becomes is not certain`);
}

function transfer(call: ProgramCall, place: Place, moves: boolean): CommandReading {
  const directoryFlag = flagValue(call, "-t", "--target-directory");
  const sources = directoryFlag === undefined ? call.operands.slice(0, -1) : call.operands;
  const target = directoryFlag ?? call.operands.at(-1);
  if (target === undefined || sources.length === 0) return notUnderstood(`${call.name} lacks its target`);
  const wide = spreads([...sources, target]);
  if (wide !== undefined) return wide;
  const device = sources.find(
    ({ value }) => value.startsWith("/dev/") && !(value === "/dev/null" && copiesContent(call)),
  );
  if (device !== undefined && !moves) return notUnderstood(`${call.name} copies ${device.text}`);
  const into = pathEffect("write", target, "file", place);
  const isDirectory = into.op === "write" && into.path.kind === "directory";
  const inside = isDirectory && !hasFlag(call, "-T", "--no-target-directory");
  if ((sources.length > 1 || directoryFlag !== undefined) && !inside) {
    return notUnderstood(`${target.text} is not a directory`);
  }

  const effects: Effect[] = [];
  for (const source of sources) {
    const read = pathEffect("read", source, "file", place);
    const deep = read.op === "read" && read.path.kind === "directory";
    const scope = deep ? "tree" : "file";
    effects.push(pathEffect("read", source, scope, place));
    if (moves) effects.push(pathEffect("delete", source, scope, place));
    effects.push(pathEffect("write", inside ? entryOf(target, source) : target, scope, place));
  }
  const reason = `${call.name} ${moves ? "moves" : "copies"} ${shown(sources)}`;
  return moves ? { effects, reason, moves } : { effects, reason };
}

/** A copy of a device is empty, or with these another device. */
function copiesContent(call: ProgramCall): boolean {
  return !hasFlag(call, "-a", "-d", "-P", "-r", "-R", "--archive", "--no-dereference", "--recursive");
}

/** Where a source lands in a directory; `src/.` and `..` spread over the directory itself. */
function entryOf(directory: ShellWord, source: ShellWord): ShellWord {
  const name = basename(source.value);
  if (name === "." || name === ".." || name === "") return directory;
  return { ...directory, value: `${directory.value.replace(/\/+$/, "")}/${name}` };
}

/** A link is a write where it is made; what it leads to counts as read, because reading goes on through it. */
function link(call: ProgramCall, place: Place): CommandReading {
  const directoryFlag = flagValue(call, "-t", "--target-directory");
  const [source, target, third] = call.operands;
  if (source === undefined || directoryFlag !== undefined || third !== undefined) {
    return notUnderstood("ln is written in an unusual way");
  }
  const wide = spreads(call.operands);
  if (wide !== undefined) return wide;
  const name = target ?? { ...source, value: basename(source.value), tilde: false };
  const made = pathEffect("write", name, "file", place);
  const directory =
    made.op === "write" &&
    made.path.kind === "directory" &&
    !hasFlag(call, "-n", "-T", "--no-dereference", "--no-target-directory");
  const placed = directory ? entryOf(name, source) : name;
  const from =
    hasFlag(call, "-s", "--symbolic") && !hasFlag(call, "-r", "--relative") ? besideOf(placed, source) : source;
  const effects = [
    pathEffect("read", from, "tree", place),
    pathEffect("delete", placed, "file", place),
    pathEffect("write", placed, "file", place),
  ];
  const replaces = hasFlag(call, "-f", "--force");
  return {
    effects: replaces ? effects : effects.filter((effect) => effect.op !== "delete"),
    reason: `ln links ${placed.text} to ${source.text}`,
  };
}

/** A relative target of a symbolic link starts where the link lies. */
function besideOf(placed: ShellWord, source: ShellWord): ShellWord {
  if (source.tilde || source.value.startsWith("/")) return source;
  const end = placed.value.lastIndexOf("/");
  return end < 0 ? source : { ...placed, text: source.text, value: `${placed.value.slice(0, end + 1)}${source.value}` };
}

function remove(call: ProgramCall, place: Place, recursive: readonly string[]): CommandReading {
  if (call.operands.length === 0) return notUnderstood(`${call.name} lacks its operand`);
  const wide = spreads(call.operands);
  if (wide !== undefined) return wide;
  const scope = hasFlag(call, ...recursive) ? "tree" : "file";
  const effects = call.operands.map((word) => pathEffect("delete", word, scope, place));
  return { effects, reason: `${call.name} deletes ${shown(call.operands)}` };
}

function shown(words: readonly ShellWord[]): string {
  return words.map((word) => word.text).join(" ");
}
