import { basename } from "node:path/posix";
import type { Effect } from "../../../contract/effect.ts";
import { pathEffect, readByRoles } from "../path-operands.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
} from "../program-entry.ts";
import { isPlainSedScript } from "../read-sed.ts";
import type { ShellWord } from "../shell-tree.ts";
import { flags, text } from "./flag-lists.ts";

/** Programs that change files, where what they change can be read off the words. */
export const writers: readonly ProgramEntry[] = [
  {
    names: ["mkdir"],
    flags: flags("pv", "parents verbose"),
    operands: { rest: "write" },
    examples: { match: ["mkdir -p a/b", "mkdir x y"], noMatch: ["mkdir -m 777 x", "mkdir a*", "mkdir -Z x"] },
  },
  {
    names: ["touch"],
    flags: flags("acm", "no-create"),
    operands: { rest: "write" },
    examples: { match: ["touch a b"], noMatch: ["touch -r x y", "touch *"] },
  },
  {
    names: ["tee"],
    flags: flags("a", "append"),
    operands: { rest: "write" },
    examples: { match: ["tee a", "tee -a a b"], noMatch: ["tee -p a", "tee *"] },
  },
  {
    names: ["cp"],
    flags: flags("afnprRv", "archive force no-clobber recursive verbose"),
    operands: (call, place) => transfer(call, place, false),
    examples: {
      match: ["cp a b", "cp -r src dst", "cp a b dir/"],
      noMatch: ["cp -t dir a", "cp a*", "cp a", "cp -s a b", "cp --suffix=x a b", "cp -l a b"],
    },
  },
  {
    names: ["mv"],
    flags: flags("fnv", "force no-clobber verbose"),
    operands: (call, place) => transfer(call, place, true),
    examples: { match: ["mv a b", "mv a b dir/"], noMatch: ["mv -t dir a", "mv *.a b", "mv a", "mv -b a b"] },
  },
  {
    names: ["rm"],
    flags: flags("dfiIrRv", "dir force recursive verbose"),
    operands: (call, place) => remove(call, place, ["-r", "-R", "--recursive"]),
    examples: {
      match: ["rm a", "rm -rf node_modules", "rm -- -x"],
      noMatch: ["rm -rf *", "rm --no-preserve-root -rf /", "rm -rf $x", "rm --recurs x", "rm"],
    },
  },
  {
    names: ["rmdir", "unlink"],
    flags: flags("pv", "parents verbose"),
    operands: (call, place) => remove(call, place, []),
    examples: { match: ["rmdir a"], noMatch: ["rmdir a*", "rmdir"] },
  },
  {
    names: ["sed"],
    flags: flags("nErsui", "quiet silent regexp-extended in-place separate unbuffered"),
    values: text("-e --expression"),
    operands: readSed,
    examples: {
      match: ["sed -n 10,20p a", "sed 's/a/b/g' a", "sed -i 's/a/b/' a", "sed -n '/x/p' a b", "sed -e 1d -e '$d' a"],
      noMatch: [
        "sed -i.bak s/a/b/ x",
        "sed -in s/a/b/ x",
        "sed 's/a/b/e' x",
        "sed 's/a/b/w out' x",
        "sed '1e id' x",
        "sed 'w out' x",
        "sed -f script x",
        "sed --in-pl s/a/b/ x",
        "sed '1r /etc/passwd' x",
        "sed 's/a/b/;e' x",
        "sed '1!{p;e}' x",
        "sed",
      ],
    },
  },
];

function transfer(call: ProgramCall, place: Place, moves: boolean): CommandReading {
  const sources = call.operands.slice(0, -1);
  const target = call.operands.at(-1);
  if (target === undefined || sources.length === 0) return notUnderstood(`${call.name} lacks its target`);
  if (call.operands.some((word) => word.glob)) return notUnderstood(`${call.name} with a pattern touches what matches`);
  const into = pathEffect("write", target, "file", place);
  const directory = into.op === "write" && into.path.kind === "directory";
  if (sources.length > 1 && !directory) return notUnderstood(`${target.text} is not a directory`);

  const effects: Effect[] = [];
  for (const source of sources) {
    const read = pathEffect("read", source, "file", place);
    const deep = read.op === "read" && read.path.kind === "directory";
    const scope = deep ? "tree" : "file";
    effects.push(pathEffect("read", source, scope, place));
    if (moves) effects.push(pathEffect("delete", source, scope, place));
    effects.push(pathEffect("write", directory ? inside(target, source) : target, scope, place));
  }
  const reason = `${call.name} ${moves ? "moves" : "copies"} ${sources.map((word) => word.text).join(" ")}`;
  return moves ? { effects, reason, moves } : { effects, reason };
}

function inside(directory: ShellWord, source: ShellWord): ShellWord {
  return { ...directory, value: `${directory.value.replace(/\/+$/, "")}/${basename(source.value)}` };
}

function remove(call: ProgramCall, place: Place, recursive: readonly string[]): CommandReading {
  if (call.operands.length === 0) return notUnderstood(`${call.name} lacks its operand`);
  if (call.operands.some((word) => word.glob)) return notUnderstood(`${call.name} with a pattern deletes what matches`);
  const scope = recursive.some((flag) => call.flags.has(flag)) ? "tree" : "file";
  const effects = call.operands.map((word) => pathEffect("delete", word, scope, place));
  return { effects, reason: `${call.name} deletes ${call.operands.map((word) => word.text).join(" ")}` };
}

function readSed(call: ProgramCall, place: Place): CommandReading {
  // `-i` takes everything behind it in the same word as the suffix of a backup file.
  if (call.words.some((word) => /^-[a-zA-Z]*i./.test(word.value))) return notUnderstood("sed -i keeps a backup file");
  const given = call.values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ word }) => word);
  const [operand] = call.operands;
  const scripts = given.length > 0 ? given : operand === undefined ? [] : [operand];
  if (scripts.length === 0) return notUnderstood("sed lacks its script");
  const doubtful = scripts.find((script) => script.glob || !isPlainSedScript(script.value));
  if (doubtful !== undefined)
    return notUnderstood(`the sed script ${doubtful.text} is not one that only prints or replaces`);

  const files = given.length > 0 ? call.operands : call.operands.slice(1);
  const reading = readByRoles({ ...call, operands: files, values: [] }, { rest: "read" }, place);
  if (!call.flags.has("-i") && !call.flags.has("--in-place")) return reading;
  const changes = readByRoles({ ...call, operands: files, values: [] }, { rest: "write" }, place);
  return { effects: [...reading.effects, ...changes.effects], reason: "sed changes files in place" };
}
