/** Something in the repository that would run or widen, and is not in force until a person trusts exactly it. */
export interface UntrustedItem {
  readonly kind: "allow_rule" | "hook" | "directory" | "mcp_server" | "skill";
  readonly origin: string;
  /** As it would be used, in one line: the rule, the hook with its whole command. */
  readonly text: string;
  /** The same, a line for each thing that it asks for, where that is more than one line can say well. */
  readonly lines?: readonly string[];
  /**
   * `sha256:` over kind, origin's place in the project and the whole definition, with the content of the
   * project's files that it covers. Any change gives another.
   */
  readonly hash: string;
  /** The project's files that it covers: those that a hook or a server names literally. */
  readonly bound?: readonly (readonly [file: string, hash: string])[];
  /** What a person should know beyond that before they trust it, in a sentence. */
  readonly notCovered?: string;
  /** Why it can never take effect, whoever trusts it. */
  readonly refused?: string;
}
