import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { UntrustedItem } from "./app/skill.ts";
import { type Effort, efforts } from "./model.ts";
import { type ServerEntry, serverName, serverSetting } from "./server/server.ts";
import { modes } from "./verdict.ts";
import { type CheckKind, checkKinds } from "./verification.ts";

/** A day counts to its end, in UTC. */
const expires = lazy(() => z.union([z.iso.date(), z.iso.datetime({ offset: true })]));

const rule = lazy(() =>
  z.union([
    z.string(),
    z.strictObject({
      rule: z.string(),
      match: z.exactOptional(z.array(z.string())),
      noMatch: z.exactOptional(z.array(z.string())),
      /** From then on the rule has no effect. */
      expires: z.exactOptional(expires()),
    }),
  ]),
);
export type RuleSetting = z.infer<ReturnType<typeof rule>>;

export const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "Notification",
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** A program that a person set up, as it stands in a settings file. Keys that are not ours are kept out loudly. */
export const hookHandler = lazy(() =>
  z.strictObject({
    type: z.literal("command"),
    command: z.string().min(1),
    /** Exec form: the program and its arguments, without a shell. */
    args: z.exactOptional(z.array(z.string())),
    /** A permission rule; the hook runs only for calls that it matches. */
    if: z.exactOptional(z.string()),
    /** Seconds. */
    timeout: z.exactOptional(z.number().positive().max(600)),
    /** What a time-out, a crash or bad JSON means. Hooks that can refuse block unless they say `continue`. */
    onFailure: z.exactOptional(z.enum(["continue", "block"])),
    /** May write inside the workspace. Only after a tool has run. */
    writes: z.exactOptional(z.boolean()),
    once: z.exactOptional(z.boolean()),
    statusMessage: z.exactOptional(z.string()),
  }),
);
export type HookHandler = z.infer<ReturnType<typeof hookHandler>>;

const hookGroup = lazy(() => z.strictObject({ matcher: z.exactOptional(z.string()), hooks: z.array(hookHandler()) }));

const usd = lazy(() => z.number().nonnegative());

/** What is known of a model, where it differs from what its provider's kind says of all. */
const modelFacts = lazy(() =>
  z.strictObject({
    contextTokens: z.exactOptional(z.number().int().positive()),
    maxOutputTokens: z.exactOptional(z.number().int().positive()),
    toolCalls: z.exactOptional(z.boolean()),
    parallelToolCalls: z.exactOptional(z.boolean()),
    jsonSchema: z.exactOptional(z.boolean()),
    reasoningSummary: z.exactOptional(z.boolean()),
    vision: z.exactOptional(z.boolean()),
    latency: z.exactOptional(z.enum(["low", "medium", "high"])),
    /** US dollars for a million tokens. */
    price: z.exactOptional(
      z.strictObject({
        input: usd(),
        output: usd(),
        cacheRead: z.exactOptional(usd()),
        cacheWrite: z.exactOptional(usd()),
      }),
    ),
  }),
);
export type ModelFacts = z.infer<ReturnType<typeof modelFacts>>;

export const providerKinds = ["anthropic", "openai", "openai-chat", "openai-compatible", "google", "scripted"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** Somewhere that models can be asked. Keys stand in the environment, never in a file of ours. */
const provider = lazy(() =>
  z.strictObject({
    kind: z.enum(providerKinds),
    baseUrl: z.exactOptional(z.url({ protocol: /^https?$/ })),
    /** Environment variable with the key; the kind's usual one when absent. */
    apiKeyEnv: z.exactOptional(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "expected the name of an environment variable" }),
    ),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    /** Only `scripted`: the file with what the model says. */
    script: z.exactOptional(z.string()),
    models: z.exactOptional(z.record(z.string(), modelFacts())),
  }),
);
export type ProviderSetting = z.infer<ReturnType<typeof provider>>;

const longestDays = 24;
const longestMs = longestDays * 24 * 60 * 60 * 1_000;

