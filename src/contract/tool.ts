import { z } from "zod";
import { lazy } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import type { ArtifactRef, OutputStream } from "./artifact.ts";
import type { Failure } from "./codes.ts";
import type { EffectReport } from "./effect.ts";
import type { EffectView, PreconditionView, SandboxDescription, ToolContext } from "./ports.ts";
import type { JsonSchema, Ownership, ToolFamily, ToolRisk, ToolSource } from "./tool-facts.ts";
import type { Mode } from "./verdict.ts";

export type { JsonSchema, Ownership, ToolFamily, ToolRisk, ToolSource } from "./tool-facts.ts";

/** The part of Standard Schema that we rely on; zod and others satisfy it. */
export interface InputSchema<Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Input> | Promise<SchemaResult<Input>>;
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
  };
}

export type SchemaResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Calls in the `safe` lane run side by side, calls with the same key one after another, `exclusive` ones alone. */
export type Concurrency = "safe" | "exclusive" | { readonly key: string };

export interface VisibilityContext {
  readonly mode: Mode;
  /** Where the task stands, in the words of whoever runs it: `explore`, `implement`, `review` … */
  readonly phase?: string;
  readonly sandbox: SandboxDescription;
  readonly hasWorkspace: boolean;
  /** For a session with a model: what it was brought of the tools that may be left out, and what it can take. */
  readonly deferral?: Deferral;
  /** There are too many tools for all of them to be shown. */
  readonly deferring?: boolean;
  readonly hasSkills?: boolean;
  /** Somebody names it in a message: what is for people to choose is there for them, and for no model. */
  readonly forPerson?: boolean;
  /** A skill that is being followed leaves only its tools. */
  readonly skill?: SkillLimit;
}

export interface SkillLimit {
  readonly name: string;
  /** Absent: it leaves all. */
  readonly allowedTools?: readonly string[];
  /** Skills that were being followed when it was taken up. */
  readonly within?: readonly SkillLimit[];
}

export interface Deferral {
  /** Grows at its end only. */
  readonly loaded: readonly string[];
  readonly contextTokens: number;
  readonly above: number;
  readonly share: number;
}

export type Visibility =
  | { readonly visible: true }
  /** With what to do instead, where that is more than to change the mode. */
  | { readonly visible: false; readonly reason: string; readonly recovery?: string };

/** What a tool returns: everything, untruncated. A failure may still carry data (a command that exited with 1). */
export type RawResult<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly failure: Failure; readonly data?: Data };

export interface NextStep {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Complete content for the model face; `observation/` alone bounds it. */
export type ContentDraft =
  | { readonly format: "text" | "json" | "diff"; readonly text: string; readonly label?: string }
  | { readonly format: "stream"; readonly stream: OutputStream; readonly label: string };

export interface Summary {
  readonly title: string;
  /** One sentence of fact. Never a guess about causes. */
  readonly summary: string;
  readonly model: readonly ContentDraft[];
  readonly user: string;
  /** From a table, never free advice. */
  readonly next?: NextStep;
  /** Structured facts for programs; small. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly artifacts?: readonly ArtifactRef[];
  /** Bytes that the tool itself left out (a page of a file); the model face then counts as truncated. */
  readonly omittedBytes?: number;
  /**
   * For tools that page: the call that goes on after the first `keptLines` lines of the first draft. What is cut
   * is then read by that call and never stored a second time.
   */
  readonly continueAt?: (keptLines: number) => NextStep;
}

export interface ToolDefinition<Input, Data = unknown> {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly family: ToolFamily;
  readonly risks: readonly ToolRisk[];
  /** As a function it is made for the first call: most tools are shown to a model and never called. */
  readonly input: InputSchema<Input> | (() => InputSchema<Input>);
  /** Needed when `input` is not a zod schema. */
  readonly jsonSchema?: JsonSchema;
  /** Where it is known already; of anything that it depends on, another one gives another. */
  readonly schemaHash?: string;
  readonly output?: InputSchema<Data>;
  readonly aliases?: readonly string[];
  /** Field spellings known from elsewhere, mapped to ours before validation. */
  readonly inputAliases?: Readonly<Record<string, string>>;
  readonly searchHint?: string;
  readonly ownership?: Ownership;
  /** Absent from every menu unless this feature is on. */
  readonly feature?: string;

  /** Loads what the answers about a call take. Awaited before anything is asked about one, each time. */
  prepare?(): Promise<void>;
  readOnly?(input: Input): boolean;
  destructive?(input: Input): boolean;
  effects?(input: Input, view: EffectView): EffectReport | Promise<EffectReport>;
  preconditions?(input: Input, view: PreconditionView): Failure | undefined | Promise<Failure | undefined>;
  /**
   * What this very call would change, for whoever is asked about it: a unified diff, or one line where there is
   * none. It informs and decides nothing: what it throws leaves the question as it is, without a diff.
   */
  preview?(input: Input, view: PreconditionView): Promise<string | undefined>;

