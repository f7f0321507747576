import type { ProviderErrorKind } from "../contract/model.ts";

export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly codes: readonly string[];
  readonly network?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Rule {
  readonly kind: ProviderErrorKind;
  readonly codes?: readonly string[];
  readonly statuses?: readonly number[];
  readonly words?: RegExp;
  /** Statuses with another meaning of the same words and codes. */
  readonly except?: readonly number[];
}

/** The first match decides: words and codes are more exact than the status. */
const rules: readonly Rule[] = [
  {
    kind: "context_length",
    codes: ["context_length_exceeded", "exceed_context_size_error", "request_too_large"],
    statuses: [413],
    words:
      /context (length|window|size|limit)|prompt is too long|input is too long|exceeds the (maximum|max) number of tokens|reduce the length of/i,
    except: [429],
  },
  {
    kind: "quota",
    codes: ["insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"],
    statuses: [402],
    words: /credit balance|insufficient (balance|credit|fund)|out of credits|quotaId"?:\s*"[^"]*PerDay/i,
  },
  {
    kind: "model_unavailable",
    codes: ["model_not_found", "not_found_error", "NOT_FOUND", "model_not_available", "model_terms_required"],
    words: /model\b.{0,120}\b(not found|does not exist|is not available|not loaded)/i,
  },
  {
    kind: "auth",
    codes: [
      ...["authentication_error", "invalid_api_key", "permission_error", "invalid_authentication"],
      ...["API_KEY_INVALID", "UNAUTHENTICATED", "PERMISSION_DENIED"],
    ],
    statuses: [401, 403, 407],
    words: /api key not valid|incorrect api key|invalid (x-)?api.key/i,
  },
  {
    kind: "rate_limit",
    codes: ["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "too_many_requests"],
    statuses: [429],
  },
  { kind: "timeout", codes: ["timeout_error", "DEADLINE_EXCEEDED"], statuses: [408, 504, 524] },
  {
    kind: "overloaded",
    codes: [
      ...["overloaded_error", "api_error", "server_error", "internal_server_error", "internal_error"],
      ...["service_unavailable", "overloaded", "slow_down", "server_is_overloaded", "UNAVAILABLE", "INTERNAL"],
    ],
    statuses: [500, 502, 503, 520, 521, 522, 523, 529],
  },
  {
    kind: "unsupported_feature",
    codes: ["unsupported_parameter", "unsupported_value", "UNIMPLEMENTED"],
    statuses: [501],
    words: /(does not|doesn't|do not) support|(is|are) not supported|unsupported/i,
  },
  { kind: "model_unavailable", statuses: [404, 410] },
  {
    kind: "bad_request",
    codes: ["invalid_request_error", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"],
    statuses: [300, 301, 302, 303, 307, 308, 400, 405, 406, 409, 411, 415, 422, 431],
  },
];

export function kindByRules({ status, codes, message, body }: Fault): ProviderErrorKind | undefined {
  return rules.find((rule) => {
    if (status !== undefined && rule.except?.includes(status) === true) return false;
    if (status !== undefined && rule.statuses?.includes(status) === true) return true;
    if (codes.some((code) => rule.codes?.includes(code) === true)) return true;
    return rule.words !== undefined && (rule.words.test(message) || rule.words.test(body));
  })?.kind;
}

export const kindByName: Readonly<Record<string, ProviderErrorKind>> = {
  AbortError: "aborted",
  TimeoutError: "timeout",
  AI_JSONParseError: "stream_interrupted",
  AI_TypeValidationError: "stream_interrupted",
  AI_InvalidResponseDataError: "stream_interrupted",
  AI_EmptyResponseBodyError: "stream_interrupted",
  AI_NoContentGeneratedError: "stream_interrupted",
  AI_UnsupportedFunctionalityError: "unsupported_feature",
  AI_InvalidPromptError: "bad_request",
  AI_InvalidArgumentError: "bad_request",
  AI_LoadAPIKeyError: "auth",
  AI_LoadSettingError: "bad_request",
  AI_NoSuchModelError: "model_unavailable",
};

export function kindOfNetwork(code: string): { readonly kind: ProviderErrorKind; readonly retryable: boolean } {
  if (code === "ETIMEDOUT") return { kind: "timeout", retryable: true };
  if (code === "EMSGSIZE") return { kind: "unknown", retryable: false };
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/.test(code)) {
    return { kind: "model_unavailable", retryable: true };
  }
  if (/CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code)) return { kind: "model_unavailable", retryable: false };
  return { kind: "stream_interrupted", retryable: true };
}

const retryableKinds: ReadonlySet<ProviderErrorKind> = new Set([
  "rate_limit",
  "timeout",
  "overloaded",
  "stream_interrupted",
  "stream_incomplete",
  "malformed_tool_call",
  "intent_parse_failed",
]);

export function isRetryable(kind: ProviderErrorKind): boolean {
  return retryableKinds.has(kind);
}
