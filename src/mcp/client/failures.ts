import { basename } from "node:path";
import { isRecord } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import { type Failure, fail } from "../../contract/codes.ts";
import type { ServerSetting } from "../../contract/server/server.ts";
import { launching } from "../../programs/launchers.ts";
import { loginNeeded } from "./connection.ts";
import type { Sdk } from "./sdk.ts";

export const ownCodes = { tooLong: -32_099, brokenOff: -32_098 };

export function serverWords(text: string, most = 500): string {
  const visible = visibleText(text.slice(0, most)).trim();
  return text.length > most ? `${visible}…` : visible;
}

export class Trouble extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    // With this name the SDK passes the error on instead of treating the server as an older one.
    this.name = "UnauthorizedError";
    this.failure = failure;
  }
}

export type FailedOutcome = ReturnType<typeof fail>;

export function raise({ failure }: FailedOutcome): never {
  throw new Trouble(failure);
}

export const theGreeting = "the handshake";

export interface FailureContext {
  readonly sdk: Sdk;
  readonly server: string;
  readonly what: string;
  readonly lost: string | undefined;
}

export function failureOf(error: unknown, { sdk, server, what, lost }: FailureContext): FailedOutcome {
  const named = `The server "${server}"`;
  const trouble = causesOf(error).find((cause) => cause instanceof Trouble);
  if (trouble !== undefined) return { ok: false, failure: trouble.failure };
  if (error instanceof sdk.UnauthorizedError) return loginNeeded(server, `${named} requires a login.`);
  if (error instanceof sdk.ResourceNotFoundError) {
    return fail("file_not_found", `${named} has no such resource.`, { recovery: "List the server's resources." });
  }
  if (error instanceof sdk.ProtocolError) {
    const words = serverWords(error.message);
    if (error.code === ownCodes.tooLong) return fail("output_invalid", `${named} sent too long a message. ${words}`);
    if (error.code === ownCodes.brokenOff)
      return fail("server_unavailable", `${named} closed the stream early. ${words}`);
    if (error.code === sdk.ProtocolErrorCode.UnsupportedProtocolVersion) return unknownRevision(named);
    return fail("tool_failed", `${named} refused ${what}: ${words} (${error.code})`);
  }
  if (error instanceof sdk.SdkHttpError) return httpFailure(error.status, server);
  if (error instanceof sdk.SseError && error.code !== undefined) return httpFailure(error.code, server);
  if (error instanceof sdk.SdkError) {
    switch (error.code) {
      case sdk.SdkErrorCode.InvalidResult:
      case sdk.SdkErrorCode.UnsupportedResultType:
        return fail("output_invalid", `${named} returned an invalid result for ${what}.`);
      case sdk.SdkErrorCode.InputRequiredRoundsExceeded:
        return fail("tool_failed", `${named} asked too many follow-up questions.`);
      case sdk.SdkErrorCode.CapabilityNotSupported:
      case sdk.SdkErrorCode.MethodNotSupportedByProtocolVersion:
        return fail("runtime_precondition_failed", `${named} does not support ${what}.`);
    }
  }
  if (lost !== undefined) {
    const fate = what === theGreeting ? "did not start" : "stopped";
    const recovery = "The next call starts it again. If it keeps stopping, check its command and its last output.";
    return fail("server_unavailable", `${named} ${fate}. ${serverWords(lost, 1600)}`, { recovery });
  }
  const network = networkFailure(error, server);
  if (network !== undefined) return network;
  const isEra = error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed;
  // The SDK has no class for this one.
  const isVersion = error instanceof Error && error.message.startsWith("Server's protocol version is not supported");
  if (isEra || isVersion) return unknownRevision(named);
  return fail("server_unavailable", `${named} broke the protocol in its answer to ${what} (${nameOf(error)}).`);
}

function unknownRevision(named: string): FailedOutcome {
  return fail("server_unavailable", `${named} uses an unsupported protocol version.`, {
    recovery: "Check that its command or URL is an MCP server, and update it.",
    happened: "nothing",
  });
}

export function lateFailure(server: string, setting: ServerSetting, ms: number): FailedOutcome {
  const message = `The server "${server}" was not ready within ${ms / 1000} s.`;
  if (!("command" in setting)) {
    return fail("timeout", message, { recovery: "Check that its URL is an MCP server.", happened: "nothing" });
  }
  const program = basename(setting.command);
  const waits = launching.has(program)
    ? `${program} waits for the network. A program in the sandbox reaches only the hosts in sandbox.network of its entry.`
    : "A server reads requests from standard input and writes responses to standard output.";
  return fail("timeout", message, {
    recovery: `Run its command by hand to see what it waits for. ${waits}`,
    happened: "nothing",
  });
}

export function httpFailure(status: number, server: string): FailedOutcome {
  const named = `The server "${server}"`;
  const refused = (message: string, recovery: string) =>
    fail("server_unavailable", message, { recovery, happened: "nothing" });
  if (status === 401) return loginNeeded(server, `${named} requires a login.`);
  if (status === 403) {
    return refused(
      `${named} denied access (HTTP 403).`,
      "Ask the server's operator for access, or log in as another user.",
    );
  }
  if (status >= 300 && status < 400) {
    return refused(
      `${named} redirects to another address (HTTP ${status}), which is not followed.`,
      "Set the server's final URL in the settings.",
    );
  }
  if (status === 404 || status === 405) {
    return fail("server_unavailable", `The URL of the server "${server}" is not an MCP endpoint (HTTP ${status}).`, {
      recovery: "Check its URL in the settings.",
    });
  }
  return fail("server_unavailable", `${named} answered with HTTP ${status}.`);
}

export function networkFailure(error: unknown, server: string): FailedOutcome | undefined {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    if (code === undefined) continue;
    if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|HOSTNAME_MISMATCH/.test(code)) {
      return fail("server_unavailable", `The certificate of the server "${server}" is not trusted (${code}).`, {
        recovery: "Check the URL. For a private authority, set NODE_EXTRA_CA_CERTS.",
        happened: "nothing",
      });
    }
    if (/^(?:E[A-Z]{3,}|UND_ERR_[A-Z_]+)$/.test(code)) {
      const place = placeOf(cause);
      const advice = "Start the server, or correct its URL.";
      const message = `The server "${server}" could not be reached${place && ` at ${place}`} (${code}).`;
      return fail("server_unavailable", message, code === "ECONNREFUSED" ? { recovery: advice } : {});
    }
  }
  return undefined;
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) {
    causes.push(at);
    if (at instanceof AggregateError) causes.push(at.errors[0]);
    if ("event" in at && isRecord(at.event) && "code" in at.event) causes.push(at.event);
  }
  return causes;
}

function codeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error.code === "string" ? error.code : undefined;
}

function placeOf(error: unknown): string {
  const { address, hostname, port } = isRecord(error) ? error : {};
  const host = address ?? hostname;
  if (typeof host !== "string") return "";
  const named = serverWords(host.includes(":") ? `[${host}]` : host, 255);
  return typeof port === "number" ? `${named}:${port}` : named;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
