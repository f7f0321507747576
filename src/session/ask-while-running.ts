import { digestOf } from "../base/digest.ts";
import { markedLines, visibleText } from "../base/text.ts";
import { type ConnectionAnswer, type Connections, type HostAndPort, webPorts } from "../contract/network.ts";
import { type BusyServer, type Sampling, type SamplingAccess, samplingRule } from "../contract/server/server.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { samplingStance } from "../gate/rules/match-rules.ts";
import { newRequest } from "./ask.ts";
import type { SessionParts } from "./parts.ts";

const mostHosts = 8;

interface ConnectingProgram {
  readonly who: "the command" | `the server ${string}`;
  /** Why the question is over once its signal aborts. */
  readonly over: string;
  readonly intentId: string;
  readonly tool: string;
  readonly digest: string;
  /** The command or call, with control characters made visible. */
  readonly doing: string;
}

type AskingParts = Pick<SessionParts, "log" | "requests" | "settings" | "runtime">;
type HostAskingParts = AskingParts & { readonly execution: Pick<SessionParts["execution"], "sandbox"> };
type HostOptions = Parameters<Connections["ask"]>[1] & { readonly asked: number };

/**
 * Asks whether a running command may connect to a host that neither its permit nor a rule names. Each host is asked
 * about once; the answer holds for the command, and as a rule for others too if it is `session` or `always`.
 */
export function hostAsker(session: SessionParts, { checked, permit }: ToolInvocation): Connections["ask"] {
  const answered = new Map<string, Promise<ConnectionAnswer>>();
  const { name: tool } = checked.tool;
  const doing = visibleText(permit.command?.text ?? tool);
  const about = { intentId: checked.intent.id, tool, digest: permit.digest, doing };
  const program: ConnectingProgram = { who: "the command", over: "the command has ended", ...about };
  return async (target, options) => {
    const key = `${target.host}:${target.port}`;
    const known = answered.get(key);
    if (known !== undefined) return known;
    // A rule that asks holds in every mode.
    if (session.log.state.mode === "bypass" && options.because === undefined)
      return { answer: "allow", by: "mode bypass" };
    const answer = askAboutHost(session, program, target, { ...options, asked: answered.size });
    if (answered.size < mostHosts) answered.set(key, answer);
    return answer;
  };
}

export interface ServerConnectionParts {
  readonly server: string;
  readonly otherHosts: "ask" | "refuse";
  readonly busyWith: BusyServer;
}

/**
 * Decides and records the connections of a server's process. Each host is asked about once, in every mode; the answer
 * holds until that process ends, and never becomes a rule.
 */
export function serverConnections(
  session: HostAskingParts,
  { server, otherHosts, busyWith }: ServerConnectionParts,
): Connections {
  const answered = new Map<string, Promise<ConnectionAnswer>>();
  const who = `the server ${server}` as const;
  return {
    async ask(target, options) {
      const key = `${target.host}:${target.port}`;
      const known = answered.get(key);
      if (known !== undefined) return known;
      if (otherHosts === "refuse") return { answer: "refuse", why: `this host is not listed in the entry of ${who}` };
      const current = busyWith.now();
      if (current === undefined) return { answer: "refuse", why: `${who} is not running a call` };
      const { intentId, invocationId, tool } = current;
      const over = "its call has ended";
      const program = { who, over, intentId, tool, digest: invocationId, doing: tool };
      const signal = AbortSignal.any([options.signal, current.over]);
      const answer = askAboutHost(session, program, target, { ...options, signal, asked: answered.size });
      if (answered.size < mostHosts) answered.set(key, answer);
      const { answer: decision, by } = await answer;
      // If the user did not decide, the next call may ask again.
      if (decision === "refuse" && (by === undefined || by === "runtime")) answered.delete(key);
      return answer;
    },
    record(connection) {
      const invocationId = busyWith.at(Date.parse(connection.startedAt))?.invocationId;
      return session.log.append([{ type: "connection.made", data: { server, invocationId, ...connection } }]).ok;
    },
  };
}

