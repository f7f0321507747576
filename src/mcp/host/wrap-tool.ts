import { sha256 } from "../../contract/digest.ts";
import type { Effect } from "../../contract/effect.ts";
import { defineTool, type Tool } from "../../contract/tool.ts";
import { boundedLine } from "./bounded-text.ts";
import { type CallResult, keepAnswer, summarizeCall } from "./call-result.ts";
import { inputChecker } from "./check-input.ts";
import type { Definition } from "./definitions.ts";

export interface WrapOptions {
  readonly server: string;
  /** On the menu. */
  readonly name: string;
  readonly alwaysLoad: boolean;
  /** For the server. */
  readonly timeoutMs: number;
  /** For everything that is not the server's doing. */
  readonly besideMs: number;
  /** What its definition would change in what was agreed to; `undefined` when nothing was agreed to or nothing changes. */
  readonly change: () => Promise<string | undefined>;
  readonly isChanged: () => boolean;
}

/** However often a server says how far it is. */
const betweenMs = 100;

/**
 * A server's tool as one of ours. What the server says of it, hints about harmlessness included, is words for the
 * model and for people: nothing of it takes part in a verdict.
 */
export function wrapTool(definition: Definition, options: WrapOptions): Tool {
  const { tool, inputSchema, description, searchHint, hash, shownHash } = definition;
  const { server, name, timeoutMs } = options;
  const call: Effect = { op: "call", server, tool: tool.name };
  const wrapped = defineTool<Readonly<Record<string, unknown>>, CallResult>({
    name,
    version: versionOf(hash),
    description,
    family: "other",
    risks: ["execute", "network"],
    input: inputChecker(inputSchema, tool.inputSchema.$schema),
    jsonSchema: inputSchema,
    schemaHash: sha256(`${name} ${shownHash}`),
    ownership: "mcp",
    searchHint,
    effects: () => ({ effects: [call] }),
    concurrency: () => ({ key: `mcp:${server}` }),
    timeoutMs: () => timeoutMs + options.besideMs,
    requiresWorkspace: false,
    alwaysLoad: options.alwaysLoad,
    defer: !options.alwaysLoad,
    preview: () => options.change(),
    describeCall: () => `${boundedLine(tool.name, 80)} of the server ${server}`,
    async run(input, context) {
      const { servers, signal, progress } = context;
      let toldAt = Number.NEGATIVE_INFINITY;
      const onProgress = ({ message }: { readonly message: string }) => {
        if (context.clock.now() - toldAt < betweenMs) return;
        toldAt = context.clock.now();
        progress({ message: boundedLine(message, 200) });
      };
      const request = { server, tool: tool.name, input, definition: hash, timeoutMs, signal, onProgress };
      const answer = await servers.call(request);
      return answer.ok ? keepAnswer(answer.value, { server, tool: tool.name, keep: context.artifacts.keep }) : answer;
    },
    summarize: (result) => summarizeCall(result, { server, tool: tool.name }),
  });
  return Object.freeze({
    ...wrapped,
    source: "mcp" as const,
    /** Asked for each time: an answer to the question makes it false again. */
    get alwaysAsk() {
      return options.isChanged();
    },
  });
}

/** A call is agreed to with its version: what was agreed to under one definition never runs under another. */
function versionOf(hash: string): string {
  return `1.${Number.parseInt(hash.slice(0, 12), 16)}`;
}
