import { sha256 } from "../../base/digest.ts";
import { withMarks } from "../../base/secret-span.ts";
import type { ToolContext } from "../../contract/ports.ts";
import { defaultResultLimits, type RawResult, type Tool } from "../../contract/tool.ts";
import { callLimits } from "../client/deadlines.ts";
import type { Definition } from "../host/server-state.ts";
import { boundedLine, boundedWords } from "./bounded-text.ts";
import { type CallResult, keepAnswer, summarizeCall } from "./call-result.ts";
import { inputChecker } from "./schema.ts";

export interface ToolServer {
  readonly name: string;
  readonly alwaysLoad: boolean;
  readonly timeoutMs: number;
  readonly besideMs: number;
  /** The change since the approval; `undefined` if there is none. */
  readonly change: (definition: Definition) => Promise<string | undefined>;
  readonly isChanged: (definition: Definition) => boolean;
  readonly approval: (tool: string) => string | undefined;
  readonly hint: (said: string) => string | undefined;
  readonly late: string;
  readonly confinement: () => string;
}

type ToolInput = Readonly<Record<string, unknown>>;

const progressMs = 100;

/** A verdict uses nothing that the server says about its tool, including its read-only hints. */
export function wrapTool(menuName: string, definition: Definition, server: ToolServer): Tool {
  const { name, tool, hash, description, searchHint, inputSchema, outputSchema, shownHash } = definition;
  const shown = boundedLine(name, 80);
  const wrapped: Tool<ToolInput, CallResult> = {
    name: menuName,
    family: "other",
    source: "mcp",
    ownership: "mcp",
    risks: ["execute", "network"],
    aliases: [],
    inputAliases: {},
    interrupt: "cancel",
    backgroundable: false,
    requiresSandbox: false,
    requiresWorkspace: false,
    requiresUser: false,
    ...defaultResultLimits,
    alwaysLoad: server.alwaysLoad,
    defer: !server.alwaysLoad,
    definitionHash: hash,
    version: `1.${Number.parseInt(hash.slice(0, 12), 16)}`,
    description,
    searchHint,
    input: inputChecker(inputSchema, tool.inputSchema.$schema),
    inputJsonSchema: inputSchema,
    outputJsonSchema: outputSchema,
    schemaHash: sha256(`${menuName} ${shownHash}`),
    get alwaysAsk() {
      return server.isChanged(definition);
    },
    get asksBecause() {
      const command = server.approval(name);
      const look = command && ` To see the change: gauntlet mcp test ${server.name}. To approve it: ${command}`;
      return {
        reason: `the server ${server.name} changed the definition of ${shown} since it was approved`,
        recovery: `Allowing the call approves the new definition.${look ?? ""}`,
      };
    },
    readOnly: () => false,
    destructive: () => false,
    effects: () => ({ effects: [{ op: "call", server: server.name, tool: name }] }),
    concurrency: () => ({ key: `mcp:${server.name}` }),
    timeoutMs: () => callLimits(server.timeoutMs).hardMs + server.besideMs,
    visible: ({ mode }) =>
      mode === "plan" ? { visible: false, reason: `${menuName} is not offered in plan mode` } : { visible: true },
    describe: () => description,
    describeCall: () => `${shown} of the server ${server.name}`,
    confinement: server.confinement,
    preview: () => server.change(definition),
    run: (input, context) => runTool(input, context, { definition, server }),
    summarize: (result) => summarizeCall(result, { server: server.name, tool: name, shown }),
  };
  return Object.freeze(wrapped);
}

async function runTool(
  input: ToolInput,
  { artifacts, clock, secretsIn, servers, signal, progress }: ToolContext,
  { definition, server }: { readonly definition: Definition; readonly server: ToolServer },
): Promise<RawResult<CallResult>> {
  const { name: tool, hash } = definition;
  const { line } = boundedWords((text) => withMarks(text, secretsIn(text)));
  let shownAt = Number.NEGATIVE_INFINITY;
  const answer = await servers.call({
    server: server.name,
    tool,
    input,
    definition: hash,
    timeoutMs: server.timeoutMs,
    signal,
    onProgress({ message }) {
      if (clock.now() - shownAt < progressMs) return;
      shownAt = clock.now();
      progress({ message: line(message, 200) });
    },
  });
  if (answer.ok) {
    return keepAnswer(answer.value, { server: server.name, tool, keep: artifacts.keep, hint: server.hint });
  }
  const { failure } = answer;
  return failure.code === "timeout" ? { ok: false, failure: { recovery: server.late, ...failure } } : answer;
}
