import { digestOf } from "../base/digest.ts";
import { visibleText } from "../base/text.ts";
import type { ConnectionAnswer, Connections } from "../contract/network.ts";
import { type HostAndPort, webPorts } from "../contract/network.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import { type Journey, timestamp } from "./journey.ts";

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

type Asking = Pick<Journey, "log" | "desk" | "ids" | "clock" | "settings" | "sandbox">;

/**
 * Asks whether a running command may connect to a host that neither its permit nor a rule names. Each host is asked
 * about once; the answer holds for the command, and with `session` or `always` as a rule for others too.
 */
export function hostAsker(journey: Journey, invocation: ToolInvocation): Connections["ask"] {
  const asked = new Map<string, Promise<ConnectionAnswer>>();
  return (target, options) => {
    const key = `${target.host}:${target.port}`;
    const known = asked.get(key);
    if (known !== undefined) return known;
    const answer = settle(journey, wishOf(invocation), target, { ...options, asked: asked.size });
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
  journey: Asking,
  wish: HostWish,
  target: HostAndPort,
  options: AskOptions,
): Promise<ConnectionAnswer> {
  // Only what the mode itself leaves open: a rule that wants the question gets it in every mode.
  if (journey.log.state.mode === "bypass" && options.because === undefined)
    return { answer: "allow", by: "mode bypass" };
  return askAboutHost(journey, wish, target, options);
}

/** One durable question about one host, whatever the mode allows by itself. */
export async function askAboutHost(
  journey: Asking,
  wish: HostWish,
  target: HostAndPort,
  options: AskOptions,
): Promise<ConnectionAnswer> {
  if (options.signal.aborted) return { answer: "refuse", why: wish.over };
  const allowWith = howToAllow(wish, target);
  if (journey.log.state.mode === "dontAsk")
    return { answer: "refuse", why: `nobody is asked in this mode; ${allowWith}` };
  if (options.asked >= mostQuestions) {
    return { answer: "refuse", why: `${wish.who} asked for ${mostQuestions} other hosts already; ${allowWith}` };
  }
  const request = newRequest(journey, wish, target, options.because);
  const message = `${sentence(wish.over)}.`;
  const withdraw = () => journey.desk.answer({ request: request.id, answer: "deny", message, by: "runtime" });
  options.signal.addEventListener("abort", withdraw, { once: true });
  const settled = await journey.desk.ask(request, []);
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
  journey: Asking,
  wish: HostWish,
  target: HostAndPort,
  because: string | undefined,
): PermissionRequest {
  const where = `${target.host}:${target.port}`;
  const rule = ruleFor(wish, target);
  return {
    id: journey.ids.next("req"),
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
      sandbox: journey.sandbox.description.detail,
      outputLimit: `Nothing of it goes to the model but what ${wish.who} ${wish.byRule ? "prints" : "answers"}`,
      ...(rule === undefined ? {} : { suggestedRules: [rule] }),
    },
    requestedAt: timestamp(journey.clock),
    expiresAt: new Date(journey.clock.now() + journey.settings.limits.approvalMs).toISOString(),
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
