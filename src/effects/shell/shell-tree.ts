/**
 * The part of shell syntax that is understood, and nothing else. Whatever does not fit is `opaque` and keeps
 * its text, with the simple commands that were seen inside it, so that rules can still find them.
 */
export type ShellNode = SimpleCommand | Sequence | Pipeline | Group | Opaque;

export interface SimpleCommand {
  readonly kind: "simple";
  readonly text: string;
  readonly words: readonly [ShellWord, ...ShellWord[]];
  readonly redirects: readonly ShellRedirect[];
}

/** Commands one after another; `before` is what stands in front of an item. */
export interface Sequence {
  readonly kind: "sequence";
  readonly items: readonly { readonly node: ShellNode; readonly before: "start" | ";" | "&&" | "||" }[];
}

export interface Pipeline {
  readonly kind: "pipeline";
  readonly commands: readonly ShellNode[];
}

/** `{ …; }` runs in this shell, `( … )` in a copy of it. */
export interface Group {
  readonly kind: "group";
  readonly copy: boolean;
  readonly body: ShellNode;
  readonly redirects: readonly ShellRedirect[];
}

export interface Opaque {
  readonly kind: "opaque";
  readonly text: string;
  readonly why: string;
  readonly inside: readonly { readonly text: string; readonly words: readonly string[] }[];
}

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
}

export type ShellRedirect =
  | { readonly kind: "read" | "write"; readonly text: string; readonly target: ShellWord }
  /** `2>&1`, `>/dev/null`: changes nothing outside the command. */
  | { readonly kind: "harmless"; readonly text: string };

export interface ShellParse {
  readonly root: ShellNode;
  /** Bash would not run any of it. */
  readonly syntaxError?: string;
}
