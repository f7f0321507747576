import { sha256 } from "../../base/digest.ts";
import { withMarks } from "../../base/secret-span.ts";
import type { EffectReport } from "../../contract/effect.ts";
import type { ToolContext } from "../../contract/ports.ts";
import type {
  Concurrency,
  InputSchema,
  RawResult,
  Summary,
  Tool,
  Visibility,
  VisibilityContext,
} from "../../contract/tool.ts";
import { defaultResultLimits } from "../../contract/tool.ts";
import type { JsonSchema, ToolRisk } from "../../contract/tool-facts.ts";
import { callLimits } from "../client/deadlines.ts";
import type { Definition } from "../host/server-state.ts";
import { boundedLine, boundedWords } from "./bounded-text.ts";
import { type CallResult, keepAnswer, summarizeCall } from "./call-result.ts";
import { inputChecker } from "./check-input.ts";

/** What all tools of one server have in common. */
export interface ToolServer {
  readonly name: string;
  readonly alwaysLoad: boolean;
  /** For the server. */
  readonly timeoutMs: number;
  /** For everything that is not the server's doing. */
  readonly besideMs: number;
  /** What a definition would change in what was agreed to; `undefined` when nothing was agreed to or nothing changes. */
  readonly change: (definition: Definition) => Promise<string | undefined>;
  readonly isChanged: (definition: Definition) => boolean;
  /** The command that agrees to a tool's change without a question, where there is one. */
  readonly accepting: (tool: string) => string | undefined;
  /** What to do about a failure that the server words like this, where what holds it may be the reason. */
  readonly hint: (said: string) => string | undefined;
  /** What to do about a call that took longer than that. */
  readonly late: string;
  /** What holds it, for whoever is asked about a call. */
  readonly confinement: () => Promise<() => string>;
}

type Input = Readonly<Record<string, unknown>>;

/** However often a server says how far it is. */
const betweenMs = 100;
const noAliases: readonly string[] = Object.freeze([]);
const noInputAliases: Readonly<Record<string, string>> = Object.freeze({});
const risks: readonly ToolRisk[] = Object.freeze<ToolRisk[]>(["execute", "network"]);

/**
 * A server's tool as one of ours. What the server says of it, hints about harmlessness included, is words for the
 * model and for people: nothing of it takes part in a verdict.
 */
export function wrapTool(menuName: string, definition: Definition, server: ToolServer): Tool {
  return Object.freeze(new WrappedTool(menuName, definition, server));
}

/**
 * Hundreds of them are made before a first request and hardly any is ever called: what is asked of one is made then.
 * What is not the server's to say is as it is for a tool that says nothing.
 */
class WrappedTool implements Tool<Input, CallResult> {
  readonly name: string;
  readonly family = "other";
  readonly source = "mcp";
  readonly ownership = "mcp";
  readonly risks = risks;
  readonly aliases = noAliases;
  readonly inputAliases = noInputAliases;
  readonly interrupt = "cancel";
  readonly backgroundable = false;
  readonly requiresSandbox = false;
  readonly requiresWorkspace = false;
  readonly requiresUser = false;
  readonly maxResultChars = defaultResultLimits.maxResultChars;
  readonly maxResultLines = defaultResultLimits.maxResultLines;
  readonly alwaysLoad: boolean;
  readonly defer: boolean;
  readonly #definition: Definition;
  readonly #server: ToolServer;
  #input: InputSchema<Input> | undefined;
  #schemaHash: string | undefined;
  #confinement: (() => string) | undefined;
  #shownName: string | undefined;

  constructor(menuName: string, definition: Definition, server: ToolServer) {
    this.name = menuName;
    this.alwaysLoad = server.alwaysLoad;
    this.defer = !server.alwaysLoad;
    this.#definition = definition;
    this.#server = server;
  }

  /** A call is agreed to with this: what was agreed to under one definition never runs under another. */
  get definitionHash(): string {
    return this.#definition.hash;
  }

