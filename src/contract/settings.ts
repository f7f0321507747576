import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { UntrustedItem } from "./app/skill.ts";
import { efforts, modelFacts } from "./model.ts";
import type { WithReadonlyLists } from "./observation.ts";
import { type ServerEntry, serverName, serverSetting } from "./server/server.ts";
import { type Mode, modes } from "./verdict.ts";
import { checkKinds } from "./verification.ts";

const expires = lazy(() => z.union([z.iso.date(), z.iso.datetime({ offset: true })]));

const rule = lazy(() =>
  z.union([
    z.string(),
    z.strictObject({
      rule: z.string(),
      match: z.exactOptional(z.array(z.string())),
      noMatch: z.exactOptional(z.array(z.string())),
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

export const hookHandler = lazy(() =>
  z.strictObject({
    type: z.literal("command"),
    command: z.string().min(1),
    args: z.exactOptional(z.array(z.string())),
    if: z.exactOptional(z.string()),
    /** Seconds. */
    timeout: z.exactOptional(z.number().positive().max(600)),
    /** What a time-out, a crash or bad JSON means. Hooks that can refuse block unless they say `continue`. */
    onFailure: z.exactOptional(z.enum(["continue", "block"])),
    writes: z.exactOptional(z.boolean()),
    once: z.exactOptional(z.boolean()),
    statusMessage: z.exactOptional(z.string()),
  }),
);
export type HookHandler = z.infer<ReturnType<typeof hookHandler>>;

const hookGroup = lazy(() => z.strictObject({ matcher: z.exactOptional(z.string()), hooks: z.array(hookHandler()) }));

export const providerKinds = ["anthropic", "openai", "openai-chat", "openai-compatible", "google", "scripted"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** Keys are in the environment, never in a settings file. */
const provider = lazy(() =>
  z.strictObject({
    kind: z.enum(providerKinds),
    baseUrl: z.exactOptional(z.url({ protocol: /^https?$/ })),
    apiKeyEnv: z.exactOptional(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "expected the name of an environment variable" }),
    ),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    script: z.exactOptional(z.string()),
    models: z.exactOptional(z.record(z.string(), modelFacts())),
  }),
);
export type ProviderSetting = z.infer<ReturnType<typeof provider>>;

const longestDays = 24;
const longestMs = longestDays * 24 * 60 * 60 * 1_000;

const milliseconds = lazy(() =>
  z
    .number()
    .int()
    .positive()
    .max(longestMs, { error: `expected at most ${longestMs} milliseconds (${longestDays} days)` }),
);

const modelText = lazy(() => z.string().regex(/^[^/\s]+\/\S+$/, "write a model as provider/id"));

function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.exactOptional(z.strictObject(shape));
}

/** One settings file. Unknown keys are errors: a misspelt deny must not be silence. */
export const settingsFile = lazy(() =>
  z.strictObject({
    $schema: z.exactOptional(z.string()),
    permissions: section({
      allow: z.exactOptional(z.array(rule())),
      ask: z.exactOptional(z.array(rule())),
      deny: z.exactOptional(z.array(rule())),
      defaultMode: z.exactOptional(z.enum(modes)),
      additionalDirectories: z.exactOptional(z.array(z.string())),
    }),
    workspace: section({
      deniedPaths: z.exactOptional(z.array(z.string())),
      ignoreGlobs: z.exactOptional(z.array(z.string())),
    }),
    sandbox: section({
      backend: z.exactOptional(z.enum(["auto", "bubblewrap", "external", "none"])),
      toolchains: z.exactOptional(z.array(z.string())),
      passEnvironment: z.exactOptional(z.array(z.string())),
      strictSockets: z.exactOptional(z.boolean()),
      pids: z.exactOptional(z.number().int().min(16)),
      memoryBytes: z.exactOptional(z.number().int().min(16_777_216)),
    }),
    transactions: section({
      /** `auto`: wherever a view can be mounted. `on`: a command that may write is refused elsewhere. `off`: never. */
      use: z.exactOptional(z.enum(["auto", "on", "off"])),
      directory: z.exactOptional(z.string()),
      deleteLimit: z.exactOptional(z.number().int().nonnegative()),
      tryInPlan: z.exactOptional(z.boolean()),
    }),
    secrets: section({ hideCommitted: z.exactOptional(z.boolean()) }),
    network: section({
      /** `host:port`: these alone may lead to private addresses. Never from a project file. */
      privateHosts: z.exactOptional(
        z.array(
          z.string().regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?:[1-9][0-9]{0,4}$/, {
            error: 'expected host:port in small letters, such as "localhost:4873"',
          }),
        ),
      ),
    }),
    limits: section({
      turnChars: z.exactOptional(z.number().int().positive()),
      commandTimeoutMs: z.exactOptional(milliseconds()),
      foregroundMs: z.exactOptional(milliseconds()),
      approvalMs: z.exactOptional(milliseconds()),
      storeBytes: z.exactOptional(z.number().int().positive()),
    }),
    /** `provider/id`. Like everything about models, never from a project file. */
    model: z.exactOptional(modelText()),
    fallbackModels: z.exactOptional(z.array(modelText())),
    preferModel: z.exactOptional(z.enum(["order", "cost", "latency"])),
    effort: z.exactOptional(z.enum(efforts)),
    providers: z.exactOptional(z.record(z.string().regex(/^[a-z0-9][a-z0-9_-]*$/), provider())),
    run: section({
      maxTurns: z.exactOptional(z.number().int().positive()),
      maxCostUsd: z.exactOptional(z.number().positive()),
      maxTokens: z.exactOptional(z.number().int().positive()),
      maxMs: z.exactOptional(z.number().int().positive()),
    }),
    context: section({
      compactAt: z.exactOptional(z.number().min(0.1).max(0.95)),
      instructionBytes: z.exactOptional(z.number().int().nonnegative()),
    }),
    verification: section({
      commands: z.exactOptional(z.array(z.strictObject({ kind: z.enum(checkKinds), command: z.string().min(1) }))),
    }),
    log: section({ sync: z.exactOptional(z.enum(["normal", "full"])) }),
    mcpServers: z.exactOptional(z.record(serverName(), serverSetting())),
    tools: section({
      deferAbove: z.exactOptional(z.number().int().positive()),
      deferShare: z.exactOptional(z.number().positive().max(1)),
    }),
    features: z.exactOptional(z.record(z.string(), z.boolean())),
    hooks: z.exactOptional(z.partialRecord(z.enum(hookEvents), z.array(hookGroup()))),
    /** Items of project files that may take effect, by their hash. Never from a project file. */
    trust: z.exactOptional(
      z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/, { error: "expected a hash, as `gauntlet trust` shows it" })),
    ),
  }),
);
export type SettingsFile = z.infer<ReturnType<typeof settingsFile>>;

