import type { Effect, EffectPart, Risk, ShellCommand } from "./effect.ts";
import type { IntentId, RequestId } from "./ids.ts";
import type { PathException } from "./path-scope.ts";

export const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypass", "auto"] as const;
export type Mode = (typeof modes)[number];

/** From the mode that allows least by itself to the one that allows most. */
export const modesByWidth: readonly Mode[] = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypass"];

/** Who decided. A closed list. */
export const decisionSources = [
  "managed",
  "command_line",
  "user",
  "project",
  "session",
  "mode",
  "hook",
  "classifier",
  "path_boundary",
  "tool_limit",
] as const;
export type DecisionSource = (typeof decisionSources)[number];

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: string;
  readonly source: DecisionSource;
  /** What a deny ends as. */
  readonly code?: "policy_denied" | "hook_denied" | "approval_unavailable";
  /** The rule as it was written, when a rule decided. */
  readonly rule?: string;
  readonly risk: Risk;
  /** An ask that no mode, hook or classifier may lift (rules, protected paths, `alwaysAsk`). */
  readonly firm: boolean;
  /** Paths inside permitted trees that stay closed. */
  readonly exceptions: readonly PathException[];
  /** The smallest rule that would turn this verdict into allow. */
  readonly suggestedRule?: string;
  readonly parts?: readonly (EffectPart & { readonly risk: Risk })[];
}

/** What a sandboxed process may see and touch. */
export interface SandboxProfile {
  /** Directories bound read-only or writable, resolved. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Bound read-only inside writable trees, ancestors pinned. */
  readonly protected: readonly string[];
  /** Hidden behind an empty file or directory. */
  readonly masked: readonly PathException[];
  readonly network: "none" | "host";
}

/** Single-use proof that the gate allowed exactly this. Only `gate/` makes one. */
export interface Permit {
  readonly intentId: IntentId;
  readonly digest: string;
  readonly effects: readonly Effect[];
  readonly exceptions: readonly PathException[];
  readonly command?: ShellCommand;
  readonly sandbox: SandboxProfile;
  readonly expiresAt: number;
}

/** Shown to whoever is asked. Everything a person needs to say yes or no to exactly this. */
export interface PermissionPrompt {
  readonly title: string;
  /** The exact command, or a description of the change, with control characters made visible. */
  readonly action: string;
  readonly effects: readonly string[];
  readonly risk: Risk;
  readonly reason: string;
  readonly sandbox: string;
  readonly outputLimit: string;
  readonly intentReason?: string;
  /** What "remember" would cover. */
  readonly suggestedRule?: string;
  readonly diff?: string;
}

/** One durable question; it serves every surface. */
export interface PermissionRequest {
  readonly id: RequestId;
  /** Where the command would run, when there is one. */
  readonly cwd?: string;
  readonly intentId: IntentId;
  readonly tool: string;
  readonly digest: string;
  readonly prompt: PermissionPrompt;
  readonly requestedAt: string;
  readonly expiresAt: string;
}

export interface PermissionAnswer {
  readonly request: RequestId;
  readonly answer: "allow" | "deny";
  /** `once` when absent. `session` stores the suggested rule as a grant of this session. */
  readonly remember?: "once" | "session";
  /** Handed to the model when denied. */
  readonly message?: string;
  readonly by?: string;
}

/** Answers a request, or says that nobody can. Must not throw. */
export type Asker = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer | "unavailable">;

/** A rule that a person granted for this session, remembered with what it was agreed for. */
export interface Grant {
  readonly rule: string;
  /** A command was agreed to in this directory, and in no other. */
  readonly cwd?: string;
  readonly request: RequestId;
  readonly expiresAt?: string;
}

export interface Explanation {
  readonly decision: Verdict["decision"];
  readonly risk: Risk;
  readonly reason: string;
  readonly source: DecisionSource | "refusal";
  readonly rule?: string;
  readonly code?: string;
  readonly effects: readonly Effect[];
  readonly parts?: Verdict["parts"];
  readonly suggestedRule?: string;
  readonly next?: { readonly tool: string; readonly input: Record<string, unknown> };
  readonly notes: readonly string[];
}