/** No timer waits a day longer, and some wait for more than what is written. */
const milliseconds = lazy(() =>
  z
    .number()
    .int()
    .positive()
    .max(longestMs, { error: `expected at most ${longestMs} milliseconds (${longestDays} days)` }),
);

const modelText = lazy(() => z.string().regex(/^[^/\s]+\/\S+$/, "write a model as provider/id"));

/** One settings file. Unknown keys are errors: a misspelt deny must not be silence. */
export const settingsFile = lazy(() =>
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    permissions: z.exactOptional(
      z.strictObject({
        allow: z.exactOptional(z.array(rule())),
        ask: z.exactOptional(z.array(rule())),
        deny: z.exactOptional(z.array(rule())),
        defaultMode: z.exactOptional(z.enum(modes)),
        additionalDirectories: z.exactOptional(z.array(z.string())),
      }),
    ),
    workspace: z.exactOptional(
      z.strictObject({
        deniedPaths: z.exactOptional(z.array(z.string())),
        ignoreGlobs: z.exactOptional(z.array(z.string())),
      }),
    ),
    sandbox: z.exactOptional(
      z.strictObject({
        backend: z.exactOptional(z.enum(["auto", "bubblewrap", "external", "none"])),
        toolchains: z.exactOptional(z.array(z.string())),
        passEnvironment: z.exactOptional(z.array(z.string())),
        /** No unix sockets for commands, and so no network. Some tools cannot work like that. */
        strictSockets: z.exactOptional(z.boolean()),
        /** Processes and threads of all commands together. */
        pids: z.exactOptional(z.number().int().min(16)),
        /** Memory of all commands together, where the machine can limit it. */
        memoryBytes: z.exactOptional(z.number().int().min(16_777_216)),
      }),
    ),
    transactions: z.exactOptional(
      z.strictObject({
        /** `auto`: wherever a view can be mounted. `on`: a command that may write is refused elsewhere. `off`: never. */
        use: z.exactOptional(z.enum(["auto", "on", "off"])),
        /** Where views are kept, when the state directory cannot hold them. */
        directory: z.exactOptional(z.string()),
        /** In auto mode, more deleted files than this are asked about. */
        deleteLimit: z.exactOptional(z.number().int().nonnegative()),
        /** In plan mode, commands that may write run on a view too. What they change is shown and discarded. */
        tryInPlan: z.exactOptional(z.boolean()),
      }),
    ),
    secrets: z.exactOptional(
      z.strictObject({
        /**
         * Files with a secret's name are hidden even when they are committed. Git then cannot add, compare or stash
         * them beside other programs, tests cannot read their keys, and a project's .npmrc with a token has no effect.
         */
        hideCommitted: z.exactOptional(z.boolean()),
      }),
    ),
    network: z.exactOptional(
      z.strictObject({
        /** `host:port`: these alone may lead to private addresses. Never from a project file. */
        privateHosts: z.exactOptional(
          z.array(
            z.string().regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?:[1-9][0-9]{0,4}$/, {
              error: 'expected host:port in small letters, such as "localhost:4873"',
            }),
          ),
        ),
      }),
    ),
    limits: z.exactOptional(
      z.strictObject({
        turnChars: z.exactOptional(z.number().int().positive()),
        commandTimeoutMs: z.exactOptional(milliseconds()),
        foregroundMs: z.exactOptional(milliseconds()),
        approvalMs: z.exactOptional(milliseconds()),
        storeBytes: z.exactOptional(z.number().int().positive()),
      }),
    ),
    /** `provider/id`. Like everything about models, never from a project file. */
    model: z.exactOptional(modelText()),
    /** Asked in this order when the model before it cannot answer. */
    fallbackModels: z.exactOptional(z.array(modelText())),
    /** How the first one is chosen when `model` names none. */
    preferModel: z.exactOptional(z.enum(["order", "cost", "latency"])),
    effort: z.exactOptional(z.enum(efforts)),
    providers: z.exactOptional(z.record(z.string().regex(/^[a-z0-9][a-z0-9_-]*$/), provider())),
    run: z.exactOptional(
      z.strictObject({
        maxTurns: z.exactOptional(z.number().int().positive()),
        maxCostUsd: z.exactOptional(z.number().positive()),
        maxTokens: z.exactOptional(z.number().int().positive()),
        maxMs: z.exactOptional(z.number().int().positive()),
      }),
    ),
    context: z.exactOptional(
      z.strictObject({
        /** Share of the model's context from which on older history is replaced by its facts. */
        compactAt: z.exactOptional(z.number().min(0.1).max(0.95)),
        /** Bytes of AGENTS.md and its like, all together. */
        instructionBytes: z.exactOptional(z.number().int().nonnegative()),
      }),
    ),
    /** Commands that check the work, beside those that are known or found in project files. */
    verification: z.exactOptional(
      z.strictObject({
        commands: z.exactOptional(z.array(z.strictObject({ kind: z.enum(checkKinds), command: z.string().min(1) }))),
      }),
    ),
    log: z.exactOptional(z.strictObject({ sync: z.exactOptional(z.enum(["normal", "full"])) })),
    /** MCP servers, in the form that `.mcp.json` has. From a project only after somebody trusts exactly that entry. */
    mcpServers: z.exactOptional(z.record(serverName(), serverSetting())),
    tools: z.exactOptional(
      z.strictObject({
        /** With more tools than this, those that may be left out are listed by name only. */
        deferAbove: z.exactOptional(z.number().int().positive()),
        /** The same for their share of the model's context. */
        deferShare: z.exactOptional(z.number().positive().max(1)),
      }),
    ),
    features: z.exactOptional(z.record(z.string(), z.boolean())),
    hooks: z.exactOptional(z.partialRecord(z.enum(hookEvents), z.array(hookGroup()))),
    /** Items of project files that may take effect, by their hash. Never from a project file. */
    trust: z.exactOptional(
      z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/, { error: "expected a hash, as `gauntlet trust` shows it" })),
    ),
  }),
);
export type SettingsFile = z.infer<ReturnType<typeof settingsFile>>;

