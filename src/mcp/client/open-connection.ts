import { untilOver } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ConnectionParts, McpConnection } from "./connection.ts";
import { tameContent } from "./content.ts";
import { Deadlines, unlimitedMs } from "./deadlines.ts";
import { failureOf, lateFailure, serverWords, Trouble, theGreeting } from "./failures.ts";
import { askForLog, listenForChanges, passNotifications } from "./notifications.ts";
import type { ServerLink } from "./request.ts";
import { answerRequests, capabilitiesOf, createRootsTaken, elicitUrl } from "./requests.ts";
import { createPrompts, createWatch, listResources, readResource } from "./resources.ts";
import { loadSdk, type Sdk } from "./sdk.ts";
import { createTools } from "./tools.ts";
import { type ReachedServer, type ReachServer, type ReachTools, waysTo } from "./transports.ts";

export async function openConnection(parts: ConnectionParts): Promise<Outcome<McpConnection>> {
  const note = (text: string) => parts.notify({ kind: "log", level: "warning", text: serverWords(text) });
  const tools: ReachTools = { sdk: await loadSdk(), deadlines: new Deadlines(), note };
  const { first, older, again } = waysTo(parts, tools);
  using deadline = tools.deadlines.start({ idleMs: parts.startMs, hardMs: parts.startMs }, parts.signal);

  let tried = await attempt(parts, tools, first, { signal: deadline.signal, isKnownOld: false });
  if (!tried.outcome.ok && !deadline.signal.aborted) {
    const next = again && tried.diedOnFirstQuestion ? first : tried.speaksOlder ? older : undefined;
    if (next !== undefined) tried = await attempt(parts, tools, next, { signal: deadline.signal, isKnownOld: true });
  }
  const { name, setting } = parts.entry;
  if (tried.outcome.ok || !deadline.signal.aborted) return tried.outcome;
  if (deadline.expired) return lateFailure(name, setting, parts.startMs);
  return fail("cancelled", `The start of the server "${name}" was cancelled.`, {
    recovery: "No request was sent. Start it again when you need it.",
    happened: "nothing",
  });
}

interface ConnectAttempt {
  readonly outcome: Outcome<McpConnection>;
  readonly diedOnFirstQuestion?: boolean;
  readonly speaksOlder?: boolean;
}

async function attempt(
  parts: ConnectionParts,
  tools: ReachTools,
  reach: ReachServer,
  { signal, isKnownOld }: { readonly signal: AbortSignal; readonly isKnownOld: boolean },
): Promise<ConnectAttempt> {
  const { sdk, deadlines } = tools;
  const server = parts.entry.name;
  const reaching = reach();
  const reached = await untilOver(reaching, signal);
  if (reached === undefined) {
    void reaching.then((late) => (late.ok ? late.value.transport.close() : undefined));
    return { outcome: fail("cancelled", "The connection attempt was cancelled.") };
  }
  if (!reached.ok) return { outcome: reached };
  const { transport, died, hopeless, lastError, fragile } = reached.value;
  const client = new sdk.Client(
    { name: "gauntlet", version: parts.version },
    {
      capabilities: capabilitiesOf(parts.handlers),
      // A server on a pipe may ignore an unknown request; elsewhere only the deadline counts.
      versionNegotiation: {
        mode: "auto",
        probe: { timeoutMs: died === undefined ? unlimitedMs : Math.ceil(parts.startMs * 0.6) },
      },
      // Outputs are checked in tools.ts.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  const { roots } = parts.handlers;
  const wanted = roots && createRootsTaken(client, roots);
  answerRequests(sdk, client, { ...parts.handlers, roots: wanted?.roots }, deadlines);

  const ending = Promise.withResolvers<string>();
  let lost: string | undefined;
  const lose = (why: string) => {
    if (lost !== undefined) return;
    lost = why;
    ending.resolve(why);
    void transport.close().catch(() => {});
  };
  // Handlers that are set before the SDK's own are called first.
  transport.onmessage = (message) => tameContent(sdk, message, tools.note);
  transport.onclose = () => lose(died?.() ?? "The connection was closed.");

  try {
    const prior = isKnownOld ? ({ kind: "legacy" } as const) : undefined;
    const connecting = client.connect(transport, { timeout: unlimitedMs, signal, ...(prior && { prior }) });
    await untilOver(connecting, signal);
    if (signal.aborted) throw new Error("aborted");
  } catch (error) {
    await transport.close().catch(() => {});
    const cause = fragile === true && !(error instanceof Trouble) ? (lastError?.() ?? error) : error;
    const { failure } = failureOf(cause, { sdk, server, what: theGreeting, lost: died?.() });
    const advice = speaksNewer(sdk, parts, error) ? tryNewer : {};
    return {
      outcome: { ok: false, failure: { happened: "nothing", ...failure, ...advice, code: "server_unavailable" } },
      diedOnFirstQuestion: died?.() !== undefined && hopeless?.() !== true,
      speaksOlder: error instanceof sdk.SdkHttpError && otherWay.includes(error.status),
    };
  }
  if (fragile === true) {
    const before = transport.onerror;
    transport.onerror = (error) => {
      before?.(error);
      lose("Its message stream was closed.");
    };
  }
  const link: ServerLink = {
    ...{ server, sdk, client, deadlines, notify: parts.notify, lose },
    rootsTaken: () => wanted?.taken(),
    lost: () => lost,
  };
  return { outcome: ok(connectionOver(link, parts, reached.value, ending.promise)) };
}

const otherWay: readonly number[] = [400, 404, 405, 406, 415];
const tryNewer = {
  recovery: "Its entry uses sse, the older transport. Most servers use Streamable HTTP: set the type http (-t http).",
};

function speaksNewer(sdk: Sdk, { entry }: ConnectionParts, error: unknown): boolean {
  if (entry.setting.type !== "sse" || !(error instanceof sdk.SseError)) return false;
  return error.code !== undefined && otherWay.includes(error.code);
}

const goodbyeMs = 1000;

function connectionOver(
  link: ServerLink,
  parts: ConnectionParts,
  { transport, speaks, endSession }: ReachedServer,
  gone: Promise<string>,
): McpConnection {
  const { client } = link;
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  const info = client.getServerVersion();
  passNotifications(link);
  void askForLog(link);
  void listenForChanges(link);
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    transport: speaks,
    info: info && { name: info.name, version: info.version },
    offers: { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined },
    ...createTools(link, (elicitation, signal) =>
      link.deadlines.whileAsking(() => elicitUrl(parts.handlers, elicitation, signal)),
    ),
    listResources: (signal) => listResources(link, signal),
    readResource: (uri, signal) => readResource(link, uri, signal),
    watchResource: createWatch(link),
    ...createPrompts(link),
    gone,
    async close() {
      if (endSession !== undefined && client.getProtocolEra() === "legacy") {
        await untilOver(endSession(), AbortSignal.timeout(goodbyeMs)).catch(() => {});
      }
      link.lose("It was closed.");
      await transport.close().catch(() => {});
    },
  };
}
