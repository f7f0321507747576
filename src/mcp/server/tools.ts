import { randomUUID } from "node:crypto";
import type { CallToolResult, InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { canonicalJson } from "../../base/digest.ts";
import { visibleText } from "../../base/text.ts";
import type { Door, DoorNotice } from "../../contract/app/door.ts";
import type { Unanswered } from "../../contract/app/policy.ts";
import type { Ids } from "../../contract/ids.ts";
import type { IntentInput, IntentOrigin } from "../../contract/intent.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Progress } from "../../contract/ports.ts";
import type { ElicitationAnswer, Elicitor } from "../../contract/server/server.ts";
import type { Asker } from "../../contract/verdict.ts";
import type { ReadBytes } from "./contents.ts";
import { askApproval, elicitationForm, readElicitation } from "./forms.ts";
import type { Asking, ClientExchange } from "./offer.ts";
import { requestEnded, resultOf, structuredOf } from "./results.ts";

export interface ToolRequest {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `request` and `recovery` say how the user can still allow it. */
interface ObservedCall {
  readonly observation: Observation;
  readonly request?: string;
  readonly recovery?: string;
}

export type ClientCalls = ReturnType<typeof clientCalls>;

interface PendingCall extends ToolRequest {
  readonly client: string | undefined;
  /** Who answers at the client, if it can show forms. */
  readonly person: string | undefined;
  readonly opensPages: boolean;
  readonly questions: Map<string, { readonly form: InputRequest; readonly settle: (answer: unknown) => void }>;
  readonly observed: Promise<Observation>;
  readonly stop: AbortController;
  state: "proposed" | "running" | "ended";
  unanswered?: string;
  updates: number;
  onProgress?: ((progress: Progress) => void) | undefined;
  wake: () => void;
}

const roundState = z.object({ call: z.string() });
/** Ended calls whose client never fetched the result. */
const mostEnded = 64;

/** Calls of clients. A permission request goes to the client that called. */
export function clientCalls(
  door: () => Door,
  parts: {
    readonly unanswered: Unanswered;
    readonly ids: Ids;
    readonly severalClients: boolean;
    /** Present for a gateway: clients know the tools of its servers and no others. */
    readonly readBytes?: ReadBytes | undefined;
  },
) {
  const { unanswered, ids, severalClients, readBytes } = parts;
  const calls = new Map<string, PendingCall>();
  const silent = new Set<string>();
  const requested: string[] = [];
  // Sorted by time for the log, and impossible for another client to guess.
  const newId = () => `${ids.next("int")}-${randomUUID()}`;

  function begin(
    id: string,
    request: ToolRequest,
    exchange: ClientExchange,
    sources: IntentInput["sources"],
  ): PendingCall {
    const { name: tool, input } = request;
    const stop = new AbortController();
    const origin = originOf(exchange);
    const signal = exchange.outlastsRounds ? AbortSignal.any([stop.signal, exchange.signal]) : stop.signal;
    const intent = { id, tool, input, origin, signal, ...(sources && { sources }) };
    const call: PendingCall = {
      ...request,
      client: origin.client,
      person: exchange.can.forms ? `person at the MCP client ${origin.client ?? ""}`.trimEnd() : undefined,
      opensPages: exchange.can.pages,
      questions: new Map(),
      observed: door().call(intent),
      stop,
      state: "proposed",
      updates: 0,
      wake: () => {},
    };
    calls.set(id, call);
    const end = () => {
      call.state = "ended";
      for (const { settle } of call.questions.values()) settle(undefined);
      const ended = [...calls].filter(([, { state }]) => state === "ended");
      for (const [oldest] of ended.slice(0, -mostEnded)) calls.delete(oldest);
    };
    call.observed.then(end, end);
    return call;
  }

  async function observe(
    request: ToolRequest,
    exchange: ClientExchange,
    sources?: IntentInput["sources"],
  ): Promise<ObservedCall | Asking | undefined> {
    const earlier = exchange.state === undefined ? undefined : roundState.safeParse(exchange.state).data?.call;
    const id = earlier ?? newId();
    const call = earlier === undefined ? begin(id, request, exchange, sources) : calls.get(id);
    if (call === undefined || (earlier !== undefined && !isSame(call, request))) return undefined;
    for (const [name, { settle }] of call.questions) {
      if (Object.hasOwn(exchange.answers, name)) settle(exchange.answers[name]);
    }
    const observation = await nextRound(call, exchange);
    if (observation === undefined) {
      const asks = Object.fromEntries([...call.questions].map(([name, { form }]) => [name, form]));
      return { asks, state: { call: id } };
    }
    calls.delete(id);
    if (call.unanswered === undefined) return { observation };
    return {
      observation,
      request: call.unanswered,
      recovery: `A user can allow it in a terminal with: gauntlet mcp answer ${call.unanswered} allow. Then call it again with the same arguments.`,
    };
  }

  /** For a request that is not a call: a question of the server may be about it. */
  async function whileRequesting<Result>(server: string, work: () => Promise<Result>): Promise<Result> {
    requested.push(server);
    try {
      return await work();
    } finally {
      requested.splice(requested.indexOf(server), 1);
    }
  }

  const ask: Asker = async (request, signal) => {
    if (silent.has(request.intentId)) return "unavailable";
    const call = calls.get(request.intentId);
    if (call?.person !== undefined) {
      return askApproval(request, call.person, (name, form) => askClient(call, name, form, signal));
    }
    const { sessionId: session, redact } = door();
    const taken = unanswered.take(request, { session, redact, ...(call?.client && { client: call.client }) });
    if (!taken.ok) return "unavailable";
    if ("answer" in taken.value) return taken.value.answer;
    if (call !== undefined) call.unanswered = taken.value.waitsAs;
    return "unavailable";
  };

  const elicit: Elicitor = async (question, signal) => {
    const { id, server, ask } = question;
    // A server does not say which call its question is about, and another client's user must not be asked.
    const running = [...calls.values()].filter((one) => one.state === "running" && isAbout(one, server));
    const [call, ...others] = running;
    if (call === undefined || others.length > 0 || (severalClients && requested.includes(server))) {
      return declined(server, "it is unknown which client it is for");
    }
    if (ask.mode === "url" ? !call.opensPages : call.person === undefined) {
      const what = ask.mode === "url" ? "open pages" : "show forms";
      return declined(server, `this client cannot ${what}`);
    }
    return readElicitation(await askClient(call, id, elicitationForm(question), signal), ask.mode);
  };

  return {
    ask,
    elicit,
    whileRequesting,
    /** `undefined` if the round belongs to no known call. */
    observe: (request: ToolRequest, exchange: ClientExchange) => observe(request, exchange),
    async call(request: ToolRequest, exchange: ClientExchange): Promise<CallToolResult | Asking> {
      const ended = await observe(request, exchange, readBytes && ["mcp"]);
      if (ended === undefined) return outdated;
      if ("asks" in ended) return ended;
      const { observation, ...next } = ended;
      const schema = door().outputSchema(request.name);
      const structured = await structuredOf(observation, schema);
      return resultOf(observation, { ...next, readBytes, structured, promised: schema !== undefined });
    },
    /** A call that needs approval is denied. */
    async callWithoutAsking({ name: tool, input }: ToolRequest, exchange: ClientExchange): Promise<Observation> {
      const id = newId();
      const call = () => door().call({ id, tool, input, origin: originOf(exchange), signal: exchange.signal });
      silent.add(id);
      try {
        return typeof input.server === "string" ? await whileRequesting(input.server, call) : await call();
      } finally {
        silent.delete(id);
      }
    },
    notice(notice: DoorNotice): void {
      if (notice.kind !== "started" && notice.kind !== "progressed") return;
      const call = calls.get(notice.intentId);
      if (notice.kind === "progressed") call?.onProgress?.(notice.progress);
      else if (call?.state === "proposed") call.state = "running";
    },
  };
}

function originOf({ clientName }: ClientExchange): IntentOrigin {
  return { source: "mcp", ...(clientName !== undefined && { client: visibleText(clientName).slice(0, 100) }) };
}

function isAbout({ name, input }: PendingCall, server: string): boolean {
  return name.startsWith("mcp__") ? name.startsWith(`mcp__${server}__`) : input.server === server;
}

function declined(server: string, why: string): ElicitationAnswer {
  return { action: "decline", reason: `A question of the server ${server} was declined: ${why}.` };
}

/** A later round must not be used for another call. */
function isSame(call: PendingCall, request: ToolRequest): boolean {
  return canonicalJson([call.name, call.input]) === canonicalJson([request.name, request.input]);
}

async function nextRound(call: PendingCall, { signal, progress }: ClientExchange): Promise<Observation | undefined> {
  call.onProgress = ({ message }) => {
    call.updates += 1;
    progress({ progress: call.updates, message: visibleText(message) }).catch(() => {});
  };
  const cancel = () => call.stop.abort("cancelled");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const asked = new Promise<undefined>((resolve) => {
      call.wake = () => resolve(undefined);
    });
    return call.questions.size > 0 ? undefined : await Promise.race([call.observed, asked]);
  } finally {
    signal.removeEventListener("abort", cancel);
    call.onProgress = undefined;
  }
}

/** The client's raw answer; `undefined` if the question was withdrawn. */
function askClient(call: PendingCall, id: string, form: InputRequest, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    const settle = (answer: unknown) => {
      signal.removeEventListener("abort", withdraw);
      call.questions.delete(id);
      resolve(answer);
    };
    const withdraw = () => settle(undefined);
    signal.addEventListener("abort", withdraw, { once: true });
    call.questions.set(id, { form, settle });
    call.wake();
  });
}

const outdated: CallToolResult = {
  content: [{ type: "text", text: requestEnded.text }],
  _meta: { "gauntlet/observation": requestEnded.facts },
  isError: true,
};
