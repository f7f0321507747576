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
import type { Asking, Exchange } from "./offer.ts";
import { resultOf } from "./results.ts";
import { structuredOf } from "./structured-result.ts";

export interface ToolRequest {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What became of an intent, with what a person can still do about it. */
export interface Ended {
  readonly observation: Observation;
  readonly request?: string;
  readonly recovery?: string;
}

export interface DoorCalls {
  call(request: ToolRequest, exchange: Exchange): Promise<CallToolResult | Asking>;
  /** For what is no call of a tool to the client. Nothing when a round belongs to none that is known. */
  observe(request: ToolRequest, exchange: Exchange): Promise<Ended | Asking | undefined>;
  /** For what nobody would want to be asked about: where the gate asks, it does not happen. */
  unasked(request: ToolRequest, exchange: Exchange): Promise<Observation>;
  /** Something is wanted of a server that is no call: what it asks meanwhile may be about that, and is nobody's to answer. */
  beside<Result>(server: string, work: () => Promise<Result>): Promise<Result>;
  /** Whom the door asks: the client that made the call, or nobody who is there now. */
  readonly ask: Asker;
  /** A question of a server whose tool is being called goes to the client that called it. */
  readonly elicit: Elicitor;
  /** Tells the client whose call it is. */
  notice(notice: DoorNotice): void;
}

const roundState = z.object({ call: z.string() });

/** The call that an earlier round began. A first round has none, and most calls have no second one. */
function roundOf(state: unknown): string | undefined {
  return state === undefined ? undefined : roundState.safeParse(state).data?.call;
}

export interface CallParts {
  readonly unanswered: Unanswered;
  readonly ids: Ids;
  /** Any number of clients may come, and not only one. */
  readonly severalClients: boolean;
  /**
   * The session stands in front of its servers: clients know the tools of these and no others, and what they give stays
   * what it is.
   */
  readonly passing?: { readonly readBytes: ReadBytes };
}

/** Calls of clients through the door. A question of the gate becomes a question to the client that called. */
export function doorCalls(door: () => Door, { unanswered, ids, severalClients, passing }: CallParts): DoorCalls {
  const held = holdCalls();
  /** Intents that nobody is asked about. */
  const silent = new Set<string>();
  /** Servers of which something else is wanted, as often as it is. */
  const busyBeside: string[] = [];
  // In order, as the log likes them, and with enough in them that no other client can guess.
  const newId = () => `${ids.next("int")}-${randomUUID()}`;

  async function observe(
    request: ToolRequest,
    exchange: Exchange,
    known: Pick<IntentInput, "sources"> = {},
  ): Promise<Ended | Asking | undefined> {
    const earlier = roundOf(exchange.state);
    const id = earlier ?? newId();
    const call = earlier === undefined ? begin(id, request, exchange, known) : held.find(id);
    if (call === undefined || (earlier !== undefined && !isFor(call, request))) return undefined;
    for (const [name, { settle }] of call.questions) {
      if (Object.hasOwn(exchange.answers, name)) settle(exchange.answers[name]);
    }
    const observation = await during(call, exchange);
    if (observation !== undefined) {
      held.forget(id);
      return { observation, ...waysOn(call) };
    }
    const asks = Object.fromEntries([...call.questions].map(([name, { form }]) => [name, form]));
    return { asks, state: { call: id } };
  }

  async function beside<Result>(server: string, work: () => Promise<Result>): Promise<Result> {
    busyBeside.push(server);
    try {
      return await work();
    } finally {
      busyBeside.splice(busyBeside.indexOf(server), 1);
    }
  }

  return {
    beside,
    observe: (request, exchange) => observe(request, exchange),
    async call(request, exchange) {
      const ended = await observe(request, exchange, passing === undefined ? {} : { sources: ["mcp"] });
      if (ended === undefined) return outdated;
      if ("asks" in ended) return ended;
      const { observation, ...ways } = ended;
      const schema = door().outputSchema(request.name);
      const structured = await structuredOf(observation, schema);
      return resultOf(observation, { ...ways, ...passing, structured, promised: schema !== undefined });
    },
    async unasked({ name: tool, input }, exchange) {
      const id = newId();
      const call = () => door().call({ id, tool, input, origin: originOf(exchange), signal: exchange.signal });
      silent.add(id);
      try {
        return typeof input.server === "string" ? await beside(input.server, call) : await call();
      } finally {
        silent.delete(id);
      }
    },
    async ask(request, signal) {
      if (silent.has(request.intentId)) return "unavailable";
      const call = held.find(request.intentId);
      if (call?.person !== undefined) {
        return askApproval(request, call.person, (name, form) => call.ask(name, form, signal));
      }
      const { sessionId: session, redact } = door();
      const client = call?.client === undefined ? {} : { client: call.client };
      const taken = unanswered.take(request, { session, redact, ...client });
      if (!taken.ok) return "unavailable";
      if ("answer" in taken.value) return taken.value.answer;
      if (call !== undefined) call.unanswered = taken.value.waitsAs;
      return "unavailable";
    },
    async elicit(question, signal) {
      const { id, server, ask } = question;
      // Whose call a server asks about is not said, and another client's person has nothing to do with it.
      const [call, ...others] = held.running().filter((one) => isAbout(one, server));
      const mayBeAnothers = others.length > 0 || (severalClients && busyBeside.includes(server));
      if (call === undefined || mayBeAnothers) {
        return declined(server, "it is not known whose call it is about");
      }
      if (ask.mode === "url" ? call.opensPages !== true : call.person === undefined) {
        const what = ask.mode === "url" ? "let its person open a page" : "show its person a form";
        return declined(server, `this client cannot ${what}`);
      }
      return readElicitation(await call.ask(id, elicitationForm(question), signal), ask.mode);
    },
    notice(notice) {
      if (notice.kind === "started") held.start(notice.intentId);
      if (notice.kind === "progressed") held.find(notice.intentId)?.onProgress?.(notice.progress);
    },
  };

  function begin(
    id: string,
    { name, input }: ToolRequest,
    exchange: Exchange,
    known: Pick<IntentInput, "sources">,
  ): HeldCall {
    const origin = originOf(exchange);
    return held.begin(id, {
      tool: name,
      input,
      ...(origin.client === undefined ? {} : { client: origin.client }),
      ...(exchange.can.pages ? { opensPages: true as const } : {}),
      ...(exchange.can.forms ? { person: `person at the MCP client ${origin.client ?? ""}`.trimEnd() } : {}),
      run(over) {
        const signal = exchange.outlastsRounds ? AbortSignal.any([over, exchange.signal]) : over;
        return door().call({ id, tool: name, input, origin, signal, ...known });
      },
    });
  }
}

function originOf({ clientName }: Exchange): IntentOrigin {
  return { source: "mcp", ...(clientName === undefined ? {} : { client: visibleText(clientName).slice(0, 100) }) };
}

/** One of its tools, or one of ours that names it. */
function isAbout({ tool, input }: HeldCall, server: string): boolean {
  return tool.startsWith("mcp__") ? tool.startsWith(`mcp__${server}__`) : input.server === server;
}

function declined(server: string, why: string): ElicitationAnswer {
  return { action: "decline", reason: `The server ${server} asked something, which was declined: ${why}.` };
}

/** A later round can not stand for another call. */
function isFor({ tool, input }: HeldCall, request: ToolRequest): boolean {
  return canonicalJson([tool, input]) === canonicalJson([request.name, request.input]);
}

/** One round: while it lasts, the call's progress is its progress, and its end is the call's end. */
async function during(call: HeldCall, { signal, progress }: Exchange): Promise<Observation | undefined> {
  call.onProgress = ({ message }) => {
    call.told += 1;
    progress({ progress: call.told, message: visibleText(message) }).catch(() => {});
  };
  const cancel = () => call.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await call.next();
  } finally {
    signal.removeEventListener("abort", cancel);
    call.onProgress = undefined;
  }
}