/** Strongest first. */
export const layerNames = ["managed", "command_line", "user_project", "project", "user"] as const;
export type LayerName = (typeof layerNames)[number];

export interface RuleText {
  readonly text: string;
  readonly action: "allow" | "ask" | "deny";
  readonly layer: LayerName | "session";
  /** File it came from, or what stood for one. */
  readonly origin: string;
  readonly match: readonly string[];
  readonly noMatch: readonly string[];
  /** ISO date or time from which on it has no effect. */
  readonly expires?: string;
  /** A person trusts this very rule of a project. Without it an allow rule of a project has no effect. */
  readonly trusted?: true;
}

/** One hook with where it came from. */
export interface HookSetting {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly handler: HookHandler;
  readonly layer: LayerName;
  readonly origin: string;
}

/** An item that was trusted as something else. */
export interface ChangedItem {
  readonly hash: string;
  /** What was trusted and is not there any more: hashes, the latest last. */
  readonly formerly: readonly string[];
  /** In a sentence without its end, for people: what differs. */
  readonly detail: string;
}

/** A server that is configured and will not be started. */
export interface IdleServer {
  readonly entry: ServerEntry;
  readonly because: "disabled" | "untrusted" | "overridden";
  /** In a sentence without its end, for people. */
  readonly detail: string;
  /** Of the item that somebody may trust. */
  readonly hash?: string;
  /** What was trusted under its name and is not there any more: hashes, the latest last. */
  readonly formerly?: readonly string[];
}

/** An entry that cannot be read as a server. It is left out, and everything beside it goes on. */
export interface BrokenServer {
  /** Absent: no saying which, because none of the file can be read. */
  readonly name?: string;
  readonly origin: string;
  /** With its place in the file. */
  readonly problem: string;
}