async function askAboutHost(
  session: HostAskingParts,
  program: ConnectingProgram,
  target: HostAndPort,
  { signal, because, asked }: HostOptions,
): Promise<ConnectionAnswer> {
  const { who, over, intentId, tool } = program;
  const { host, port } = target;
  const byRule = who === "the command";
  const running = byRule ? "the running command" : who;
  const refuse = (why: string, by?: string) => ({ answer: "refuse", why, by }) as const;
  const rule = byRule && webPorts.includes(port) ? `WebFetch(domain:${host})` : undefined;
  const portOnly = byRule ? "the user can allow this port while the command runs" : "add the host to its entry";
  const allowWith = rule ? `the rule ${rule} in permissions.allow would allow it` : portOnly;
  if (signal.aborted) return refuse(over);
  if (session.log.state.mode === "dontAsk") return refuse(`this mode never asks; ${allowWith}`);
  if (asked >= mostHosts) return refuse(`${who} already asked for ${mostHosts} other hosts; ${allowWith}`);
  const where = `${host}:${port}`;
  const request = newRequest(session, {
    intentId,
    tool,
    // Not the call's digest: an answer to this question must never start the call.
    digest: digestOf([program.digest, "connect", host, port]),
    prompt: {
      title: `Let ${running} connect to ${where}?`,
      action: `${sentence(running)} wants to connect to ${where}:\n${program.doing}`,
      effects: [`connects to ${where}`],
      risk: "R4",
      reason: because === undefined ? "neither the call nor a rule names this host" : `${because} asks for it`,
      sandbox: session.execution.sandbox.description.detail,
      outputLimit: `Only what ${who} ${byRule ? "prints" : "answers"} goes to the model`,
      ...(rule !== undefined && { suggestedRules: [rule] }),
    },
  });
  const message = `${sentence(over)}.`;
  const withdraw = () => session.requests.answer({ request: request.id, answer: "deny", message, by: "runtime" });
  signal.addEventListener("abort", withdraw, { once: true });
  const settled = await session.requests.ask(request, []);
  signal.removeEventListener("abort", withdraw);
  if (!settled.ok) {
    const { code, message } = settled.failure;
    return refuse(code === "approval_unavailable" ? `${message}; ${allowWith}` : message);
  }
  const { answer, by = "user", message: words = "the user declined it" } = settled.value.answer;
  return answer === "allow" ? { answer, by } : refuse(words, by);
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Whether a server may use the model: allowed by a rule for exactly this, or by the user, who sees the whole request.
 */
export function samplingJudge(parts: AskingParts & { readonly gatePolicy: GatePolicy }): SamplingAccess["judge"] {
  return async (sampling, signal) => {
    const { state } = parts.log;
    const denied = (why: string) => ({ decision: "denied", why }) as const;
    const { decision, rule } = samplingStance(sampling.server, parts.gatePolicy, state.grants);
    if (decision === "deny") return denied(`denied by ${rule}`);
    if (decision === "allow") return { decision: "allowed", by: `rule ${rule}` };
    if (state.mode === "dontAsk") return denied("this mode never asks");
    const settled = await parts.requests.ask(samplingRequest(parts, sampling, rule), [], signal);
    if (!settled.ok) return denied(settled.failure.message);
    const { answer, by = "user" } = settled.value.answer;
    return answer === "allow" ? { decision: "allowed", by } : denied(`declined by ${by}`);
  };
}

export function sampledBefore({ log }: Pick<AskingParts, "log">): SamplingAccess["used"] {
  return (server) => {
    let tokens = 0;
    for (const event of log.events({ types: ["server.sampled"] }))
      if (event.type === "server.sampled" && event.data.server === server) tokens += event.data.tokens ?? 0;
    return tokens;
  };
}

function samplingRequest(
  parts: AskingParts,
  { server, call, words, maxTokens }: Sampling,
  because: string | undefined,
) {
  const rule = samplingRule(server);
  const { system, messages } = words;
  // Every line from the server is marked, so that it cannot imitate our own text.
  const shown = [...(system === undefined ? [] : [{ role: "system", text: system }]), ...messages]
    .map(({ role, text }) => `${role}:\n${markedLines(visibleText(text))}`)
    .join("\n");
  return newRequest(parts, {
    intentId: call.intentId,
    tool: call.tool,
    // Not the call's digest: an answer to this question must never start anything else.
    digest: digestOf([call.intentId, rule, words, maxTokens]),
    prompt: {
      title: `Let the server ${server} use the model?`,
      action: `The server ${server} sends this to the model, for an answer of at most ${maxTokens} tokens:\n${shown}`,
      effects: [
        `uses up to ${maxTokens} tokens of the model for an answer`,
        `sends that answer to the server ${server}`,
      ],
      risk: "R3",
      reason: because === undefined ? "a server needs approval to use the model" : `${because} asks for it`,
      sandbox: "The model sees only this text, not the conversation, and has no tools",
      outputLimit: `The answer has at most ${maxTokens} tokens`,
      suggestedRules: [rule],
    },
  });
}
