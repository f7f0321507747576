import type { AgentNotice } from "../contract/app/agent.ts";
import { addUsage, modelName } from "../contract/model.ts";
import type { Observation } from "../contract/observation.ts";
import type { Verification } from "../contract/verification.ts";
import { keepOutput } from "./call-lines.ts";
import { type Item, type LiveCall, type Screen, verifiedItem, withItem } from "./screen-state.ts";
import { endLine, withText } from "./screen-text.ts";

/** What happens in the session, as it changes what a person sees. */
export function withNotice(screen: Screen, notice: AgentNotice): Screen {
  switch (notice.kind) {
    case "turn_started":
      return {
        ...endLine(screen),
        fence: undefined,
        spoke: false,
        thought: "",
        waiting: "",
        turns: notice.turn,
        model: modelName(notice.model),
      };
    case "text":
      return withText({ ...screen, thought: "" }, notice.text);
    case "reasoning":
      return { ...screen, thought: lastWords(screen.thought + notice.text) };
    case "proposing":
      return withCall(endLine(screen), notice.callId, (before) => ({
        id: notice.callId,
        tool: notice.tool,
        title: notice.tool,
        state: "proposing",
        progress: "",
        tail: "",
        arguments: lastWords((before?.arguments ?? "") + notice.text, 4_000),
      }));
    case "queued":
    case "started": {
      const running = {
        id: notice.intentId,
        tool: notice.tool,
        title: notice.title,
        state: notice.kind === "queued" ? "queued" : "running",
        progress: "",
        tail: "",
        arguments: "",
      } as const;
      return withCall(withoutProposals(endLine(screen)), notice.intentId, () => running);
    }
    case "menu_changed":
    case "resource_updated":
    case "piped":
    case "proposed":
    case "revised":
      return screen;
    case "server":
      return withServer(screen, notice);
    case "progressed":
      return withCall(screen, notice.intentId, (before) =>
        before === undefined
          ? undefined
          : { ...before, progress: notice.progress.message, tail: notice.progress.tail ?? before.tail },
      );
    case "observed": {
      const { intentId } = notice.observation;
      const { text } = notice.observation.user;
      const own = screen.verified.filter((one) => one.intentId === intentId && !saysResult(text, one));
      const ended = withItem(withoutProposals(endLine(screen)), { kind: "call", observation: notice.observation });
      return {
        ...ended,
        outputs: keepOutput(screen.outputs, notice.observation),
        calls: ended.calls.filter(({ id }) => id !== intentId),
        verified: screen.verified.filter((one) => one.intentId !== intentId),
        items: [...ended.items, ...notKept(notice.observation), ...own.map(verifiedItem)],
      };
    }
    case "turn_ended":
      return {
        ...withoutProposals(endLine(screen)),
        failed: "",
        usage: addUsage(screen.usage, notice.usage),
        costUsd:
          screen.costUsd === undefined || notice.costUsd === undefined ? undefined : screen.costUsd + notice.costUsd,
        context: { ...screen.context, tokens: Math.round(notice.pressure * screen.context.limit) },
      };
    case "provider_error": {
      const { provider, kind, message } = notice.error;
      const failed = `${provider}: ${kind}: ${message}`;
      if (failed === screen.failed) return endLine(screen);
      return withItem({ ...endLine(screen), failed }, { kind: "note", tone: "bad", text: failed });
    }
    case "retrying": {
      const attempt = `attempt ${notice.attempt} in ${(notice.delayMs / 1000).toFixed(1)} s`;
      const waiting = `the model did not answer; ${attempt}`;
      return { ...withItem(screen, { kind: "note", tone: "warning", text: attempt }), waiting };
    }
    case "fallback":
      return withItem(
        { ...screen, model: modelName(notice.to) },
        { kind: "note", tone: "warning", text: `${modelName(notice.to)} takes over from ${modelName(notice.from)}` },
      );
    case "compacted":
      return withItem(screen, {
        kind: "note",
        tone: "quiet",
        text: `Compacted the older conversation: ${notice.tokensBefore} → ${notice.tokensAfter} tokens`,
      });
    case "verified":
      return { ...screen, verified: [...screen.verified, notice.verification] };
    case "hook":
      return withItem(screen, { kind: "note", tone: "warning", text: `${notice.event} hook: ${notice.message}` });
  }
}

/** The call itself says how many tests passed or failed. */
function saysResult(text: string, { kinds }: Verification): boolean {
  return kinds.every((kind) => kind === "tests") && /\btests? (?:passed|failed)\b/.test(text);
}

/** Who said "always" would otherwise find out with the next question. */
function notKept({ permission }: Observation): readonly Item[] {
  const problem = permission?.remembered?.problem;
  return problem === undefined ? [] : [{ kind: "note", tone: "warning", text: problem }];
}

/** Only what a person has to know: one that failed or wants something of them. */
function withServer(screen: Screen, { status, message }: Extract<AgentNotice, { readonly kind: "server" }>): Screen {
  const words = message ?? status.detail;
  if ((status.state !== "failed" && status.state !== "needs_login") || words === undefined) return screen;
  const note: Item = { kind: "note", tone: "warning", text: `${status.name}: ${words}` };
  return { ...screen, items: [...screen.items, note] };
}

function withCall(screen: Screen, id: string, next: (before: LiveCall | undefined) => LiveCall | undefined): Screen {
  const before = screen.calls.find((call) => call.id === id);
  const call = next(before);
  if (call === undefined) return screen;
  const calls =
    before === undefined ? [...screen.calls, call] : screen.calls.map((one) => (one.id === id ? call : one));
  return { ...screen, calls };
}

/** Once the calls themselves are there, their arguments have been seen. */
function withoutProposals(screen: Screen): Screen {
  return { ...screen, calls: screen.calls.filter(({ state }) => state !== "proposing") };
}

function lastWords(text: string, most = 400): string {
  return text.slice(-most);
}
