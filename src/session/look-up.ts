import type { Refusal } from "../contract/codes.ts";
import { type ServerStatus, serverArgument } from "../contract/server/server.ts";
import type { ToolSource } from "../contract/tool-facts.ts";
import type { HookAnswer, InputRevision } from "../contract/verdict.ts";
import { type Identified, identifyIntent, type KnownTools } from "../registry/identify-intent.ts";
import type { CallState, SessionParts } from "./parts.ts";
import { visibilityContext } from "./question.ts";

/**
 * Finds and validates the tool. An unknown name that may belong to a server is refused with the state of that server.
 */
export async function lookUp({
  session,
  intent,
  sources,
}: Pick<CallState, "session" | "intent" | "sources">): Promise<Identified> {
  const { registry } = session.tools;
  const known = sources === undefined ? registry : knownFrom(sources, registry);
  const identified = await identifyIntent(intent, known, visibilityContext(session, intent));
  if (identified.ok || identified.refusal.code !== "unknown_tool") return identified;
  const [, server] = /^mcp__(.+?)__/.exec(intent.tool) ?? [];
  if (server === undefined) return identified;
  const { refusal } = identified;
  return { ok: false, refusal: { ...refusal, ...aboutServer(server, intent.tool, refusal.message, session) } };
}

export async function revise({ session, intent }: CallState, revision: InputRevision): Promise<Identified> {
  const { hook, input } = revision;
  const stored = session.log.append([{ type: "tool_intent.revised", data: { intentId: intent.id, input, hook } }]);
  if (!stored.ok) return { ok: false, refusal: { ...stored.failure, phase: "write_back" } };
  const visibility = visibilityContext(session, intent);
  const identified = await identifyIntent({ ...intent, input }, session.tools.registry, visibility);
  return identified.ok
    ? identified
    : { ok: false, refusal: blamed(identified.refusal, { decision: "none", revision }) };
}

export function blamed(refusal: Refusal, hooked: HookAnswer | undefined): Refusal {
  const hook = hooked?.revision?.hook;
  if (hook === undefined) return refusal;
  return { ...refusal, message: `The hook ${hook} changed the input to an invalid one: ${refusal.message}` };
}

function knownFrom(sources: readonly ToolSource[], registry: KnownTools): KnownTools {
  const find = (name: string) => {
    const found = registry.find(name);
    return found !== undefined && sources.includes(found.tool.source) ? found : undefined;
  };
  return {
    tools: registry.tools.filter(({ source }) => sources.includes(source)),
    dropped: registry.dropped,
    find,
    suggest: (name) => registry.suggest(name).filter((near) => find(near) !== undefined),
  };
}

const mostNames = 30;
const longestName = 100;

function aboutServer(
  server: string,
  tool: string,
  unknown: string,
  { tools: { servers, registry }, settings }: SessionParts,
): Pick<Refusal, "message" | "recovery"> {
  const explained = ([why, recovery]: readonly [string, string]) => ({
    message: `There is no tool named ${JSON.stringify(tool.slice(0, longestName))}: ${why}.`,
    recovery,
  });
  const status = servers?.status().find(({ name }) => name === server);
  if (status?.state === "ready") {
    const offered = registry.tools.map(({ name }) => name).filter((name) => name.startsWith(`mcp__${server}__`));
    const more = offered.length > mostNames ? ", …" : "";
    return {
      message: `${unknown} The server ${server} runs and has no such tool.`,
      recovery: `It offers: ${offered.slice(0, mostNames).join(", ") || "no tools"}${more}.`,
    };
  }
  if (status !== undefined) return explained(wordsFor(status));
  const idle = settings.idleServers.find(({ entry }) => entry.name === server);
  if (idle !== undefined) {
    const { because, detail, entry, hash } = idle;
    const ask =
      because === "untrusted" && hash !== undefined
        ? "review and trust it: `gauntlet trust`"
        : because === "disabled"
          ? `enable it: \`gauntlet mcp enable ${server}\``
          : `change ${entry.origin}`;
    const why = `the server ${server} of ${entry.origin} is not started, because ${detail}`;
    return explained([why, `Continue without it, or ask the user to ${ask}.`]);
  }
  const broken = settings.brokenServers.find(({ name }) => name === server);
  if (broken !== undefined)
    return explained([
      `the entry of the server ${server} is invalid: ${broken.problem}`,
      `Continue without it, or ask the user to correct ${broken.origin}; \`gauntlet mcp list\` shows all servers.`,
    ]);
  return {
    message: `${unknown} No server named ${server.slice(0, longestName)} is configured.`,
    recovery: "Choose a tool from the menu. `gauntlet mcp list` shows the servers, `gauntlet mcp add` adds one.",
  };
}

function wordsFor(status: ServerStatus): readonly [why: string, recovery: string] {
  const { name, state, detail = "" } = status;
  const argument = serverArgument(status);
  const test = `\`gauntlet mcp test ${argument}\` starts it and shows what`;
  const said = inOneLine(detail).replace(/\.$/, "");
  switch (state) {
    case "needs_login": {
      const login = `Continue without it, or ask the user to log in: \`gauntlet mcp login ${argument}\`.`;
      return [`the server ${name} requires a login`, login];
    }
    case "failed":
      return [
        `the server ${name} could not be started${said === "" ? "" : `: ${said}`}`,
        `Continue without it; ${test} is wrong.`,
      ];
    case "connecting":
      return [`the server ${name} is still starting`, `Retry the call later; ${test} is wrong.`];
    case "configured":
      return [
        `the server ${name} has not been started here; its tools are unknown until its first start`,
        `${test} it offers.`,
      ];
    default:
      return [`the server ${name} has ended`, `Continue without it; ${test} is wrong.`];
  }
}

/** The end of a server's output matters most. */
const longestDetail = { beginning: 160, end: 440 };

function inOneLine(detail: string): string {
  const whole = detail
    .split("\n")
    .flatMap((line) => line.trim() || [])
    .join(" / ");
  const { beginning, end } = longestDetail;
  if (whole.length <= beginning + end) return whole;
  return `${whole.slice(0, beginning).toWellFormed()} … ${whole.slice(-end).toWellFormed()}`;
}
