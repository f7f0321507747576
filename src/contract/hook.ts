/** What a hook wants the model to read with the result. Data, like everything that a program says. */
export interface HookRemark {
  /** The hook as a person would recognise it. */
  readonly hook: string;
  readonly text: string;
}

/** An input that a hook puts in the place of the proposed one. */
export interface InputRevision {
  readonly hook: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What all hooks of one occasion say together. `deny` also stands for keeping something else from going on. */
export type HookAnswer = (
  | { readonly decision: "none" }
  | { readonly decision: "allow" | "ask" | "deny"; readonly reason: string }
) & {
  readonly revision?: InputRevision;
  readonly remarks?: readonly HookRemark[];
  /** The hooks whose failure alone is the no. */
  readonly failed?: readonly string[];
  /** Why the run should end here. */
  readonly stop?: string;
};
