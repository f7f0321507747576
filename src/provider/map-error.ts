import { isRecord } from "../base/json.ts";
import { clip, plainText } from "../base/text.ts";
import type { ModelRef, ProviderError, ProviderErrorKind } from "../contract/model.ts";
import { type Fault, isRetryable, kindByName, kindByRules, kindOfNetwork } from "./error-rules.ts";
import { type LocalServer, localServers } from "./known-providers.ts";

export interface ErrorContext {
  readonly ref: ModelRef;
  readonly requestId?: string | undefined;
  /** Never included in a message. */
  readonly secrets: readonly string[];
}

const longestMessage = 600;
const longestDebug = 4096;

export function mapError(error: unknown, context: ErrorContext & { readonly now: () => number }): ProviderError {
  const fault = faultOf(error);
  const stopped = stoppedServer(fault, context.ref);
  if (stopped !== undefined) return { ...providerError("model_unavailable", stopped, context), retryable: false };
  const { kind, retryable } = classify(fault);
  const { status, headers, body } = fault;
  const requestId = requestIdOf(headers, context) ?? context.requestId;
  const wait = retryAfterMs(headers, body, context.now());
  const told = headers["x-should-retry"];
  return {
    ...providerError(kind, messageOf(kind, fault), context),
    retryable: told === "true" || told === "false" ? told === "true" : retryable,
    requestId,
    ...(status === undefined || isFine(status) ? {} : { status }),
    retryAfterMs: wait,
    ...(body === "" ? {} : { debug: debugText(body, context) }),
  };
}

function stoppedServer({ network, message }: Fault, { provider }: ModelRef): string | undefined {
  const server: LocalServer | undefined = localServers.find((one) => one.provider === provider);
  const [, place] = /\b(127\.0\.0\.1:\d+|localhost:\d+)|(?<=^|\s)(::1:\d+)/.exec(message) ?? [];
  if (server === undefined || network !== "ECONNREFUSED" || place === undefined) return undefined;
  const how = server.start === undefined ? "Start it" : `Start it with \`${server.start}\``;
  return `${server.called} is not running: no answer at ${place}. ${how}.`;
}

export function providerError(kind: ProviderErrorKind, message: string, context: ErrorContext): ProviderError {
  return {
    kind,
    retryable: isRetryable(kind),
    provider: context.ref.provider,
    model: context.ref.id,
    requestId: context.requestId,
    message: clip(plainText(withoutSecrets(message, context.secrets)).replace(/\s+/g, " ").trim(), longestMessage),
  };
}

/** For support requests to the provider. Other headers are not included. */
export function requestIdOf(
  headers: Readonly<Record<string, string>> | undefined,
  { secrets }: Pick<ErrorContext, "secrets">,
): string | undefined {
  const id = headers?.["request-id"] ?? headers?.["x-request-id"];
  return id !== undefined && /^[\w.:/+=-]{1,200}$/.test(id) && withoutSecrets(id, secrets) === id ? id : undefined;
}