export const layerNames = ["managed", "command_line", "user_project", "project", "user"] as const;
export type LayerName = (typeof layerNames)[number];

export interface RuleText {
  readonly text: string;
  readonly action: "allow" | "ask" | "deny";
  readonly layer: LayerName | "session";
  readonly origin: string;
  readonly match: readonly string[];
  readonly noMatch: readonly string[];
  /** ISO date or time. */
  readonly expires?: string;
  /** Without it, an allow rule of a project has no effect. */
  readonly trusted?: true;
}

export interface HookSetting {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly handler: HookHandler;
  readonly layer: LayerName;
  readonly origin: string;
}

export interface ChangedItem {
  readonly hash: string;
  readonly formerly: readonly string[];
  readonly detail: string;
}

export interface IdleServer {
  readonly entry: ServerEntry;
  readonly because: "disabled" | "untrusted" | "overridden";
  readonly detail: string;
  readonly hash?: string;
  readonly formerly?: readonly string[];
}

export interface BrokenServer {
  readonly name?: string;
  readonly origin: string;
  readonly problem: string;
}

type SettingsSection<Name extends keyof SettingsFile> = WithReadonlyLists<NonNullable<SettingsFile[Name]>>;
type FilledSection<Name extends keyof SettingsFile, Left extends keyof SettingsSection<Name> = never> = Required<
  Omit<SettingsSection<Name>, Left>
> &
  Pick<SettingsSection<Name>, Left>;

export type RunLimits = SettingsSection<"run">;

/** All layers merged. */
export interface Settings {
  readonly rules: readonly RuleText[];
  readonly mode: Mode;
  /** The widest mode that managed policy allows. */
  readonly modeCeiling?: Mode;
  readonly roots: readonly string[];
  /** One of the roots: the repository around a workspace that is a part of it. */
  readonly repository?: string;
  /** Read from `.npmrc`. */
  readonly npmRegistry?: { readonly host: string; readonly port?: number };
  readonly deniedPaths: readonly string[];
  readonly ignoreGlobs: readonly string[];
  readonly sandbox: FilledSection<"sandbox", "strictSockets" | "pids" | "memoryBytes">;
  readonly transactions: FilledSection<"transactions", "directory">;
  readonly secrets: FilledSection<"secrets">;
  readonly network: FilledSection<"network">;
  readonly limits: FilledSection<"limits">;
  readonly models: Pick<SettingsFile, "model" | "effort"> & {
    readonly fallback: readonly string[];
    readonly prefer: NonNullable<SettingsFile["preferModel"]>;
    readonly providers: Readonly<Record<string, ProviderSetting>>;
  };
  readonly run: RunLimits;
  readonly context: FilledSection<"context">;
  readonly verification: FilledSection<"verification">;
  readonly log: FilledSection<"log">;
  readonly features: Readonly<Record<string, boolean>>;
  /** MCP servers in force, none disabled: of a project only those that are trusted. */
  readonly servers: readonly ServerEntry[];
  readonly idleServers: readonly IdleServer[];
  readonly brokenServers: readonly BrokenServer[];
  readonly tools: FilledSection<"tools">;
  /** In force, strongest layer first. */
  readonly hooks: readonly HookSetting[];
  readonly untrusted: readonly UntrustedItem[];
  /** Hooks whose earlier version was trusted. */
  readonly changedHooks?: readonly ChangedItem[];
  readonly trusted: readonly UntrustedItem[];
  /** All trusted hashes, also of items that are no longer present. */
  readonly trust: readonly string[];
  readonly layers: readonly { readonly name: LayerName; readonly path: string; readonly hash: string }[];
  readonly notices: readonly string[];
}

export function heldName(
  name: string,
  settings: Pick<Settings, "brokenServers" | "idleServers" | "layers" | "servers">,
): string | undefined {
  const { brokenServers, idleServers, layers, servers } = settings;
  const off = idleServers.find(({ entry, because }) => because === "disabled" && entry.name === name);
  if (off !== undefined) return `${off.entry.origin} disables that name`;
  const managed = layers.find((layer) => layer.name === "managed")?.path;
  const isHeld = [...servers, ...brokenServers].some((one) => one.name === name && one.origin === managed);
  return isHeld ? `${managed} has a server of the same name` : undefined;
}