function waysOn({ unanswered }: HeldCall): { readonly request?: string; readonly recovery?: string } {
  if (unanswered === undefined) return {};
  return {
    request: unanswered,
    recovery: `A person can allow it at a terminal with: gauntlet mcp answer ${unanswered} allow. After that, call it again with the same arguments.`,
  };
}

const outdated: CallToolResult = {
  content: [{ type: "text", text: "approval_expired: The call that this answers is over.\nCall it again." }],
  _meta: {
    "gauntlet/observation": {
      ok: false,
      code: "approval_expired",
      summary: "The call that this answers is over.",
      happened: "unknown",
    },
  },
  isError: true,
};

interface Question {
  readonly form: InputRequest;
  /** Takes the client's answer as it came; nothing stands for a question that was withdrawn. */
  settle(answer: unknown): void;
}

/** A call between its proposal and its observation. Where it has questions, it outlives the request that began it. */
export interface HeldCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the client says that it is. */
  readonly client?: string;
  /** Who answers at the client. Absent: it cannot put a question to anybody. */
  readonly person?: string;
  /** The client has somebody open a page where a server wants that. */
  readonly opensPages?: true;
  readonly questions: ReadonlyMap<string, Question>;
  /** Names the question that nobody could be asked. */
  unanswered?: string;
  /** How often the client was told that it goes on. */
  told: number;
  /** Of the round that is under way. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The observation, or nothing when there is a question that no round has been given. */
  next(): Promise<Observation | undefined>;
  /** The client's answer as it came; nothing when the question was withdrawn. */
  ask(id: string, form: InputRequest, signal: AbortSignal): Promise<unknown>;
  cancel(): void;
}