export function debugText(text: string, { secrets }: ErrorContext): string {
  return clip(withoutSecrets(text, secrets), longestDebug);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, "[key]");
  return clean
    .replace(/\b(sk|pk|rk|gsk|xai|AIza)[-_A-Za-z0-9*]{12,}/g, "[key]")
    .replace(/\bBearer\s+[^\s"',]{6,}/gi, "Bearer [key]");
}

function classify(fault: Fault): { readonly kind: ProviderErrorKind; readonly retryable: boolean } {
  if (fault.network !== undefined) return kindOfNetwork(fault.network);
  const kind = kindByName[fault.name] ?? kindByRules(fault) ?? kindOfRest(fault);
  return { kind, retryable: isRetryable(kind) };
}

function kindOfRest({ name, status }: Fault): ProviderErrorKind {
  if (name === "NotAStream") return "bad_request";
  if (status === undefined) return "unknown";
  if (isFine(status)) return "stream_interrupted";
  if (status >= 500) return "overloaded";
  return status >= 400 ? "bad_request" : "unknown";
}

function isFine(status: number): boolean {
  return status >= 200 && status < 300;
}

function messageOf(kind: ProviderErrorKind, { message, network, status, name, headers }: Fault): string {
  if (kind === "aborted") return "The request was aborted.";
  if (network === "EMSGSIZE") return "The answer was too long or took too long, and was aborted.";
  if (network !== undefined)
    return `The provider could not be reached, or the connection broke (${network}): ${message}`;
  if (status !== undefined && status >= 300 && status < 400) {
    const target = headers.location;
    return `The provider redirects${target === undefined ? "" : ` to ${target}`}; redirects are not followed.`;
  }
  if (kind === "stream_interrupted" && name.startsWith("AI_")) {
    return `The provider sent an invalid response: ${message}`;
  }
  if (message !== "") return message;
  return status === undefined ? "The provider failed without giving a reason." : `The provider answered ${status}.`;
}

function faultOf(error: unknown): Fault {
  if (!isRecord(error)) return { name: "", message: String(error), codes: [], headers: {}, body: "" };
  const body = bodyOf(error);
  const sent = readBody(body);
  const network = networkCode(error);
  const status = typeof error.statusCode === "number" ? error.statusCode : (statusIn(sent) ?? statusIn(error));
  return {
    name: textOf(error.name),
    message: messageIn(sent) ?? textOf(error.message),
    codes: [...codesIn(error.data, 0), ...codesIn(sent, 0), ...codesIn(error, 0)],
    headers: headersOf(error.responseHeaders),
    body,
    status,
    network,
  };
}

function bodyOf(error: Readonly<Record<string, unknown>>): string {
  const { responseBody, data, text, value } = error;
  if (typeof responseBody === "string") return responseBody;
  if (typeof text === "string") return text;
  const sent = data ?? value;
  return sent === undefined ? "" : (JSON.stringify(sent) ?? "");
}

function readBody(body: string): unknown {
  if (body.length > 65_536 || !/^\s*[{[]/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function messageIn(sent: unknown): string | undefined {
  const outer = Array.isArray(sent) ? sent[0] : sent;
  if (!isRecord(outer)) return undefined;
  const { error, message } = outer;
  const found = isRecord(error) ? error.message : (error ?? message);
  return typeof found === "string" && found !== "" ? found : undefined;
}

function codesIn(value: unknown, depth: number): string[] {
  if (depth > 4) return [];
  if (Array.isArray(value)) return value.flatMap((item) => codesIn(item, depth + 1));
  if (!isRecord(value)) return [];
  const own = ["type", "code", "status", "reason"].map((key) => value[key]).filter((code) => typeof code === "string");
  return [...own, ...["error", "details"].flatMap((key) => codesIn(value[key], depth + 1))];
}

/** In a stream, the error itself carries the status. */
function statusIn(value: unknown, depth = 0): number | undefined {
  if (depth > 4) return undefined;
  const [first] = Array.isArray(value) ? value : [value];
  if (!isRecord(first)) return undefined;
  const own = [first.code, first.status].find((code) => typeof code === "number" && code >= 300 && code < 600);
  return typeof own === "number" ? own : statusIn(first.error, depth + 1);
}

function networkCode(error: Readonly<Record<string, unknown>>): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && isRecord(current); depth++) {
    const code = current.code;
    if (current instanceof Error && typeof code === "string" && isNetworkCode(code)) return code;
    current = current.cause;
  }
  return undefined;
}

function isNetworkCode(code: string): boolean {
  return /^(E[A-Z]{3,}|EAI_[A-Z]+|HPE_[A-Z_]+)$/.test(code) || /CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code);
}

function headersOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name.toLowerCase(), String(text)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const longest = 24 * 60 * 60 * 1000;

export function retryAfterMs(headers: Readonly<Record<string, string>>, body: string, now: number): number | undefined {
  const milliseconds = numberOf(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return bounded(milliseconds);
  const written = headers["retry-after"];
  if (written !== undefined) {
    const seconds = numberOf(written);
    const until = seconds === undefined ? Date.parse(written) - now : seconds * 1000;
    if (!Number.isNaN(until)) return bounded(until);
  }
  const delay = numberOf(/"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]);
  return delay === undefined ? undefined : bounded(delay * 1000);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, Math.ceil(milliseconds)), longest);
}
