import { digestOf } from "../base/digest.ts";
import { visibleText } from "../base/text.ts";
import { type ConnectionAnswer, type Connections, type HostAndPort, webPorts } from "../contract/network.ts";
import type { BusyServer } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import { type SessionParts, timestamp } from "./parts.ts";

/** Whoever keeps asking is not answered any more. */
export const mostQuestions = 8;

/** Who wants to connect. */
export interface HostWish {
  /** Such as `the command`, and the same as it is now. */
  readonly who: string;
  readonly running: string;
  /** Why nobody has to answer any more, once that is so. */
  readonly over: string;
  readonly intentId: string;
  readonly tool: string;
  readonly digest: string;
  /** What it is doing, control characters made visible. */
  readonly doing: string;
  /** A rule for the host would let it through. */
  readonly byRule: boolean;
}

type Asking = Pick<SessionParts, "log" | "desk" | "ids" | "clock" | "settings" | "sandbox">;

/**
 * Asks whether a running command may connect to a host that neither its permit nor a rule names. Each host is asked
 * about once; the answer holds for the command, and with `session` or `always` as a rule for others too.
 */
export function hostAsker(session: SessionParts, invocation: ToolInvocation): Connections["ask"] {
  const asked = new Map<string, Promise<ConnectionAnswer>>();
  return (target, options) => {
    const key = `${target.host}:${target.port}`;
    const known = asked.get(key);
    if (known !== undefined) return known;
    const answer = settle(session, wishOf(invocation), target, { ...options, asked: asked.size });
    if (asked.size < mostQuestions) asked.set(key, answer);
    return answer;
  };
}

type AskOptions = Parameters<Connections["ask"]>[1] & { readonly asked: number };

function wishOf({ checked, permit }: ToolInvocation): HostWish {
  return {
    who: "the command",
    running: "the running command",
    over: "the command has ended",
    intentId: checked.intent.id,
    tool: checked.tool.name,
    digest: permit.digest,
    doing: visibleText(permit.command?.text ?? checked.tool.name),
    byRule: true,
  };
}

async function settle(
  session: Asking,
  wish: HostWish,
  target: HostAndPort,
  options: AskOptions,
): Promise<ConnectionAnswer> {
  // Only what the mode itself leaves open: a rule that wants the question gets it in every mode.
  if (session.log.state.mode === "bypass" && options.because === undefined)
    return { answer: "allow", by: "mode bypass" };
  return askAboutHost(session, wish, target, options);
}

/** One durable question about one host, whatever the mode allows by itself. */
export async function askAboutHost(
  session: Asking,
  wish: HostWish,
  target: HostAndPort,
  options: AskOptions,
): Promise<ConnectionAnswer> {
  if (options.signal.aborted) return { answer: "refuse", why: wish.over };
  const allowWith = howToAllow(wish, target);
  if (session.log.state.mode === "dontAsk")
    return { answer: "refuse", why: `nobody is asked in this mode; ${allowWith}` };
  if (options.asked >= mostQuestions) {
    return { answer: "refuse", why: `${wish.who} asked for ${mostQuestions} other hosts already; ${allowWith}` };
  }
  const request = newRequest(session, wish, target, options.because);
  const message = `${sentence(wish.over)}.`;
  const withdraw = () => session.desk.answer({ request: request.id, answer: "deny", message, by: "runtime" });
  options.signal.addEventListener("abort", withdraw, { once: true });
  const settled = await session.desk.ask(request, []);
  options.signal.removeEventListener("abort", withdraw);
  if (!settled.ok) return { answer: "refuse", why: `the question could not be recorded: ${settled.failure.message}` };
  const ending = settled.value;
  switch (ending.kind) {
    case "unavailable":
      return { answer: "refuse", why: `nobody could be asked; ${allowWith}` };
    case "expired":
      return { answer: "refuse", why: "nobody answered in time" };
    case "withdrawn":
      return { answer: "refuse", why: "the question was withdrawn" };
    case "answered": {
      const { answer, by = "user", message } = ending.answer;
      if (answer === "allow") return { answer, by };
      return { answer: "refuse", why: message ?? "the user declined it", by };
    }
  }
}

