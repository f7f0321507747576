import type { Change, Transaction } from "./changes.ts";
import type { Effect, EffectReport, Risk } from "./effect.ts";
import type { CheckedIntent, IdentifiedIntent } from "./intent.ts";
import type { SandboxDescription, WorkspaceFacts } from "./ports.ts";
import type { Grant, HookAnswer, Mode, PermissionAnswer, PermissionPrompt, Permit, Verdict } from "./verdict.ts";

/** `secret` and `state` are closed; writing the others asks in every mode. `committed`: a secret that is in git. */
export const classWords = {
  secret: "a secret",
  state: "state of the runtime",
  committed: "a committed secret",
  protected: "protected configuration",
  lockfile: "a lockfile",
  hidden: "in a hidden directory",
} as const;
export type PathClass = keyof typeof classWords;

export type SecretStanding = "plain" | "valued";

export interface EffectRisk {
  readonly effect: Effect;
  readonly risk: Risk;
  readonly reason: string;
}

export interface Assessment {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  readonly effects: readonly EffectRisk[];
  readonly parts: readonly { readonly risk: Risk; readonly effects: readonly EffectRisk[] }[];
}

export interface GateQuestion<Call extends IdentifiedIntent = IdentifiedIntent> {
  /** Only where nothing but the verdict is wanted may its preconditions be left out. */
  readonly checked: Call;
  readonly report: EffectReport;
  readonly assessment: Assessment;
  readonly mode: Mode;
  readonly grants: readonly Grant[];
  readonly workspace: WorkspaceFacts;
  readonly sandbox: SandboxDescription;
  readonly confinement?: string;
  /** The most characters of a result that go to the model. */
  readonly allowance?: number;
  /** Whether the command runs on a copy-on-write view: what it changes below the roots is then judged when it has ended. */
  readonly view?: boolean;
  readonly beside?: readonly string[];
  /** Nothing runs: the changes of an earlier run are judged. */
  readonly reopened?: boolean;
  /** Only the verdict is wanted: hooks are skipped, and no permit can be made from it. */
  readonly explainOnly?: boolean;
  /** A hook put this input in the place of the proposed one, and said this; hooks are not asked a second time. */
  readonly hooked?: HookAnswer;
  /** A person has answered: no hook may answer instead. */
  readonly answered?: boolean;
}

export type CheckedQuestion = GateQuestion<CheckedIntent>;

export interface ChangesQuestion {
  readonly question: CheckedQuestion;
  readonly changes: readonly Change[];
  readonly digest: string;
  /** A person agreed to the command, with what it would touch. */
  readonly agreed: boolean;
  readonly isIgnored: (path: string) => boolean;
  readonly contentOf: (change: Change) => Uint8Array | undefined;
  readonly isAppended: (change: Change) => boolean;
  readonly whyStaged: Transaction["whyStaged"];
  readonly isThere: (path: string) => boolean;
  readonly holdsSecret: (change: Change) => boolean;
  /** How many files may be deleted unasked, where the mode allows that at all. */
  readonly deleteLimit: number;
}

export interface NotableChange {
  readonly change: Change;
  readonly why: string;
}

/** `decision` is about all changes but the notable ones, which are asked about one by one in any case. */
export interface ChangesVerdict
  extends Pick<
    Verdict,
    "decision" | "reason" | "source" | "firm" | "rule" | "code" | "suggestedRules" | "suggestedFor"
  > {
  readonly apply: readonly Change[];
  readonly appliedIn?: Mode;
  readonly dropped: readonly Change[];
  /** All or nothing: half of it would be worse than either state. */
  readonly whole?: true;
  readonly notable: readonly NotableChange[];
}

export interface AnsweredChanges {
  readonly changes: readonly Change[];
  readonly answer: PermissionAnswer;
}

/** Programs that a person set up. A call that rejects or answers anything else counts as deny. */
export interface HookPort {
  preToolUse(question: GateQuestion): Promise<HookAnswer>;
  /** Before a person is asked. Can refuse a firm ask, and cannot lift one. */
  permissionRequest?(question: GateQuestion, prompt: PermissionPrompt): Promise<HookAnswer>;
}

/** Settles asks that only come from risk and mode. One that rejects, or does not answer in time, leaves the ask. */
export interface ClassifierPort {
  classify(
    question: GateQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly decision: "allow" | "ask" | "deny"; readonly reason: string }>;
}

export interface Gate {
  /** Never rejects: whatever goes wrong inside is a deny. */
  judge(question: CheckedQuestion | (GateQuestion & { readonly explainOnly: true })): Promise<Verdict>;
  prompt(question: GateQuestion, verdict: Verdict): PermissionPrompt;
  /** Throws unless this gate allowed exactly this question. */
  permit(question: CheckedQuestion, verdict: Verdict): Permit;
  /** For an ask that a person agreed to. Throws unless this gate asked exactly this question. */
  permitAnswered(question: CheckedQuestion, verdict: Verdict, answer: PermissionAnswer): Permit;
  /** True once, for a permit of this gate that has not run out. */
  redeem(permit: Permit): boolean;
  /** The second judgement: on what a command changed in its view. Never throws: whatever goes wrong is a deny. */
  judgeChanges(question: ChangesQuestion): ChangesVerdict;
  askHookAboutChanges(question: CheckedQuestion, prompt: PermissionPrompt): Promise<HookAnswer>;
  /** True once, for a verdict of this gate on exactly this change set, if it or an answer allows every change to keep. */
  redeemChanges(
    verdict: ChangesVerdict,
    asked: {
      readonly digest: string;
      readonly keep: readonly Change[];
      readonly answers: readonly AnsweredChanges[];
    },
  ): boolean;
  bareDenied(toolName: string): string | undefined;
}

export interface LinkedRepository {
  readonly directory?: string;
  /** To be seen where git may run. */
  readonly readable: readonly string[];
  /** To be written where a git command that writes was agreed to. */
  readonly writable: readonly string[];
  /** In there, made already or not, what stays as it is even then. */
  readonly believed: readonly string[];
  /** Writable, although what lies around it is closed. */
  readonly opened: readonly string[];
}