type Given = Pick<HeldCall, "tool" | "input" | "client" | "person" | "opensPages">;

export interface HeldCalls {
  begin(id: string, call: Given & { run(signal: AbortSignal): Promise<Observation> }): HeldCall;
  find(id: string): HeldCall | undefined;
  /** It was agreed to, and runs from now on. */
  start(id: string): void;
  /** All that were started and have not ended. */
  running(): readonly HeldCall[];
  /** Its observation was handed out. */
  forget(id: string): void;
}

/** Ended calls whose client never came back for the answer. */
const mostEnded = 64;

export function holdCalls(): HeldCalls {
  const calls = new Map<string, HeldCall>();
  const started = new Set<string>();
  const ended = new Set<string>();
  return {
    begin(id, { run, ...given }) {
      const call = holdCall(given, run, () => {
        started.delete(id);
        ended.add(id);
        for (const oldest of ended) {
          if (ended.size <= mostEnded) break;
          ended.delete(oldest);
          calls.delete(oldest);
        }
      });
      calls.set(id, call);
      return call;
    },
    find: (id) => calls.get(id),
    start(id) {
      if (calls.has(id) && !ended.has(id)) started.add(id);
    },
    running: () => [...calls].filter(([id]) => started.has(id)).map(([, call]) => call),
    forget(id) {
      calls.delete(id);
      ended.delete(id);
    },
  };
}

function holdCall(given: Given, run: (signal: AbortSignal) => Promise<Observation>, onEnd: () => void): HeldCall {
  const stop = new AbortController();
  const questions = new Map<string, Question>();
  const observed = run(stop.signal);
  let wake = () => {};
  const end = () => {
    // Whoever still waits for an answer would wait for ever, and with them whoever comes next.
    for (const { settle } of questions.values()) settle(undefined);
    onEnd();
  };
  observed.then(end, end);
  return {
    ...given,
    told: 0,
    questions,
    async next() {
      const asked = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      return questions.size > 0 ? undefined : Promise.race([observed, asked]);
    },
    ask(id, form, signal) {
      return new Promise((resolve) => {
        const settle = (answer: unknown) => {
          signal.removeEventListener("abort", withdraw);
          questions.delete(id);
          resolve(answer);
        };
        const withdraw = () => settle(undefined);
        signal.addEventListener("abort", withdraw, { once: true });
        questions.set(id, { form, settle });
        wake();
      });
    },
    cancel: () => stop.abort("cancelled"),
  };
}