function newRequest(
  session: Asking,
  wish: HostWish,
  target: HostAndPort,
  because: string | undefined,
): PermissionRequest {
  const where = `${target.host}:${target.port}`;
  const rule = ruleFor(wish, target);
  return {
    id: session.ids.next("req"),
    intentId: wish.intentId,
    tool: wish.tool,
    // Another one than the call's: an answer to this question can never start the call.
    digest: digestOf([wish.digest, "connect", target.host, target.port]),
    prompt: {
      title: `Let ${wish.running} connect to ${where}?`,
      action: `${sentence(wish.running)} wants to connect to ${where}:\n${wish.doing}`,
      effects: [`connects to ${where}`],
      risk: "R4",
      reason: because === undefined ? "neither the call nor a rule names this host" : `${because} wants it to be asked`,
      sandbox: session.sandbox.description.detail,
      outputLimit: `Nothing of it goes to the model but what ${wish.who} ${wish.byRule ? "prints" : "answers"}`,
      ...(rule === undefined ? {} : { suggestedRules: [rule] }),
    },
    requestedAt: timestamp(session.clock),
    expiresAt: new Date(session.clock.now() + session.settings.limits.approvalMs).toISOString(),
  };
}

/** A rule opens a host on the ports of the web. For another port there is only the answer for this command. */
function ruleFor({ byRule }: HostWish, { host, port }: HostAndPort): string | undefined {
  return byRule && webPorts.includes(port) ? `WebFetch(domain:${host})` : undefined;
}

function howToAllow(wish: HostWish, target: HostAndPort): string {
  const rule = ruleFor(wish, target);
  if (rule !== undefined) return `the rule ${rule} in permissions.allow would allow it`;
  return wish.byRule ? "a person can allow this port while the command runs" : "its entry can name the host";
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface ServerConnectionParts {
  readonly server: string;
  /** What its entry says of hosts that nobody named. */
  readonly otherHosts: "ask" | "refuse";
  readonly busyWith: BusyServer;
}

/**
 * Asked and told about the connections that the program of a server makes. Each host is asked about once, in every
 * mode; what a person says holds for as long as that program runs, and no rule for others comes of it.
 */
export function serverConnections(
  session: Pick<SessionParts, "log" | "desk" | "ids" | "clock" | "settings" | "sandbox">,
  { server, otherHosts, busyWith }: ServerConnectionParts,
): Connections {
  const answered = new Map<string, Promise<ConnectionAnswer>>();
  const who = `the server ${server}`;

  return {
    async ask(target, options) {
      const key = `${target.host}:${target.port}`;
      const known = answered.get(key);
      if (known !== undefined) return known;
      if (otherHosts === "refuse") return { answer: "refuse", why: `the entry of ${who} does not name this host` };
      const current = busyWith.now();
      if (current === undefined) return { answer: "refuse", why: `nothing is asked of ${who} at the moment` };
      const { intentId, invocationId, tool } = current;
      const over = "the call that it was for has ended";
      const wish = { who, running: who, over, intentId, tool, digest: invocationId, doing: tool, byRule: false };
      const signal = AbortSignal.any([options.signal, current.over]);
      const answer = askAboutHost(session, wish, target, { ...options, signal, asked: answered.size });
      if (answered.size < mostQuestions) answered.set(key, answer);
      if (!isDecided(await answer)) answered.delete(key);
      return answer;
    },
    record(connection) {
      const call = busyWith.at(Date.parse(connection.startedAt));
      const owner = call === undefined ? {} : { invocationId: call.invocationId };
      return session.log.append([{ type: "connection.made", data: { server, ...owner, ...connection } }]).ok;
    },
  };
}

/** By somebody, and not because nobody was there: then the next call may ask again. */
function isDecided(answer: ConnectionAnswer): boolean {
  return answer.answer === "allow" || (answer.by !== undefined && answer.by !== "runtime");
}