  run(input: Input, context: ToolContext): Promise<RawResult<Data>>;
  concurrency?(input: Input): Concurrency;
  timeoutMs?(input: Input): number;
  readonly interrupt?: "cancel" | "block";
  readonly backgroundable?: boolean;
  readonly requiresSandbox?: boolean;
  readonly requiresWorkspace?: boolean;
  readonly maxResultChars?: number;
  readonly maxResultLines?: number;

  readonly alwaysAsk?: boolean;
  readonly requiresUser?: boolean;

  readonly alwaysLoad?: boolean;
  readonly defer?: boolean;
  visible?(context: VisibilityContext): Visibility;
  describe?(context: VisibilityContext): string;
  /** This very call in a few words, for people who watch. */
  describeCall?(input: Input): string;

  summarize?(result: RawResult<Data>, input: Input): Summary;
}

/** A frozen definition with every question answered. */
export interface Tool<Input = never, Data = unknown>
  extends Required<Omit<ToolDefinition<Input, Data>, OptionalFields>> {
  readonly input: InputSchema<unknown>;
  readonly output?: InputSchema<Data>;
  readonly searchHint?: string;
  readonly feature?: string;
  readonly source: ToolSource;
  readonly inputJsonSchema: JsonSchema;
  /** Over name, version, description and schema. */
  readonly schemaHash: string;
  /** Of a server's tool: over everything that the server says of it. */
  readonly definitionHash?: string;
  /** Of a server's tool: what the server says of its structured results. Nothing of it is believed. */
  readonly outputJsonSchema?: JsonSchema | undefined;
  /** Why it asks as long as `alwaysAsk` says so, where that is more than its nature, and what ends it. */
  readonly asksBecause?: { readonly reason: string; readonly recovery: string };
  /** What holds whatever it does, where that is not the sandbox of commands. */
  confinement?(): string;
  prepare?(): Promise<void>;
  preconditions?(input: Input, view: PreconditionView): Failure | undefined | Promise<Failure | undefined>;
  preview?(input: Input, view: PreconditionView): Promise<string | undefined>;
  summarize?(result: RawResult<Data>, input: Input): Summary;
}

type OptionalFields =
  | "input"
  | "output"
  | "searchHint"
  | "feature"
  | "prepare"
  | "preconditions"
  | "preview"
  | "summarize"
  | "jsonSchema";

/** Brings the tools that were left out. */
export const toolSearchName = "tool_search";

/** Tools of servers keep the letters of their own names. */
const toolName = /^(?:[a-z][a-z0-9_]{0,63}|mcp__[A-Za-z0-9_-]{1,59})$/;
const version = /^\d+(\.\d+){0,2}$/;

/**
 * Conservative defaults: not read-only, exclusive, hidden in plan mode, effects unknown.
 * A bare tool therefore asks and runs alone.
 */
export function defineTool<Input, Data = unknown>(definition: ToolDefinition<Input, Data>): Tool<Input, Data> {
  if (!toolName.test(definition.name))
    throw new Error(`Tool name ${JSON.stringify(definition.name)} must match ${toolName}`);
  if (!version.test(definition.version))
    throw new Error(`Tool ${definition.name} needs a version such as "1" or "1.2"`);
  if (definition.description.trim() === "") throw new Error(`Tool ${definition.name} needs a description`);
  const { input: given } = definition;
  // Some schemas are functions themselves.
  const input = "~standard" in given ? () => given : lazy(given);
  const inputJsonSchema = lazy(() => definition.jsonSchema ?? schemaOf(definition.name, input()));
  const schemaHash = lazy(
    () =>
      definition.schemaHash ??
      digestOf([definition.name, definition.version, definition.description, inputJsonSchema()]),
  );
  const onlyReads = definition.risks.length > 0 && definition.risks.every((risk) => risk === "read");
  const tool: Tool<Input, Data> = {
    aliases: [],
    inputAliases: {},
    ownership: "managed",
    readOnly: () => false,
    destructive: () => false,
    effects: () => ({ effects: [{ op: "unknown", why: `${definition.name} does not say what it touches` }] }),
    concurrency: () => "exclusive",
    timeoutMs: () => 120_000,
    interrupt: "cancel",
    backgroundable: false,
    requiresSandbox: false,
    requiresWorkspace: true,
    maxResultChars: 100_000,
    maxResultLines: 2_000,
    alwaysAsk: false,
    requiresUser: false,
    alwaysLoad: false,
    defer: false,
    visible: ({ mode }) =>
      mode === "plan" && !onlyReads
        ? { visible: false, reason: `${definition.name} is not offered in plan mode` }
        : { visible: true },
    describe: () => definition.description,
    describeCall: () => definition.name,
    source: "builtin",
    ...definition,
    get input() {
      return input();
    },
    get inputJsonSchema() {
      return inputJsonSchema();
    },
    get schemaHash() {
      return schemaHash();
    },
  };
  return Object.freeze(tool);
}

function schemaOf(name: string, input: InputSchema<unknown>): JsonSchema {
  if (!(input instanceof z.ZodType)) {
    throw new Error(`Tool ${name}: a schema that is not zod needs jsonSchema beside it`);
  }
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