  /** Short, for people and for the record. */
  get version(): string {
    return `1.${Number.parseInt(this.#definition.hash.slice(0, 12), 16)}`;
  }

  get description(): string {
    return this.#definition.description;
  }

  get searchHint(): string {
    return this.#definition.searchHint;
  }

  get inputJsonSchema(): JsonSchema {
    return this.#definition.inputSchema;
  }

  get input(): InputSchema<Input> {
    const { inputSchema, tool } = this.#definition;
    this.#input ??= inputChecker(inputSchema, tool.inputSchema.$schema);
    return this.#input;
  }

  get schemaHash(): string {
    this.#schemaHash ??= sha256(`${this.name} ${this.#definition.shownHash}`);
    return this.#schemaHash;
  }

  /** Asked for each time: an answer to the question makes it false again. */
  get alwaysAsk(): boolean {
    return this.#server.isChanged(this.#definition);
  }

  get asksBecause(): NonNullable<Tool["asksBecause"]> {
    const { name: server } = this.#server;
    const accepting = this.#server.accepting(this.#definition.name);
    const reason = `the server ${server} describes ${this.#shown()} in other words since it was agreed to`;
    const look =
      accepting === undefined
        ? ""
        : ` \`gauntlet mcp test ${server}\` shows what changed, and \`${accepting}\` agrees to it.`;
    return { reason, recovery: `One yes agrees to the new words, where someone can answer.${look}` };
  }

  readOnly(): boolean {
    return false;
  }

  destructive(): boolean {
    return false;
  }

  effects(): EffectReport {
    return { effects: [{ op: "call", server: this.#server.name, tool: this.#definition.name }] };
  }

  concurrency(): Concurrency {
    return { key: `mcp:${this.#server.name}` };
  }

  timeoutMs(): number {
    return callLimits(this.#server.timeoutMs).hardMs + this.#server.besideMs;
  }

  visible({ mode }: VisibilityContext): Visibility {
    return mode === "plan" ? { visible: false, reason: `${this.name} is not offered in plan mode` } : { visible: true };
  }

  describe(): string {
    return this.description;
  }

  describeCall(): string {
    return `${this.#shown()} of the server ${this.#server.name}`;
  }

  #shown(): string {
    this.#shownName ??= boundedLine(this.#definition.name, 80);
    return this.#shownName;
  }

  /** What can say whether something holds it is loaded with the first call. */
  async prepare(): Promise<void> {
    this.#confinement ??= await this.#server.confinement();
  }

  confinement(): string {
    return this.#confinement?.() ?? "It is not known what holds this server.";
  }

  get outputJsonSchema(): JsonSchema | undefined {
    return this.#definition.outputSchema;
  }

  preview(): Promise<string | undefined> {
    return this.#server.change(this.#definition);
  }

  async run(input: Input, context: ToolContext): Promise<RawResult<CallResult>> {
    const { name: server, timeoutMs, hint, late } = this.#server;
    const { name: tool, hash: definition } = this.#definition;
    const { clock, secretsIn, servers, signal, progress } = context;
    const { line } = boundedWords((text) => withMarks(text, secretsIn(text)));
    let toldAt = Number.NEGATIVE_INFINITY;
    const onProgress = ({ message }: { readonly message: string }) => {
      if (clock.now() - toldAt < betweenMs) return;
      toldAt = clock.now();
      progress({ message: line(message, 200) });
    };
    const answer = await servers.call({ server, tool, input, definition, timeoutMs, signal, onProgress });
    if (answer.ok) return keepAnswer(answer.value, { server, tool, keep: context.artifacts.keep, hint });
    const { failure } = answer;
    return failure.code === "timeout" ? { ok: false, failure: { recovery: late, ...failure } } : answer;
  }

  summarize(result: RawResult<CallResult>): Summary {
    return summarizeCall(result, { server: this.#server.name, tool: this.#definition.name, shown: this.#shown() });
  }
}
