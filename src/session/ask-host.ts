import type { ConnectionAnswer, Connections } from "../contract/connection.ts";
import { digestOf } from "../contract/digest.ts";
import { type HostAndPort, webPorts } from "../contract/host-scope.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { visibleText } from "../contract/visible-text.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import { type Journey, timestamp } from "./journey.ts";

/** A command that keeps asking is not answered any more. */
const mostQuestions = 8;

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
    const answer = settle(journey, invocation, target, { ...options, asked: asked.size });
    if (asked.size < mostQuestions) asked.set(key, answer);
    return answer;
  };
}

type AskOptions = Parameters<Connections["ask"]>[1] & { readonly asked: number };

async function settle(
  journey: Journey,
  invocation: ToolInvocation,
  target: HostAndPort,
  options: AskOptions,
): Promise<ConnectionAnswer> {
  const { mode } = journey.log.state;
  // Only what the mode itself leaves open: a rule that wants the question gets it in every mode.
  if (mode === "bypass" && options.because === undefined) return { answer: "allow", by: "mode bypass" };
  if (options.signal.aborted) return { answer: "refuse", why: "the command has ended" };
  const allowWith = howToAllow(target);
  if (mode === "dontAsk") return { answer: "refuse", why: `nobody is asked in this mode; ${allowWith}` };
  if (options.asked >= mostQuestions) {
    return { answer: "refuse", why: `the command asked for ${mostQuestions} other hosts already; ${allowWith}` };
  }
  const request = newRequest(journey, invocation, target, options.because);
  const withdraw = () =>
    journey.desk.answer({ request: request.id, answer: "deny", message: "The command has ended.", by: "runtime" });
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
  journey: Journey,
  { checked, permit }: ToolInvocation,
  target: HostAndPort,
  because: string | undefined,
): PermissionRequest {
  const where = `${target.host}:${target.port}`;
  const rule = ruleFor(target);
  return {
    id: journey.ids.next("req"),
    intentId: checked.intent.id,
    tool: checked.tool.name,
    // Another one than the call's: an answer to this question can never start the command.
    digest: digestOf([permit.digest, "connect", target.host, target.port]),
    prompt: {
      title: `Let the running command connect to ${where}?`,
      action: `The running command wants to connect to ${where}:\n${visibleText(permit.command?.text ?? checked.tool.name)}`,
      effects: [`connects to ${where}`],
      risk: "R4",
      reason: because === undefined ? "neither the call nor a rule names this host" : `${because} wants it to be asked`,
      sandbox: journey.sandbox.description.detail,
      outputLimit: "Nothing of it goes to the model but what the command prints",
      ...(rule === undefined ? {} : { suggestedRule: rule, suggestedRules: [rule] }),
    },
    requestedAt: timestamp(journey.clock),
    expiresAt: new Date(journey.clock.now() + journey.settings.limits.approvalMs).toISOString(),
  };
}

/** A rule opens a host on the ports of the web. For another port there is only the answer for this command. */
function ruleFor({ host, port }: HostAndPort): string | undefined {
  return webPorts.includes(port) ? `WebFetch(domain:${host})` : undefined;
}

function howToAllow(target: HostAndPort): string {
  const rule = ruleFor(target);
  return rule === undefined
    ? "a person can allow this port while the command runs"
    : `the rule ${rule} in permissions.allow would allow it`;
}
