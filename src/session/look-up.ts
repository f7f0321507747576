import type { Refusal } from "../contract/codes.ts";
import type { ToolIntent } from "../contract/intent.ts";
import { type ServerStatus, serverArgument } from "../contract/server/server.ts";
import type { ToolSource } from "../contract/tool-facts.ts";
import type { HookAnswer, InputRevision } from "../contract/verdict.ts";
import { type Identified, identifyIntent, type KnownTools } from "../registry/identify-intent.ts";
import { type CallState, type SessionParts, visibilityContext } from "./parts.ts";

/** As `identifyIntent`; a name that only a server could explain is refused with how that server is. */
export async function identify(
  session: SessionParts,
  intent: ToolIntent,
  sources?: readonly ToolSource[],
): Promise<Identified> {
  const registry = sources === undefined ? session.registry : knownFrom(sources, session.registry);
  const identified = await identifyIntent(intent, registry, visibilityContext(session, intent));
  if (identified.ok || identified.refusal.code !== "unknown_tool") return identified;
  const [, server] = /^mcp__(.+?)__/.exec(intent.tool) ?? [];
  if (server === undefined) return identified;
  const words = aboutServer(server, { tool: intent.tool, message: identified.refusal.message }, session);
  return { ok: false, refusal: { ...identified.refusal, ...words } };
}

/** The others are not found, and not named either. */
function knownFrom(sources: readonly ToolSource[], registry: KnownTools): KnownTools {
  const find = (name: string) => {
    const found = registry.find(name);
    return found !== undefined && sources.includes(found.tool.source) ? found : undefined;
  };
  return {
    get tools() {
      return registry.tools.filter(({ source }) => sources.includes(source));
    },
    dropped: registry.dropped,
    find,
    suggest: (name) => registry.suggest(name).filter((near) => find(near) !== undefined),
  };
}

type Words = Pick<Refusal, "message" | "recovery">;

/** `message` is what is said of a name that nobody knows anything about. */
function aboutServer(
  server: string,
  { tool, message }: { readonly tool: string; readonly message: string },
  { servers, settings, registry }: SessionParts,
): Words {
  const explained = (why: string, recovery: string): Words => ({
    message: `There is no tool named ${JSON.stringify(tool.slice(0, longestName))}: ${why}.`,
    recovery,
  });
  const status = servers?.status().find(({ name }) => name === server);
  if (status?.state === "ready") {
    const offered = registry.tools.map(({ name }) => name).filter((name) => name.startsWith(`mcp__${server}__`));
    const choice = `It offers: ${offered.slice(0, mostNames).join(", ")}${offered.length > mostNames ? ", …" : ""}.`;
    return {
      message: `${message} The server ${server} runs and has no such tool.`,
      recovery: offered.length === 0 ? "It offers no tools." : choice,
    };
  }
  if (status !== undefined) return explained(...wordsFor(status));

  const idle = settings.idleServers.find(({ entry }) => entry.name === server);
  if (idle !== undefined) {
    const { because, detail, entry, hash } = idle;
    const mends = {
      untrusted: hash === undefined ? undefined : "look at it and decide: `gauntlet trust`",
      disabled: `switch it on again: \`gauntlet mcp enable ${server}\``,
      overridden: undefined,
    }[because];
    return explained(
      `the server ${server} of ${entry.origin} is not started, because ${detail}`,
      mends === undefined
        ? `Go on without it; the person would have to change ${entry.origin}.`
        : `Go on without it, or ask the person to ${mends}.`,
    );
  }
  const broken = settings.brokenServers.find(({ name }) => name === server);
  if (broken !== undefined) {
    return explained(
      `the entry of the server ${server} cannot be read: ${broken.problem}`,
      `Go on without it, or ask the person to correct ${broken.origin}; \`gauntlet mcp list\` shows all servers.`,
    );
  }
  return {
    message: `${message} No server named ${server.slice(0, longestName)} is configured.`,
    recovery: "Choose a tool from the menu. `gauntlet mcp list` shows the servers, `gauntlet mcp add` adds one.",
  };
}

const mostNames = 30;
const longestName = 100;
/** A server's last words may be many, and the last of them matter. */
const longestDetail = 600;
const longestBeginning = 160;

function wordsFor(status: ServerStatus): [why: string, recovery: string] {
  const { name, state, detail = "" } = status;
  const meant = serverArgument(status);
  const look = `\`gauntlet mcp test ${meant}\` starts it and shows what is wrong`;
  switch (state) {
    case "needs_login":
      return [
        `the server ${name} wants a login`,
        `Go on without it, or ask the person to log in: \`gauntlet mcp login ${meant}\`.`,
      ];
    case "failed": {
      const said = inOneLine(detail).replace(/\.$/, "");
      return [`the server ${name} could not be started${said === "" ? "" : `: ${said}`}`, `Go on without it; ${look}.`];
    }
    case "connecting":
      return [`the server ${name} is still starting`, `Propose the call again later; ${look}.`];
    case "configured":
      return [
        `the server ${name} has not been started here, and its tools are known after it ran once`,
        `\`gauntlet mcp test ${meant}\` starts it and shows what it offers.`,
      ];
    default:
      return [`the server ${name} has ended`, `Go on without it; ${look}.`];
  }
}

/** How it begins and, where not all of it fits, how it ends: by whole lines, as far as there are any. */
function inOneLine(detail: string): string {
  const lines = detail.split("\n").flatMap((line) => line.trim() || []);
  const whole = lines.join(" / ");
  if (whole.length <= longestDetail) return whole;
  const beginning = whole.slice(0, longestBeginning).toWellFormed();
  const end = whole.slice(longestBeginning - longestDetail);
  const cut = end.indexOf(" / ");
  return `${beginning} … ${(cut === -1 ? end : end.slice(cut + 3)).toWellFormed()}`;
}

/** The intent with the input that a hook wants, recorded and validated from the beginning. */
export async function revise({ session, intent }: CallState, revision: InputRevision): Promise<Identified> {
  const { hook, input } = revision;
  const stored = session.log.append([{ type: "tool_intent.revised", data: { intentId: intent.id, input, hook } }]);
  if (!stored.ok) return { ok: false, refusal: { ...stored.failure, phase: "write_back" } };
  const identified = await identifyIntent({ ...intent, input }, session.registry, visibilityContext(session, intent));
  return identified.ok
    ? identified
    : { ok: false, refusal: blamed(identified.refusal, { decision: "none", revision }) };
}

/** Whoever reads the refusal must not look for the mistake in what was proposed. */
export function blamed(refusal: Refusal, hooked: HookAnswer | undefined): Refusal {
  const revision = hooked?.revision;
  if (revision === undefined) return refusal;
  return {
    ...refusal,
    message: `The hook ${revision.hook} changed the input, and that cannot be used: ${refusal.message}`,
  };
}
