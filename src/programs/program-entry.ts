import type { Effect } from "../contract/effect.ts";
import type { EffectView } from "../contract/ports.ts";
import type { NextStep } from "../contract/tool.ts";

/** A word of a simple command. Its value follows from the text alone unless `unknown` says otherwise. */
export interface ShellWord {
  readonly text: string;
  readonly value: string;
  /** `*`, `?` or `[…]` stands unquoted in it: the directory decides what it becomes. */
  readonly glob: boolean;
  /** Starts with an unquoted `~` that stands for the home directory. */
  readonly tilde: boolean;
  /** Only the running shell will know the value; `value` is then empty. */
  readonly unknown?: UnknownValue;
}

export interface UnknownValue {
  /** It stays exactly one word, whatever it holds. */
  readonly one: boolean;
  /** It becomes names of entries below these absolute directories, and of nothing else. */
  readonly names?: readonly string[];
  /** Where the names were printed: a relative one means the same only there. */
  readonly from?: string;
  /** It never begins with a dash, so no program takes it for a flag. */
  readonly plain?: boolean;
  readonly number?: boolean;
  /** What it certainly begins with. */
  readonly prefix?: string;
  /** The name of a pipe that the shell makes for it: `<(…)`. */
  readonly pipe?: boolean;
  /** Nothing at all may stand here. */
  readonly mayBeEmpty?: boolean;
  /** What stands between the items of it when that is not the end of a line. */
  readonly separator?: "nul";
}

/** Whose rules the text is read by. `sh` may be dash: what the two read differently is refused. */
export type Dialect = "bash" | "sh";

/** What an operand or the value of a flag is to a program. A pattern may stand for `edit`, not for `write`. */
export type Role = "text" | "read" | "read-tree" | "list" | "list-tree" | "write" | "edit";

/** Which words after the flags mean what. More operands than roles, without `rest`, are refused. */
export interface OperandRoles {
  readonly first?: readonly Role[];
  readonly rest?: Role;
  /** What the working directory is when no operand follows `first`. */
  readonly none?: Role;
}

/**
 * One program, or one sub-command of it, as data. A flag that is not named here makes the call unknown, so
 * only flags that neither write, run nor connect are named. Abbreviated long flags are refused.
 */
export interface ProgramEntry {
  readonly names: readonly string[];
  /** Without a value. Short ones may be bundled. */
  readonly flags?: readonly string[];
  /** With a value that may be left out; when given it is attached. */
  readonly optional?: readonly string[];
  /** With a value, and what the value is. */
  readonly values?: Readonly<Record<string, Role>>;
  readonly count?: boolean;
  /** The program looks at nothing but operands: a word with a dash is one too. */
  readonly verbatim?: boolean;
  readonly flagsFirst?: boolean;
  readonly needs?: readonly string[];
  readonly operands: OperandRoles | ((call: ProgramCall, place: Site) => CommandReading);
  readonly recursive?: readonly string[];
  /** No flag at all writes, runs or connects: a hostile file name that looks like a flag does no harm. */
  readonly anyFlagReads?: boolean;
  /** What its output consists of, for `xargs` and `$(…)`: names below what it lists or reads, or lines of its input. */
  readonly output?: (call: ProgramCall) => OutputKind | undefined;
}

export type OutputKind = "names" | "input";

export interface ProgramCall {
  readonly entry: ProgramEntry;
  readonly name: string;
  readonly words: readonly ShellWord[];
  readonly flags: ReadonlySet<string>;
  readonly values: readonly { readonly flag: string; readonly role: Role; readonly word: ShellWord }[];
  readonly operands: readonly ShellWord[];
  /** Operands from here on stood after `--`. */
  readonly literalFrom: number;
}

/** Where a command runs, and what reads the commands that it runs itself. */
export interface Site {
  readonly view: EffectView;
  readonly cwd: string;
  /**
   * Reads a command that this one runs (`find -exec`, `xargs`, `env`). It becomes a part of its own, so that
   * rules find it. What takes its effects over keeps the objects as they are: they are counted once.
   */
  readonly inner: (words: readonly ShellWord[]) => CommandReading;
  /** As `inner`, for a text that a shell is given to run. `parameters` start with `$0`. */
  readonly script?: (text: string, dialect: Dialect, parameters: readonly ShellWord[]) => CommandReading;
  /** What standard input holds, line by line; absent when nothing is known about it. */
  readonly input?: UnknownValue;
  /** The same where it is certain to the letter. */
  readonly inputText?: string;
}

export interface CommandReading {
  readonly effects: readonly Effect[];
  readonly reason: string;
  readonly cwd?: string;
  /** Later commands of the same text no longer mean what they say. */
  readonly altersShell?: boolean;
  readonly moves?: boolean;
  readonly needsSavedRule?: boolean;
  readonly losesWork?: boolean;
  /** Asks for more care than the effects show. */
  readonly raisedBecause?: string;
  readonly next?: NextStep;
  /** As in `ProgramEntry`. */
  readonly output?: OutputKind;
}