/** All layers folded, each value with where it came from. */
export interface Settings {
  readonly rules: readonly RuleText[];
  readonly mode: Mode;
  /** The widest mode that managed policy leaves open. */
  readonly modeCeiling?: Mode;
  readonly roots: readonly string[];
  /** One of the roots: the repository around a workspace that is a part of it. Changing it beside the workspace asks. */
  readonly repository?: string;
  /** Read from `.npmrc`. */
  readonly npmRegistry?: { readonly host: string; readonly port?: number };
  readonly deniedPaths: readonly string[];
  readonly ignoreGlobs: readonly string[];
  readonly sandbox: {
    readonly backend: "auto" | "bubblewrap" | "external" | "none";
    readonly toolchains: readonly string[];
    readonly passEnvironment: readonly string[];
    readonly strictSockets?: boolean;
    readonly pids?: number;
    readonly memoryBytes?: number;
  };
  readonly transactions: {
    readonly use: "auto" | "on" | "off";
    readonly directory?: string;
    readonly deleteLimit: number;
    readonly tryInPlan: boolean;
  };
  readonly secrets: { readonly hideCommitted: boolean };
  readonly network: { readonly privateHosts: readonly string[] };
  readonly limits: {
    readonly turnChars: number;
    readonly commandTimeoutMs: number;
    readonly foregroundMs: number;
    readonly approvalMs: number;
    readonly storeBytes: number;
  };
  readonly models: {
    /** `provider/id`. */
    readonly model?: string;
    readonly fallback: readonly string[];
    readonly prefer: "order" | "cost" | "latency";
    readonly effort?: Effort;
    readonly providers: Readonly<Record<string, ProviderSetting>>;
  };
  readonly run: RunLimits;
  readonly context: { readonly compactAt: number; readonly instructionBytes: number };
  readonly verification: { readonly commands: readonly { readonly kind: CheckKind; readonly command: string }[] };
  readonly log: { readonly sync: "normal" | "full" };
  readonly features: Readonly<Record<string, boolean>>;
  /** MCP servers in force, none disabled: of a project only those that are trusted. */
  readonly servers: readonly ServerEntry[];
  /** Those that stand in a file and are not in force. */
  readonly idleServers: readonly IdleServer[];
  readonly brokenServers: readonly BrokenServer[];
  readonly tools: { readonly deferAbove: number; readonly deferShare: number };
  /** In force, strongest layer first. */
  readonly hooks: readonly HookSetting[];
  /** What the project asks for and does not get. */
  readonly untrusted: readonly UntrustedItem[];
  /** The hooks among them that somebody trusted as something else. */
  readonly changedHooks?: readonly ChangedItem[];
  /** What the project asks for and gets, because a person trusts it. */
  readonly trusted: readonly UntrustedItem[];
  /** Hashes of all that a person trusts, whether it lies here or not. */
  readonly trust: readonly string[];
  readonly layers: readonly { readonly name: LayerName; readonly path: string; readonly hash: string }[];
  /** Things a person should know: what a project file tried to widen and did not. */
  readonly notices: readonly string[];
}

type Mode = (typeof modes)[number];

/**
 * Why no server from elsewhere gets this name, in a sentence without its end: managed policy gives it out, or somebody
 * switched off what had it. For every other name whoever opens a session has the last word.
 */
export function heldName(
  name: string,
  settings: Pick<Settings, "brokenServers" | "idleServers" | "layers" | "servers">,
): string | undefined {
  const { brokenServers, idleServers, layers, servers } = settings;
  const off = idleServers.find(({ entry, because }) => because === "disabled" && entry.name === name);
  if (off !== undefined) return `${off.entry.origin} switches that name off`;
  const managed = layers.find((layer) => layer.name === "managed")?.path;
  const isHeld = [...servers, ...brokenServers].some((one) => one.name === name && one.origin === managed);
  return isHeld ? `${managed} has one of the same name` : undefined;
}

/** What a run may use up. Absent: no limit of that kind. */
export interface RunLimits {
  /** Model requests that led to an answer. */
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** Input and output together. */
  readonly maxTokens?: number;
  readonly maxMs?: number;
}
