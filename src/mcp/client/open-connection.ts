import type { Client } from "@modelcontextprotocol/client";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Connection, ConnectionParts } from "./connection.ts";
import { tameContent } from "./content.ts";
import { Deadlines, unlimitedMs } from "./deadlines.ts";
import { failureOf, lateFailure, serverWords, Trouble, theGreeting } from "./failures.ts";
import { askForLog, boundLogs, listenForChanges, passNotifications } from "./notifications.ts";
import type { Link } from "./request.ts";
import { answerRequests, capabilitiesOf, createRootsTaken, elicitUrl } from "./requests.ts";
import { createPrompts, createWatch, listResources, readResource } from "./resources.ts";
import { loadSdk, type Sdk } from "./sdk.ts";
import { createTools } from "./tools.ts";
import { type Reach, type Reached, type ReachTools, waysTo } from "./transports.ts";

export async function openConnection(parts: ConnectionParts): Promise<Outcome<Connection>> {
  const sdk = await loadSdk();
  const deadlines = new Deadlines();
  const bounded = boundLogs(parts.notify);
  const note = (text: string) => bounded({ kind: "log", level: "warning", text: serverWords(text) });
  const tools: ReachTools = { sdk, deadlines, note };
  const { first, older, again } = waysTo(parts, tools);
  const all: ConnectionParts = { ...parts, notify: bounded };
  using deadline = deadlines.start({ idleMs: parts.startMs, hardMs: parts.startMs }, parts.signal);

  const tried = await attempt(all, tools, first, { signal: deadline.signal, isKnownOld: false });
  if ("connection" in tried) return ok(tried.connection);
  let last = tried;
  if (!deadline.signal.aborted) {
    const next = again && tried.diedOnFirstQuestion ? first : tried.speaksOlder ? older : undefined;
    const retried = next && (await attempt(all, tools, next, { signal: deadline.signal, isKnownOld: true }));
    if (retried !== undefined && "connection" in retried) return ok(retried.connection);
    last = retried ?? tried;
  }
  const { name, setting } = parts.entry;
  if (parts.signal.aborted) {
    return fail("cancelled", `The start of the server "${name}" was cancelled.`, {
      recovery: "Nothing was asked of it. Start it again when it is wanted.",
      happened: "nothing",
    });
  }
  if (deadline.expired) return lateFailure(name, setting, parts.startMs);
  return last.outcome;
}

type Attempt =
  | { readonly connection: Connection }
  | {
      readonly outcome: Outcome<never>;
      readonly diedOnFirstQuestion: boolean;
      readonly speaksOlder: boolean;
    };

