import { flags, text } from "./flag-lists.ts";
import { readByRoles } from "./path-operands.ts";
import { picksSecrets } from "./picks-secrets.ts";
import {
  type CommandReading,
  notUnderstood,
  type Place,
  type ProgramCall,
  type ProgramEntry,
  type ShellWord,
} from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { hasFlag, isLiteral, refusing } from "./readings.ts";

export const fd: readonly ProgramEntry[] = [
  {
    names: ["fd", "fdfind"],
    // Behind -x stands a command with flags of its own.
    verbatim: true,
    operands: readFd,
  },
];

const fdFlags: Omit<ProgramEntry, "operands"> = {
  names: ["fd"],
  flags: flags(
    "HIusigFap0ql1L",
    "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path full-path print0 quiet prune one-file-system show-errors strip-cwd-prefix list-details follow no-follow",
  ),
  values: {
    ...text(
      "-t -e -E -d -c -S -o -j --type --extension --exclude --max-depth --min-depth --exact-depth --color --size",
    ),
    ...text("--changed-within --changed-before --newer --older --owner --threads --max-results --format --and"),
    "--search-path": "list-tree",
    "--ignore-file": "read",
  },
};

function readFd(call: ProgramCall, place: Place): CommandReading {
  const at = call.words.findIndex((word) => ["-x", "-X", "--exec", "--exec-batch"].includes(word.value));
  const fd = readArguments({ ...fdFlags, operands: {} }, call.name, at < 0 ? call.words : call.words.slice(0, at));
  if ("why" in fd) return notUnderstood(fd.why);
  const listing = listFd(fd, place);
  const secret = picksSecrets(fdNames(fd));
  if (at < 0) {
    const odd = secret || hasFlag(fd, "-c", "--color", "--format");
    return odd ? listing : { ...listing, output: "names" };
  }
  if (secret) return notUnderstood(`${call.name} runs a program on secret files`);
  const inner = place.inner(withNames(call.words.slice(at + 1), listing));
  return {
    ...inner,
    effects: [...listing.effects, ...inner.effects],
    reason: `${call.name} lists, and ${inner.reason}`,
  };
}

/** The names that the patterns of fd are made for, as if they were written for the shell. */
function fdNames(fd: ProgramCall): readonly ShellWord[] {
  const extensions = fd.values.filter(({ flag }) => flag === "-e" || flag === "--extension").map(({ word }) => word);
  const patterns = fd.operands.slice(0, 1);
  return [
    ...extensions.map((word) => ({ ...word, value: `*.${word.value}` })),
    ...patterns,
    ...patterns.map((word) => ({ ...word, value: `${word.value.replaceAll(/[\\^$]/g, "").replaceAll(".*", "*")}*` })),
  ];
}

function listFd(fd: ProgramCall, place: Place): CommandReading {
  const reader = refusing(
    {
      "-l": "runs ls",
      "--list-details": "runs ls",
      "-L": "follows links out of the tree",
      "--follow": "follows links out of the tree",
    },
    (call) => {
      const [pattern] = call.operands;
      if (pattern !== undefined && !isLiteral(pattern))
        return notUnderstood(`the pattern ${pattern.text} is not certain`);
      const none = hasFlag(call, "--search-path") ? {} : { none: "list-tree" as const };
      return readByRoles(call, { first: ["text"], rest: "list-tree", ...none }, place);
    },
  );
  return reader(fd, place);
}

/** The command that fd runs: `{}` is what it found, which stands at the end when it is not written. */
function withNames(words: readonly ShellWord[], listing: CommandReading): readonly ShellWord[] {
  const names = listing.effects.flatMap((effect) => (effect.op === "list" ? [effect.path.resolved] : []));
  const found: ShellWord = { text: "{}", value: "", glob: false, tilde: false, unknown: { one: false, names } };
  // `{/}` and its kin are parts of names, which lead elsewhere.
  const part: ShellWord = { ...found, unknown: { one: false } };
  const given = words.map((word) => (word.value === "{}" ? found : /\{[/.]*\}|^;$/.test(word.value) ? part : word));
  return given.includes(found) ? given : [...given, found];
}
