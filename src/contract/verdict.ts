import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { Effect, EffectPart, PathException, Risk, ShellCommand } from "./effect.ts";
import type { IntentId, RequestId } from "./ids.ts";
import type { NetworkProfile } from "./network.ts";

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
  /** Of a command that runs on a view: whether its changes are applied is decided when it has ended. */
  readonly apply?: "after_run";
  /** What a deny ends as. */
  readonly code?: "policy_denied" | "hook_denied" | "approval_unavailable";
  /** The hooks that refused only by failing. */
  readonly failedHooks?: readonly string[];
  /** The rule as it was written, when a rule decided. */
  readonly rule?: string;
  /** The file that the rule stands in, or what stood for one. */
  readonly ruleOrigin?: string;
  readonly risk: Risk;
  /** An ask that no mode, hook or classifier may lift (rules, protected paths, `alwaysAsk`). */
  readonly firm: boolean;
  /** Of what no rule lifts: what to do instead, or what a person can do so that it is not asked or refused any more. */
  readonly recovery?: string;
  /** Paths inside permitted trees that stay closed. */
  readonly exceptions: readonly PathException[];
  /** The smallest rules that would together turn this verdict into allow, one for each simple command that needs one. */
  readonly suggestedRules?: readonly string[];
  /** They name places outside the workspace: a yes holds for the session. */
  readonly opens?: true;
  /** The directory in which the commands that they name would run. */
  readonly suggestedFor?: string;
  readonly parts?: readonly VerdictPart[];
  /** What hooks said beside their decision. */
  readonly hooked?: HookAnswer;
  /** Only with a deny: a hook wants another input, which has to be validated and judged by itself. */
  readonly revision?: InputRevision;
}

/** One simple command with how it fared. */
export interface VerdictPart extends EffectPart {
  readonly risk: Risk;
  /** `allow`: nothing of it needs more than it has. Otherwise it is what holds the call back. */
  readonly decision: Verdict["decision"];
  /** The allow rules that speak for it. */
  readonly coveredBy: readonly string[];
}

/** What a sandboxed process may see and touch. */
export interface SandboxProfile {
  /** Every word of the command was understood, it only reads, and git is none of it. */
  readonly onlyReads?: true;
  /** Directories bound read-only or writable, resolved. */
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
  /** On a view: paths outside the workspace that a user agreed to have changed, and the directories of `writable` around them. */
  readonly beside?: { readonly directories: readonly string[]; readonly paths: readonly string[] };
  /** A network namespace of its own in both cases. With a profile, our proxy is the one way out of it. */
  readonly network: "none" | NetworkProfile;
  /** A directory of the host that holds what is found at `/tmp` and `/var/tmp`; empty ones of its own when absent. */
  readonly scratch?: string;
  /** It is shown what package managers keep in the person's home. Without a network only: with one it has its own. */
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

/** One entry that a command changed, and how it is listed. */
export interface ListedChange {
  readonly path: string;
  readonly line: string;
}

/** Shown to whoever is asked. Everything a person needs to say yes or no to exactly this. */
export interface PermissionPrompt {
  readonly title: string;
  /** The call in a few words, as whoever watches is told of it; not where a command says it better. */
  readonly call?: string;
  /** What a tool that is not ours says of itself, in one line. A yes to a server's tool agrees to these words as well. */
  readonly about?: string;
  /** The exact command, or a description of the change, with control characters made visible. */
  readonly action: string;
  readonly effects: readonly string[];
  readonly risk: Risk;
  readonly reason: string;
  readonly sandbox: string;
  readonly outputLimit: string;
  readonly intentReason?: string;
  /** Each simple command of a compound, and why it needs agreement or not. */
  readonly parts?: readonly string[];
  /** What "remember" would cover: all of these rules and nothing else. */
  readonly suggestedRules?: readonly string[];
  /** They name places outside the workspace: a yes is one for the session. */
  readonly opens?: true;
  /** The file that `always` would write them to; absent where nothing can be saved. */
  readonly savesTo?: string;
  /** What would change in which files, or one line that says why that is not shown; control characters made visible. */
  readonly diff?: string;
  /** The command has run: the question is which of these changes are kept. A part of them can be chosen. */
  readonly changes?: readonly ListedChange[];
  /** The command has run: how it ended, then the last lines that it printed, each marked. */
  readonly ended?: string;
}

/** One durable question; it serves every surface. */
export interface PermissionRequest {
  readonly id: RequestId;
  /** Where the commands that need agreement would run, when there are any. */
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

/** What became of the wish to be remembered. */
export interface Remembered {
  readonly scope: Remember;
  readonly rules: readonly string[];
  /** The file that holds them now. */
  readonly path?: string;
  /** Why it covers less than was asked for. */
  readonly problem?: string;
}

export interface PermissionAnswer {
  readonly request: RequestId;
  readonly answer: "allow" | "deny";
  /** When absent `once`, or `session` where the prompt `opens`. `session` grants the suggested rules for this session, `always` also saves them. */
  readonly remember?: Remember;
  /** Of what a command changed, only these paths and what lies below them. */
  readonly only?: readonly string[];
  /** Handed to the model when denied. */
  readonly message?: string;
  readonly by?: string;
}

/** Answers a request, or says that nobody can. Must not throw. */
export type Asker = (request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer | "unavailable">;

/** A rule that a person granted for this session, remembered with what it was agreed for. */
export interface Grant {
  readonly rule: string;
  /** A command was agreed to where it runs in this directory, and in no other. */
  readonly cwd?: string;
  readonly request: RequestId;
  readonly expiresAt?: string;
}

export interface Explanation {
  readonly decision: Verdict["decision"];
  readonly risk: Risk;
  readonly apply?: Verdict["apply"];
  /** The mode that it was judged in. */
  readonly mode?: Mode;
  readonly reason: string;
  readonly source: DecisionSource | "refusal";
  readonly rule?: string;
  readonly ruleOrigin?: string;
  readonly code?: string;
  readonly effects: readonly Effect[];
  readonly parts?: Verdict["parts"];
  readonly suggestedRules?: readonly string[];
  readonly next?: { readonly tool: string; readonly input: Record<string, unknown> };
  readonly notes: readonly string[];
}

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

const fileEffect = /^(?:reads|lists|writes|deletes|keeps) \//;

/**
 * No process runs, so no sandbox holds one. Whatever does not look exactly like a file tool's question counts
 * as a command and is shown in full.
 */
export function touchesFilesOnly({ tool, prompt }: Pick<PermissionRequest, "tool" | "prompt">): boolean {
  return prompt.title === `Allow ${tool}?` && prompt.effects.every((effect) => fileEffect.test(effect));
}

/** What a call does with its session: a tool declares it, and its permit has to name it before that part is reached. */
export const sessionEffects = {
  readOutput: (job: string) => `read the output of ${job}`,
  stopJob: (job: string) => `stop ${job}`,
  readArtifact: (artifact: string) => `read artifact ${artifact}`,
  listSkills: "list skills",
  readSkill: (skill: string) => `read the skill ${skill}`,
  followSkill: (skill: string) => `follow the skill ${skill}`,
  loadTools: "load tools",
} as const;

/** Word for word: what is like it was not agreed to. */
export function permitsSession({ effects }: Pick<Permit, "effects">, what: string): boolean {
  return effects.some((effect) => effect.op === "session" && effect.what === what);
}

/** What may come back from whoever was asked. Somebody else wrote it. */
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
