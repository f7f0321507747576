import type { Outcome } from "../codes.ts";
import type { RequestId, SessionId } from "../ids.ts";
import type { ChangedItem, RuleText } from "../settings.ts";
import type { Explanation, Mode, PermissionAnswer, PermissionRequest } from "../verdict.ts";
import type { UntrustedItem } from "./skill.ts";

export interface PolicyProblem {
  readonly level: "error" | "warning";
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
  readonly rule?: string;
  readonly action?: RuleText["action"];
}

export interface PolicyCheck {
  readonly file: string;
  readonly ok: boolean;
  readonly rules: number;
  readonly problems: readonly PolicyProblem[];
}

export interface PolicyTrial {
  readonly session: SessionId;
  readonly seq: number;
  readonly intentId: string;
  readonly tool: string;
  /** As recorded, secrets redacted. */
  readonly input: unknown;
  readonly mode: Mode;
  readonly before: TriedVerdict;
  readonly after: TriedVerdict;
  readonly changed: boolean;
  readonly otherwise?: string;
  /** What this judgement cannot know: the workspace is gone, the input is redacted, a hook had decided. */
  readonly notes: readonly string[];
}

export interface UntriedSession {
  readonly session: SessionId;
  readonly problem: string;
}

export type TriedVerdict = Pick<Explanation, "decision" | "risk" | "reason" | "source" | "rule">;

export interface TrialRange {
  readonly sessions?: readonly SessionId[];
  readonly limit?: number;
}

export interface TrustReport {
  readonly file: string;
  readonly items: readonly (UntrustedItem & { readonly trusted: boolean })[];
  readonly absent: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly changed?: readonly ChangedItem[];
}

export interface PolicyAdmin {
  check(file: string, options: { readonly project: boolean }): Promise<Outcome<PolicyCheck>>;
  try(file: string, range: TrialRange): Outcome<AsyncIterable<PolicyTrial | UntriedSession>>;
  trust(change?: { readonly accept?: readonly string[]; readonly revoke?: readonly string[] }): Outcome<TrustReport>;
}

export interface WaitingRequest extends PermissionRequest {
  readonly client?: string;
}

export interface QuestionOrigin {
  readonly session: SessionId;
  readonly client?: string;
  redact<Value>(value: Value): Value;
}

export interface Unanswered {
  list(): Outcome<readonly WaitingRequest[]>;
  take(
    request: PermissionRequest,
    origin: QuestionOrigin,
  ): Outcome<{ readonly answer: PermissionAnswer } | { readonly waitsAs: RequestId }>;
  answer(answer: PermissionAnswer): Outcome<PermissionRequest>;
}
