import type { Change, Transaction } from "./changes.ts";
import type { Effect, EffectReport, Risk } from "./effect.ts";
import type { CheckedIntent, IdentifiedIntent } from "./intent.ts";
import type { SandboxDescription, WorkspaceFacts } from "./ports.ts";
import type { Grant, HookAnswer, Mode, PermissionAnswer, PermissionPrompt, Permit, Verdict } from "./verdict.ts";

/**
 * What a path is to the gate beyond where it lies. `secret` and `state` are closed; writing `committed`, `protected`,
 * `lockfile` and `hidden` asks a person in every mode. `committed` is a secret that every clone of the repository has:
 * commands see it, and its values are redacted.
 */
export const classWords = {
  secret: "a secret",
  state: "state of the runtime",
  committed: "a committed secret",
  protected: "protected configuration",
  lockfile: "a lockfile",
  hidden: "in a hidden directory",
} as const;
export type PathClass = keyof typeof classWords;

/** Of a path with a secret's name that is not closed: it holds no secret, or values that are redacted. */
export type SecretStanding = "plain" | "valued";

export interface EffectRisk {
  readonly effect: Effect;
  readonly risk: Risk;
  readonly reason: string;
}

/** How dangerous a report is, effect by effect. */
export interface Assessment {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  /** One for each effect of the report, in its order. */
  readonly effects: readonly EffectRisk[];
  /** One for each part of the report, in its order. */
  readonly parts: readonly { readonly risk: Risk; readonly effects: readonly EffectRisk[] }[];
}

/** Everything a verdict is made from. */
export interface GateQuestion<Call extends IdentifiedIntent = IdentifiedIntent> {
  /** Only where nothing but the verdict is wanted may its preconditions be left out. */
  readonly checked: Call;
  readonly report: EffectReport;
  readonly assessment: Assessment;
  readonly mode: Mode;
  readonly grants: readonly Grant[];
  readonly workspace: WorkspaceFacts;
  readonly sandbox: SandboxDescription;
  /** Where it goes to a server: what holds that one. */
  readonly confinement?: string;
  /** Whether the command runs on a copy-on-write view: what it changes below the roots is then judged when it has ended. */
  readonly view?: boolean;
  /** With a view: the directories around what it changes outside the workspace. */
  readonly beside?: readonly string[];
  /** Nothing runs: the changes of an earlier run are judged. */
  readonly reopened?: boolean;
  /** Only the verdict is wanted: hooks are skipped, and no permit can be made from it. */
  readonly explainOnly?: boolean;
  /** A hook put this input in the place of the proposed one, and said this; hooks are not asked a second time. */
  readonly hooked?: HookAnswer;
  /** A person has answered already: nothing stands in for one any more. */
  readonly answered?: boolean;
}

/** One about a call that could be done as things are: no permit is made from another. */
export type CheckedQuestion = GateQuestion<CheckedIntent>;

/** What a command changed in its view, for a verdict on whether that may be applied. */
export interface ChangesQuestion {
  /** The one that the command was allowed to run by. */
  readonly question: CheckedQuestion;
  readonly changes: readonly Change[];
  /** Of the whole change set. */
  readonly digest: string;
  /** A person agreed to the command, with what it would touch. */
  readonly agreed: boolean;
  readonly isIgnored: (path: string) => boolean;
  /** What arrives, or of a delete what goes; `undefined` for what is too large or no file. */
  readonly contentOf: (change: Change) => Uint8Array | undefined;
  /** It holds what it held before, and more. */
  readonly isAppended: (change: Change) => boolean;
  readonly whyStaged: Transaction["whyStaged"];
  /** In the workspace as it was before the command. */
  readonly isThere: (path: string) => boolean;
  /** A value of a file for secrets is in it. */
  readonly holdsSecret: (change: Change) => boolean;
  /** How many files may be deleted unasked, where the mode allows that at all. */
  readonly deleteLimit: number;
}

/** Why a change is asked about by itself. */
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
  /** Of an ask that the mode decides: the narrowest mode that applies all of it unasked. */
  readonly appliedIn?: Mode;
  /** Caches that nobody is asked about, and that are not kept. */
  readonly dropped: readonly Change[];
  /** All or nothing: half of it would be worse than either state. */
  readonly whole?: true;
  /** Of those to apply. */
  readonly notable: readonly NotableChange[];
}

/** A yes, and what it was about. */
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
  /** The signal aborts when nobody waits for the answer any more. */
  classify(
    question: GateQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly decision: "allow" | "ask" | "deny"; readonly reason: string }>;
}

/** The only maker of permits. */
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
  /** The hook that stands in for a person may refuse what is asked about changes; `none` leaves it to a person. */
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
  /** The rule that takes this tool off the menu. */
  bareDenied(toolName: string): string | undefined;
}

/** What commands get of the repository that a linked worktree belongs to. It lies outside of the workspace. */
export interface LinkedRepository {
  /** All of it; absent where the workspace has it. */
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
