/**
 * The part of shell syntax that is understood. Whatever does not fit is `opaque` and keeps its text, with the simple
 * commands that were seen inside it, so that rules can still find them.
 */
export type ShellNode =
  | {
      readonly kind: "simple";
      readonly text: string;
      readonly assignments: readonly Assignment[];
      /** None when the command only assigns or redirects. The first one is made of plain text and plain variables. */
      readonly words: readonly WordTemplate[];
      readonly redirects: readonly ShellRedirect[];
    }
  | { readonly kind: "sequence"; readonly items: readonly SequenceItem[] }
  /** `withErrors`: `|&` stands in it, and messages go the same way. */
  | { readonly kind: "pipeline"; readonly commands: readonly ShellNode[]; readonly withErrors: boolean }
  /** `{ …; }` runs in this shell, `( … )` in a copy of it. Also any compound command with redirections. */
  | {
      readonly kind: "group";
      readonly copy: boolean;
      readonly body: ShellNode;
      readonly redirects: readonly ShellRedirect[];
    }
  | { readonly kind: "background"; readonly body: ShellNode }
  | {
      readonly kind: "conditional";
      readonly branches: readonly { readonly test: ShellNode; readonly body: ShellNode }[];
      readonly otherwise: ShellNode | undefined;
    }
  | { readonly kind: "loop"; readonly word: "while" | "until"; readonly test: ShellNode; readonly body: ShellNode }
  | {
      readonly kind: "for-each";
      readonly name: string;
      readonly words: readonly WordTemplate[];
      readonly body: ShellNode;
    }
  | { readonly kind: "choice"; readonly words: readonly WordTemplate[]; readonly bodies: readonly ShellNode[] }
  | {
      readonly kind: "opaque";
      readonly text: string;
      readonly why: string;
      readonly inside: InsideCommands;
      /** What it runs, if it runs at all: the commands of a function, or of a loop that counts. */
      readonly body?: ShellNode;
    };

export type NodeOf<K extends ShellNode["kind"]> = Extract<ShellNode, { kind: K }>;
export type SimpleCommand = NodeOf<"simple">;

export interface SequenceItem {
  readonly node: ShellNode;
  readonly before: "start" | ";" | "&&" | "||";
}

export interface Assignment {
  readonly name: string;
  readonly value: WordTemplate;
}

export type InsideCommands = readonly {
  readonly text: string;
  readonly words: readonly string[];
  /** Not a command: all words of a text that could not be parsed. */
  readonly rough?: true;
}[];

export interface WordTemplate {
  readonly text: string;
  readonly pieces: readonly WordPiece[];
  readonly odd?: string;
}

/** What is not `quoted` is split at blanks and matched against file names once it is expanded. */
export type WordPiece =
  | { readonly kind: "text"; readonly value: string; readonly quoted: boolean }
  | { readonly kind: "home" }
  | { readonly kind: "variable"; readonly name: string; readonly quoted: boolean }
  | Substitution;

/** `$(…)`, or with `pipe` `<(…)`. */
export interface Substitution {
  readonly kind: "command";
  readonly body: ShellNode;
  readonly quoted: boolean;
  readonly pipe: boolean;
}

export type ShellRedirect = {
  readonly text: string;
  readonly descriptor: number;
} & (
  | { readonly kind: "read" | "write" | "change"; readonly target: WordTemplate }
  /** Text of the command itself is the input: here-documents and here-strings. */
  | { readonly kind: "input"; readonly content: WordTemplate }
  /** `2>&1`: another name of a descriptor that is open. `byName`: `</dev/stdin`, which may fail to open. */
  | { readonly kind: "copy"; readonly source: number; readonly byName?: true }
  /** `>/dev/null`: changes nothing outside the command. */
  | { readonly kind: "sink"; readonly empty: boolean }
);

export interface ShellParse {
  readonly root: ShellNode;
  /** Every simple command that can be seen, wherever it hides; for rules that must find it. */
  readonly inside: () => InsideCommands;
  readonly syntaxError?: string;
  /** A `!` turns the exit code of one of its commands around. */
  readonly negates?: boolean;
}
