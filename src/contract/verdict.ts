import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { Effect, EffectPart, PathException, Risk, ShellCommand } from "./effect.ts";
import type { IntentId, RequestId } from "./ids.ts";
import type { NetworkProfile } from "./network.ts";

export const modes = ["default", "acceptEdits", "plan", "dontAsk", "bypass", "auto"] as const;
export type Mode = (typeof modes)[number];

/** From the strictest mode to the widest. */
export const modesByWidth: readonly Mode[] = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypass"];

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
  readonly apply?: "after_run";
  readonly code?: "policy_denied" | "hook_denied" | "approval_unavailable";
  /** The hooks that refused only by failing. */
  readonly failedHooks?: readonly string[];
  readonly rule?: string;
  readonly ruleOrigin?: string;
  readonly risk: Risk;
  /** An ask that no mode, hook or classifier may lift (rules, protected paths, `alwaysAsk`). */
  readonly firm: boolean;
  readonly recovery?: string;
  readonly exceptions: readonly PathException[];
  /** The smallest rules that would together turn this verdict into allow, one for each simple command that needs one. */
  readonly suggestedRules?: readonly string[];
  readonly opens?: true;
  readonly suggestedFor?: string;
  readonly parts?: readonly VerdictPart[];
  readonly hooked?: HookAnswer;
  /** Only with a deny: a hook wants another input, which has to be validated and judged by itself. */
  readonly revision?: InputRevision;
}

export interface VerdictPart extends EffectPart {
  readonly risk: Risk;
  readonly decision: Verdict["decision"];
  readonly coveredBy: readonly string[];
}

export interface SandboxProfile {
  /** The command was fully parsed, only reads, and does not run git. */
  readonly onlyReads?: true;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Bound read-only inside writable trees, ancestors pinned. */
  readonly protected: readonly string[];
  /** Of `writable`, what stays so although a tree around it is protected. */
  readonly opened?: readonly string[];
  /** Hidden behind an empty file or directory. */
  readonly masked: readonly PathException[];
  /** Closed paths that git would record as emptied if it found a stand-in for them. */
  readonly kept?: {
    readonly paths: readonly PathException[];
    /** Nothing that could read them runs beside git. */
    readonly alone: boolean;
  };
  /** What it writes goes to a copy-on-write view of `writable`, which is judged after the command. */
  readonly view?: true;
  readonly beside?: { readonly directories: readonly string[]; readonly paths: readonly string[] };
  /** A network namespace of its own in both cases. With a profile, our proxy is the one way out of it. */
  readonly network: "none" | NetworkProfile;
  readonly scratch?: string;
  /** It sees the package caches of the home directory. Only without a network: with one it has its own caches. */
  readonly caches?: true;
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

export interface ListedChange {
  readonly path: string;
  readonly line: string;
}

export interface PermissionPrompt {
  readonly title: string;
  readonly call?: string;
  /** Description of an external tool, in one line. Approving a call of a server's tool approves it as well. */
  readonly about?: string;
  /** The exact command, or a description of the change, with control characters made visible. */
  readonly action: string;
  readonly effects: readonly string[];
  readonly risk: Risk;
  readonly reason: string;
  readonly sandbox: string;
  readonly outputLimit: string;
  readonly intentReason?: string;
  readonly parts?: readonly string[];
  readonly suggestedRules?: readonly string[];
  readonly opens?: true;
  readonly savesTo?: string;
  readonly diff?: string;
  /** The command has run: the question is which of these changes are kept. A part of them can be chosen. */
  readonly changes?: readonly ListedChange[];
  readonly ended?: string;
}

export interface PermissionRequest {
  readonly id: RequestId;
  readonly cwd?: string;
  readonly intentId: IntentId;
  readonly tool: string;
  readonly digest: string;
  readonly prompt: PermissionPrompt;
  readonly requestedAt: string;
  readonly expiresAt: string;
}

export const remembers = ["once", "session", "always"] as const;
export type Remember = (typeof remembers)[number];

/** Answers a request, or returns `unavailable`. Must not throw. */
export type Asker = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer | "unavailable">;

export interface Grant {
  readonly rule: string;
  /** A command was agreed to where it runs in this directory, and in no other. */
  readonly cwd?: string;
  readonly request: RequestId;
  readonly expiresAt?: string;
}

export interface Explanation
  extends Pick<Verdict, "decision" | "risk" | "apply" | "reason" | "rule" | "ruleOrigin" | "parts" | "suggestedRules"> {
  readonly mode?: Mode;
  readonly source: DecisionSource | "refusal";
  readonly code?: string;
  readonly effects: readonly Effect[];
  readonly next?: { readonly tool: string; readonly input: Record<string, unknown> };
  readonly notes: readonly string[];
}

/** What a hook wants the model to read with the result. Data, like everything that a program says. */
export interface HookRemark {
  readonly hook: string;
  readonly text: string;
}

export interface InputRevision {
  readonly hook: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type HookAnswer = (
  | { readonly decision: "none" }
  | { readonly decision: "allow" | "ask" | "deny"; readonly reason: string }
) & {
  readonly revision?: InputRevision;
  readonly remarks?: readonly HookRemark[];
  readonly failed?: readonly string[];
  readonly stop?: string;
};

const fileEffect = /^(?:reads|lists|writes|deletes|keeps) \//;

/** Anything but a file tool's question counts as a command and is shown in full. */
export function touchesFilesOnly({ tool, prompt }: Pick<PermissionRequest, "tool" | "prompt">): boolean {
  return prompt.title === `Allow ${tool}?` && prompt.effects.every((effect) => fileEffect.test(effect));
}

export const sessionEffects = {
  readOutput: (job: string) => `read the output of ${job}`,
  stopJob: (job: string) => `stop ${job}`,
  readArtifact: (artifact: string) => `read artifact ${artifact}`,
  listSkills: "list skills",
  readSkill: (skill: string) => `read the skill ${skill}`,
  followSkill: (skill: string) => `follow the skill ${skill}`,
  loadTools: "load tools",
} as const;

/** Exact match: a similar effect was not approved. */
export function permitsSession({ effects }: Pick<Permit, "effects">, what: string): boolean {
  return effects.some((effect) => effect.op === "session" && effect.what === what);
}

/** Untrusted input from a client. */
export const permissionAnswer = lazy(() =>
  z.object({
    request: z.string(),
    answer: z.enum(["allow", "deny"]),
    remember: z.exactOptional(z.enum(remembers)),
    only: z.exactOptional(z.array(z.string()).readonly()),
    message: z.exactOptional(z.string()),
    by: z.exactOptional(z.string()),
  }),
);
export type PermissionAnswer = Readonly<z.infer<ReturnType<typeof permissionAnswer>>>;
