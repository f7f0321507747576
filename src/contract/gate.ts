import type { Effect, EffectReport, Risk } from "./effect.ts";
import type { HookAnswer } from "./hook.ts";
import type { CheckedIntent, IdentifiedIntent } from "./intent.ts";
import type { SandboxDescription, WorkspaceFacts } from "./ports.ts";
import type { Grant, Mode, PermissionAnswer, PermissionPrompt, Permit, Verdict } from "./verdict.ts";

/**
 * What a path is to the gate beyond where it lies. `secret` and `state` are closed; writing `protected`,
 * `lockfile` and `hidden` asks a person in every mode.
 */
export type PathClass = "secret" | "state" | "protected" | "lockfile" | "hidden";

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
  /** Only the verdict is wanted: hooks are skipped, and no permit can be made from it. */
  readonly explainOnly?: boolean;
  /** A hook put this input in the place of the proposed one, and said this; hooks are not asked a second time. */
  readonly hooked?: HookAnswer;
  /** A person has answered already: nothing stands in for one any more. */
  readonly answered?: boolean;
}

/** One about a call that could be done as things are: no permit is made from another. */
export type CheckedQuestion = GateQuestion<CheckedIntent>;

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
  /** The rule that takes this tool off the menu. */
  bareDenied(toolName: string): string | undefined;
}
