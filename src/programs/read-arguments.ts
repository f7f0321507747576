import type { ProgramCall, ProgramEntry, Role, ShellWord, UnknownValue } from "./program-entry.ts";

/** Splits words into flags, values and operands as getopt does. What the entry does not name is the reason why not. */
export function readArguments(
  entry: ProgramEntry,
  name: string,
  words: readonly ShellWord[],
): ProgramCall | { readonly why: string } {
  const plain = new Set(entry.flags);
  const optional = new Set(entry.optional);
  const flags = new Set<string>();
  const values: { flag: string; role: Role; word: ShellWord }[] = [];
  const operands: ShellWord[] = [];
  let literalFrom = Number.POSITIVE_INFINITY;

  const ahead = words.toReversed();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    const { value } = word;
    const over = entry.verbatim || literalFrom <= operands.length || (entry.flagsFirst && operands.length > 0);
    if (word.unknown !== undefined && !over) {
      const why = takeUnknown(word, word.unknown);
      if (why !== undefined) return { why };
    } else if (over || !value.startsWith("-") || value === "-") {
      operands.push(word);
    } else if (word.glob && !/^--[a-z0-9-]+=/.test(value)) {
      return { why: `${word.text} may become any flag of ${name}` };
    } else if (value === "--") {
      literalFrom = operands.length;
    } else if (entry.count === true && /^-\d+$/.test(value)) {
      flags.add("-#");
      values.push({ flag: "-#", role: "text", word: { ...word, value: value.slice(1) } });
    } else {
      // Also whole short flags such as `-n` and find-like `-name`.
      const isLong = value.startsWith("--") || plain.has(value) || roleOf(entry, value) !== undefined;
      const why = isLong ? takeLong(value, word) : takeBundle(value, word);
      if (why !== undefined) return { why };
    }
  }
  const missing = entry.needs !== undefined && !entry.needs.some((flag) => flags.has(flag));
  if (missing) return { why: `${name} without ${entry.needs?.join(" or ")} is unknown` };
  return { entry, name, words, flags, values, operands, literalFrom };

  /** An operand where it cannot be a flag, or the value of one. */
  function takeUnknown(word: ShellWord, { prefix = "", plain }: UnknownValue): string | undefined {
    const [, flag] = /^(--[a-z0-9-]+)=/.exec(prefix) ?? [];
    if (flag !== undefined) flags.add(flag);
    if (flag !== undefined) return roleOf(entry, flag) === "text" ? takeValue(flag, "text", word) : unknownFlag(flag);
    if (plain !== true && entry.anyFlagReads !== true) return `${word.text} may become a flag of ${name}`;
    operands.push(word);
    return undefined;
  }

  function takeLong(value: string, word: ShellWord): string | undefined {
    const equals = value.indexOf("=");
    const flag = equals < 0 ? value : value.slice(0, equals);
    const role = roleOf(entry, flag);
    flags.add(flag);
    if (equals < 0) {
      if (plain.has(flag) || optional.has(flag)) return undefined;
      return role === undefined ? unknownFlag(flag) : takeValue(flag, role, ahead.pop());
    }
    // Whatever `--include=*.ts` becomes, it stays a value of this flag.
    if (word.glob && role === "text") return undefined;
    const attached = { ...word, value: value.slice(equals + 1), tilde: false };
    if (optional.has(flag)) values.push({ flag, role: "text", word: attached });
    else if (role === undefined) return unknownFlag(flag);
    else return takeValue(flag, role, attached);
    return undefined;
  }

  function takeBundle(value: string, word: ShellWord): string | undefined {
    for (let at = 1; at < value.length; at++) {
      const flag = `-${value[at]}`;
      const rest = value.slice(at + 1);
      const role = roleOf(entry, flag);
      if (plain.has(flag)) {
        flags.add(flag);
      } else if (optional.has(flag)) {
        flags.add(flag);
        if (rest !== "") values.push({ flag, role: "text", word: { ...word, value: rest, tilde: false } });
        return undefined;
      } else if (role !== undefined) {
        flags.add(flag);
        return takeValue(flag, role, rest === "" ? ahead.pop() : { ...word, value: rest, tilde: false });
      } else {
        return unknownFlag(flag);
      }
    }
    return undefined;
  }

  function takeValue(flag: string, role: Role, word: ShellWord | undefined): string | undefined {
    if (word === undefined) return `${flag} of ${name} has no value`;
    if (word.glob) return `the value of ${flag} depends on the directory`;
    if (word.unknown?.one === false) return `the value of ${flag} may be several words`;
    values.push({ flag, role, word });
    return undefined;
  }

  function unknownFlag(flag: string): string {
    return `the flag ${flag} of ${name} is unknown`;
  }
}

function roleOf(entry: ProgramEntry, flag: string): Role | undefined {
  return entry.values !== undefined && Object.hasOwn(entry.values, flag) ? entry.values[flag] : undefined;
}
