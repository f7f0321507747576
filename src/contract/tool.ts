import { z } from "zod";
import { lazy } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import type { ArtifactRef, OutputStream } from "./artifact.ts";
import type { Failure } from "./codes.ts";
import type { EffectReport } from "./effect.ts";
import type { EffectView, PreconditionView, SandboxDescription, ToolContext } from "./ports.ts";
import type { JsonSchema, Ownership, ToolFamily, ToolRisk, ToolSource } from "./tool-facts.ts";
import type { Mode } from "./verdict.ts";

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

export type Concurrency = "safe" | "exclusive" | { readonly key: string };

export interface VisibilityContext {
  readonly mode: Mode;
  readonly phase?: string;
  readonly sandbox: SandboxDescription;
  readonly hasWorkspace: boolean;
  readonly deferral?: Deferral;
  readonly deferring?: boolean;
  readonly hasSkills?: boolean;
  readonly forPerson?: boolean;
  readonly skill?: SkillLimit;
}

export interface SkillLimit {
  readonly name: string;
  readonly allowedTools?: readonly string[];
  readonly within?: readonly SkillLimit[];
}

export interface Deferral {
  readonly loaded: readonly string[];
  readonly contextTokens: number;
  readonly above: number;
  readonly share: number;
}

export type Visibility =
  | { readonly visible: true }
  | { readonly visible: false; readonly reason: string; readonly recovery?: string };

export type RawResult<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly failure: Failure; readonly data?: Data };

export interface NextStep {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

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
  readonly data?: Readonly<Record<string, unknown>>;
  readonly artifacts?: readonly ArtifactRef[];
  readonly omittedBytes?: number;
  /** For tools that page: the call that continues after `keptLines` lines. What is cut is never stored. */
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
  readonly jsonSchema?: JsonSchema;
  readonly schemaHash?: string;
  readonly output?: InputSchema<Data>;
  readonly aliases?: readonly string[];
  readonly inputAliases?: Readonly<Record<string, string>>;
  readonly searchHint?: string;
  readonly ownership?: Ownership;
  readonly feature?: string;

  prepare?(): Promise<void>;
  readOnly?(input: Input): boolean;
  destructive?(input: Input): boolean;
  effects?(input: Input, view: EffectView): EffectReport | Promise<EffectReport>;
  preconditions?(input: Input, view: PreconditionView): Failure | undefined | Promise<Failure | undefined>;
  /** A unified diff, or one line. It only informs: an error in it is ignored. */
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
  describeCall?(input: Input): string;

  summarize?(result: RawResult<Data>, input: Input): Summary;
}

export interface Tool<Input = never, Data = unknown>
  extends Required<Omit<ToolDefinition<Input, Data>, Optional | "input" | "jsonSchema">>,
    Pick<ToolDefinition<Input, Data>, Optional> {
  readonly input: InputSchema<unknown>;
  readonly source: ToolSource;
  readonly inputJsonSchema: JsonSchema;
  readonly schemaHash: string;
  readonly definitionHash?: string;
  /** Of a server's tool: what the server says of its structured results. Nothing of it is believed. */
  readonly outputJsonSchema?: JsonSchema | undefined;
  readonly asksBecause?: { readonly reason: string; readonly recovery: string };
  confinement?(): string;
}

type Optional = "output" | "searchHint" | "feature" | "prepare" | "preconditions" | "preview" | "summarize";

export const toolSearchName = "tool_search";

const toolName = /^(?:[a-z][a-z0-9_]{0,63}|mcp__[A-Za-z0-9_-]{1,59})$/;
const version = /^\d+(\.\d+){0,2}$/;

export const defaultResultLimits = { maxResultChars: 100_000, maxResultLines: 2_000 } as const;

/** What cuts a result. A tool without limits cuts its pages itself, at the default ones. */
export function resultLimits(
  { maxResultChars, maxResultLines }: Pick<Tool, "maxResultChars" | "maxResultLines">,
  allowance = Number.POSITIVE_INFINITY,
): { readonly maxChars: number; readonly maxLines: number } {
  const own = Number.isFinite(maxResultChars) ? { maxResultChars, maxResultLines } : defaultResultLimits;
  return { maxChars: Math.min(own.maxResultChars, allowance), maxLines: own.maxResultLines };
}

export function defineTool<Input, Data = unknown>(definition: ToolDefinition<Input, Data>): Tool<Input, Data> {
  if (!toolName.test(definition.name))
    throw new Error(`Tool name ${JSON.stringify(definition.name)} must match ${toolName}`);
  if (!version.test(definition.version))
    throw new Error(`Tool ${definition.name} needs a version such as "1" or "1.2"`);
  if (definition.description.trim() === "") throw new Error(`Tool ${definition.name} needs a description`);
  const { input: given } = definition;
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
    ...defaultResultLimits,
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
