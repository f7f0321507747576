import { digestOf } from "../base/digest.ts";
import { visibleText } from "../base/text.ts";
import { type ConnectionAnswer, type Connections, type HostAndPort, webPorts } from "../contract/network.ts";
import type { BusyServer } from "../contract/server/server.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import { newRequest } from "./ask.ts";
import type { SessionParts } from "./parts.ts";

/** One command or server asks about no more hosts than this. */
const mostQuestions = 8;

/** The program that wants to connect. */
interface ConnectingProgram {
  /** Such as `the command`. */
  readonly who: string;
  readonly running: string;
  /** Why the question is over once its signal aborts. */
  readonly over: string;
  readonly intentId: string;
  readonly tool: string;
  readonly digest: string;
  /** What it is doing, control characters made visible. */
  readonly doing: string;
  /** A rule for the host would let it through. */
  readonly byRule: boolean;
}

export type AskingParts = Pick<SessionParts, "log" | "requests" | "settings" | "runtime">;
type HostParts = AskingParts & { readonly execution: Pick<SessionParts["execution"], "sandbox"> };
type AskOptions = Parameters<Connections["ask"]>[1] & { readonly asked: number };

/**
 * Asks whether a running command may connect to a host that neither its permit nor a rule names. Each host is asked
 * about once; the answer holds for the command, and with `session` or `always` as a rule for others too.
 */
export function hostAsker(session: SessionParts, { checked, permit }: ToolInvocation): Connections["ask"] {
  const asked = new Map<string, Promise<ConnectionAnswer>>();
  const program: ConnectingProgram = {
    who: "the command",
    running: "the running command",
    over: "the command has ended",
    intentId: checked.intent.id,
    tool: checked.tool.name,
    digest: permit.digest,
    doing: visibleText(permit.command?.text ?? checked.tool.name),
    byRule: true,
  };
  return (target, options) => {
    const key = `${target.host}:${target.port}`;
    const known = asked.get(key);
    if (known !== undefined) return known;
    // A rule that asks holds in every mode.
    const isOpen = session.log.state.mode === "bypass" && options.because === undefined;
    const answer: Promise<ConnectionAnswer> = isOpen
      ? Promise.resolve({ answer: "allow", by: "mode bypass" })
      : askAboutHost(session, program, target, { ...options, asked: asked.size });
    if (asked.size < mostQuestions) asked.set(key, answer);
    return answer;
  };
}

export interface ServerConnectionParts {
  readonly server: string;
  /** For hosts that its entry does not name. */
  readonly otherHosts: "ask" | "refuse";
  readonly busyWith: BusyServer;
}

/**
 * Answers and records connections of a server's program. Each host is asked about once, in every mode; the answer holds
 * as long as that program runs, and becomes no rule for others.
 */
export function serverConnections(
  session: HostParts,
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
      const program = { who, running: who, over, intentId, tool, digest: invocationId, doing: tool, byRule: false };
      const signal = AbortSignal.any([options.signal, current.over]);
      const answer = askAboutHost(session, program, target, { ...options, signal, asked: answered.size });
      if (answered.size < mostQuestions) answered.set(key, answer);
      const { answer: decision, by } = await answer;
      // Where the user did not decide, the next call may ask again.
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
  session: HostParts,
  program: ConnectingProgram,
  target: HostAndPort,
  { signal, because, asked }: AskOptions,
): Promise<ConnectionAnswer> {
  const refuse = (why: string, by?: string) => ({ answer: "refuse", why, by }) as const;
  const rule = program.byRule && webPorts.includes(target.port) ? `WebFetch(domain:${target.host})` : undefined;
  const allowWith = rule
    ? `the rule ${rule} in permissions.allow would allow it`
    : program.byRule
      ? "a person can allow this port while the command runs"
      : "its entry can name the host";
  if (signal.aborted) return refuse(program.over);
  if (session.log.state.mode === "dontAsk") return refuse(`nobody is asked in this mode; ${allowWith}`);
  if (asked >= mostQuestions)
    return refuse(`${program.who} asked for ${mostQuestions} other hosts already; ${allowWith}`);
  const request = hostRequest(session, program, target, because, rule);
  const message = `${sentence(program.over)}.`;
  const withdraw = () => session.requests.answer({ request: request.id, answer: "deny", message, by: "runtime" });
  signal.addEventListener("abort", withdraw, { once: true });
  const settled = await session.requests.ask(request, []);
  signal.removeEventListener("abort", withdraw);
  if (!settled.ok) return refuse(`the question could not be recorded: ${settled.failure.message}`);
  const end = settled.value;
  if (end.kind === "unavailable") return refuse(`nobody could be asked; ${allowWith}`);
  if (end.kind === "expired") return refuse("nobody answered in time");
  if (end.kind === "withdrawn") return refuse("the question was withdrawn");
  const { answer, by = "user", message: words = "the user declined it" } = end.answer;
  return answer === "allow" ? { answer, by } : refuse(words, by);
}

function hostRequest(
  session: HostParts,
  { intentId, tool, digest, running, doing, who, byRule }: ConnectingProgram,
  { host, port }: HostAndPort,
  because: string | undefined,
  rule: string | undefined,
): PermissionRequest {
  const where = `${host}:${port}`;
  return newRequest(session, {
    intentId,
    tool,
    // Not the call's digest: an answer to this question can never start the call.
    digest: digestOf([digest, "connect", host, port]),
    prompt: {
      title: `Let ${running} connect to ${where}?`,
      action: `${sentence(running)} wants to connect to ${where}:\n${doing}`,
      effects: [`connects to ${where}`],
      risk: "R4",
      reason: because === undefined ? "neither the call nor a rule names this host" : `${because} wants it to be asked`,
      sandbox: session.execution.sandbox.description.detail,
      outputLimit: `Nothing of it goes to the model but what ${who} ${byRule ? "prints" : "answers"}`,
      ...(rule !== undefined && { suggestedRules: [rule] }),
    },
  });
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