async function attempt(
  parts: ConnectionParts,
  tools: ReachTools,
  reach: Reach,
  { signal, isKnownOld }: { readonly signal: AbortSignal; readonly isKnownOld: boolean },
): Promise<Attempt> {
  const { sdk, deadlines } = tools;
  const server = parts.entry.name;
  const reached = await unlessAborted(reach(), signal);
  if (!reached.ok) return { outcome: reached, diedOnFirstQuestion: false, speaksOlder: false };
  const { transport, died, hopeless, lastError, fragile } = reached.value;
  const client = new sdk.Client(
    { name: "gauntlet", version: parts.version },
    {
      capabilities: capabilitiesOf(parts.handlers),
      // A server on a pipe may answer an unknown question with silence; elsewhere only the deadline counts.
      versionNegotiation: {
        mode: "auto",
        probe: { timeoutMs: died === undefined ? unlimitedMs : Math.ceil(parts.startMs * 0.6) },
      },
      // Outputs are checked here, so the SDK need not make its own.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  const { roots } = parts.handlers;
  const wanted = roots === undefined ? undefined : createRootsTaken(client, roots);
  answerRequests(sdk, client, { ...parts.handlers, ...(wanted && { roots: wanted.roots }) }, deadlines);

  const ending = Promise.withResolvers<string>();
  let lost: string | undefined;
  const lose = (why: string) => {
    if (lost !== undefined) return;
    lost = why;
    ending.resolve(why);
    void transport.close().catch(() => {});
  };
  // Handlers that are there before the SDK's own are called first.
  transport.onmessage = (message) => tameContent(message, tools.note);
  transport.onclose = () => lose(died?.() ?? "The connection was closed.");

  const giveUp = () => void transport.close().catch(() => {});
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    if (signal.aborted) throw new Error("aborted");
    const connecting = client.connect(transport, {
      timeout: unlimitedMs,
      signal,
      ...(isKnownOld && { prior: { kind: "legacy" } as const }),
    });
    await Promise.race([connecting, aborted(signal)]);
  } catch (error) {
    await transport.close().catch(() => {});
    const cause = fragile === true && !(error instanceof Trouble) ? (lastError?.() ?? error) : error;
    const { failure } = failureOf(cause, { sdk, server, what: theGreeting, lost: died?.() });
    return {
      outcome: {
        ok: false,
        failure: {
          happened: "nothing",
          ...failure,
          ...(speaksNewer(sdk, parts, error) && tryNewer),
          code: "server_unavailable",
        },
      },
      diedOnFirstQuestion: died?.() !== undefined && hopeless?.() !== true,
      speaksOlder: error instanceof sdk.SdkHttpError && otherWay.includes(error.status),
    };
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  if (fragile === true) {
    const before = transport.onerror;
    transport.onerror = (error) => {
      before?.(error);
      lose("Its stream of messages broke off.");
    };
  }
  const link: Link = {
    ...{ server, sdk, client, deadlines, notify: parts.notify, lose },
    rootsTaken: () => wanted?.taken(),
    lost: () => lost,
  };
  return { connection: connectionOver(link, parts, reached.value, ending.promise) };
}

const otherWay: readonly number[] = [400, 404, 405, 406, 415];
const tryNewer = {
  recovery: "Its entry says sse, the older transport. Most servers speak Streamable HTTP: the type http (-t http).",
};

function speaksNewer(sdk: Sdk, { entry }: ConnectionParts, error: unknown): boolean {
  if (entry.setting.type !== "sse" || !(error instanceof sdk.SseError)) return false;
  return error.code !== undefined && otherWay.includes(error.code);
}

function connectionOver(link: Link, parts: ConnectionParts, reached: Reached, gone: Promise<string>): Connection {
  const { client } = link;
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  const info = client.getServerVersion();
  passNotifications(link);
  void askForLog(link);
  void listenForChanges(link);
  const openUrl: Parameters<typeof createTools>[1] = (elicitation, signal) =>
    link.deadlines.whileAsking(() => elicitUrl(parts.handlers, elicitation, signal));
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    transport: reached.speaks,
    info: info && { name: info.name, version: info.version },
    offers: { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined },
    ...createTools(link, openUrl),
    listResources: (signal) => listResources(link, signal),
    readResource: (uri, signal) => readResource(link, uri, signal),
    watchResource: createWatch(link),
    ...createPrompts(link),
    gone,
    async close() {
      await ended(client, reached);
      link.lose("It was closed.");
      await reached.transport.close().catch(() => {});
    },
  };
}

const goodbyeMs = 1000;

async function ended(client: Client, { endSession }: Reached): Promise<void> {
  if (endSession === undefined || client.getProtocolEra() !== "legacy") return;
  const patience = AbortSignal.timeout(goodbyeMs);
  await Promise.race([endSession().catch(() => {}), aborted(patience).catch(() => {})]);
}

async function unlessAborted(reaching: ReturnType<Reach>, signal: AbortSignal): Promise<Outcome<Reached>> {
  try {
    return await Promise.race([reaching, aborted(signal)]);
  } catch {
    void reaching.then((late) => (late.ok ? late.value.transport.close() : undefined));
    return fail("cancelled", "It was given up.");
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(new Error("aborted"));
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
