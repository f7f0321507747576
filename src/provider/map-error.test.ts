import { describe, expect, it } from "vitest";
import { mapError, retryAfterMs } from "./map-error.ts";

const now = Date.parse("2030-01-01T00:00:00Z");
const context = { ref: { provider: "p", id: "m" }, secrets: ["my-own-key-1234"], now: () => now };

function apiError(status: number, body: unknown, headers: Record<string, string> = {}): Error {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  const error = new Error("from the SDK");
  return Object.assign(error, { name: "AI_APICallError", statusCode: status, responseBody, responseHeaders: headers });
}

const openai = (message: string, code: string | null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, status, message, details },
});

describe("what a provider answers", () => {
  it.each([
    // Context, as each vendor says it.
    [
      400,
      openai("This model's maximum context length is 128000 tokens.", "context_length_exceeded"),
      "context_length",
      false,
    ],
    [400, openai("Your input exceeds the context window of this model.", null), "context_length", false],
    [
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      "context_length",
      false,
    ],
    [
      400,
      anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2"),
      "context_length",
      false,
    ],
    [413, anthropic("request_too_large", "Request exceeds the maximum size"), "context_length", false],
    [
      400,
      google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).",
      ),
      "context_length",
      false,
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error",
        },
      },
      "context_length",
      false,
    ],
    [
      429,
      openai(
        "Request too large for gpt-5 on tokens per min; reduce the length of the messages.",
        "rate_limit_exceeded",
        "tokens",
      ),
      "rate_limit",
      true,
    ],
    // Keys.
    [401, openai("Incorrect API key provided", "invalid_api_key"), "auth", false],
    [401, anthropic("authentication_error", "invalid x-api-key"), "auth", false],
    [403, anthropic("permission_error", "Your API key does not have permission"), "auth", false],
    [
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        { reason: "API_KEY_INVALID" },
      ]),
      "auth",
      false,
    ],
    [403, google(403, "PERMISSION_DENIED", "Denied"), "auth", false],
    // Money.
    [402, anthropic("billing_error", "Pay first"), "quota", false],
    [429, openai("You exceeded your current quota", "insufficient_quota", "insufficient_quota"), "quota", false],
    [400, anthropic("invalid_request_error", "Your credit balance is too low to access the API."), "quota", false],
    [
      429,
      google(429, "RESOURCE_EXHAUSTED", "Quota", [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProject" }] }]),
      "quota",
      false,
    ],
    // Rates.
    [429, anthropic("rate_limit_error", "Number of request tokens has exceeded your rate limit"), "rate_limit", true],
    [429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota"), "rate_limit", true],
    [429, "", "rate_limit", true],
    // Models.
    [404, openai("The model `gpt-9` does not exist", "model_not_found"), "model_unavailable", false],
    [404, anthropic("not_found_error", "model: claude-9"), "model_unavailable", false],
    [404, google(404, "NOT_FOUND", "models/gemini-9 is not found"), "model_unavailable", false],
    [404, { error: "model 'qwen' not found" }, "model_unavailable", false],
    [403, openai("Project does not have access to model gpt-9", "model_not_found"), "model_unavailable", false],
    // Servers.
    [408, "", "timeout", true],
    [504, google(504, "DEADLINE_EXCEEDED", "Late"), "timeout", true],
    [500, openai("The server had an error", null, "server_error"), "overloaded", true],
    [500, anthropic("api_error", "Internal server error"), "overloaded", true],
    [502, "<html>Bad Gateway</html>", "overloaded", true],
    [503, google(503, "UNAVAILABLE", "The model is overloaded."), "overloaded", true],
    [529, anthropic("overloaded_error", "Overloaded"), "overloaded", true],
    [599, "", "overloaded", true],
    // Requests.
    [400, openai("Invalid type for 'input'", null), "bad_request", false],
    [422, { detail: "no" }, "bad_request", false],
    [418, "", "bad_request", false],
    [400, openai("Unsupported parameter: 'temperature'", "unsupported_parameter"), "unsupported_feature", false],
    [400, { error: { message: "gemma does not support tools" } }, "unsupported_feature", false],
    [501, "", "unsupported_feature", false],
    [302, "", "bad_request", false],
  ])("%i %j is %s", (status, body, kind, retryable) => {
    const error = mapError(apiError(status, body), context);
    expect([error.kind, error.retryable, error.status]).toEqual([kind, retryable, status]);
  });

  it("has every field, and nothing else", () => {
    const headers = { "request-id": "req_9", "retry-after": "2" };
    expect(mapError(apiError(529, anthropic("overloaded_error", "Overloaded"), headers), context)).toEqual({
      kind: "overloaded",
      retryable: true,
      provider: "p",
      model: "m",
      requestId: "req_9",
      message: "Overloaded",
      status: 529,
      retryAfterMs: 2000,
      debug: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    });
  });

  it.each([
    ["true", 400, true],
    ["false", 529, false],
    ["perhaps", 529, true],
  ])("may say itself whether it is worth another try: %s", (told, status, retryable) => {
    expect(mapError(apiError(status, "", { "x-should-retry": told }), context).retryable).toBe(retryable);
  });

  it("names where a redirection would have led", () => {
    expect(mapError(apiError(307, "", { location: "https://evil.example/" }), context).message).toBe(
      "The provider redirects to https://evil.example/; redirects are not followed.",
    );
  });
});

describe("what happens within a stream", () => {
  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "overloaded", true],
    [{ message: "slow", type: "RESOURCE_EXHAUSTED", statusCode: 429, data: {} }, "rate_limit", true],
    [{ message: "gone", code: "server_error", data: {} }, "overloaded", true],
    [{ message: "long", code: "context_length_exceeded", statusCode: 400, data: {} }, "context_length", false],
    [{ message: "busy", code: 503 }, "overloaded", true],
    [{ name: "AI_APICallError", data: { error: { message: "slow", status: 429 } } }, "rate_limit", true],
    [{ message: "odd", code: 20 }, "unknown", false],
    ["just words", "unknown", false],
    [undefined, "unknown", false],
  ])("%j is %s", (thrown, kind, retryable) => {
    const error = mapError(thrown, context);
    expect([error.kind, error.retryable]).toEqual([kind, retryable]);
  });
});

describe("a server of this machine that does not run", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:11434"), { code: "ECONNREFUSED" });
  const told = (provider: string, error: Error = refused) => {
    const context = { ref: { provider, id: "m" }, secrets: [], now: () => 0 };
    const { kind, message, retryable } = mapError(error, context);
    return [kind, retryable, message];
  };

  it("is named, with how to start it, and not asked again", () => {
    expect(told("ollama")).toEqual([
      "model_unavailable",
      false,
      "Ollama is not running: no answer at 127.0.0.1:11434. Start it with `ollama serve`.",
    ]);
    expect(told("vllm")[2]).toBe("vLLM is not running: no answer at 127.0.0.1:11434. Start it.");
  });

  it("is not guessed where it is another machine, or another provider", () => {
    const elsewhere = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:11434"), { code: "ECONNREFUSED" });
    for (const [kind, retryable] of [told("ollama", elsewhere), told("openai")]) {
      expect([kind, retryable]).toEqual(["model_unavailable", true]);
    }
  });
});

describe("what goes wrong on the way", () => {
  const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
  it.each([
    [failure("ECONNREFUSED"), "model_unavailable", true],
    [failure("ENOTFOUND"), "model_unavailable", true],
    [failure("EAI_AGAIN"), "model_unavailable", true],
    [failure("SELF_SIGNED_CERT_IN_CHAIN"), "model_unavailable", false],
    [failure("ETIMEDOUT"), "timeout", true],
    [failure("ECONNRESET"), "stream_interrupted", true],
    [failure("EPIPE"), "stream_interrupted", true],
    [failure("HPE_INVALID_CONSTANT"), "stream_interrupted", true],
    [failure("ERR_INVALID_CHAR"), "unknown", false],
    [new Error("outer", { cause: new Error("inner", { cause: failure("ECONNRESET") }) }), "stream_interrupted", true],
    [new DOMException("Nothing came", "TimeoutError"), "timeout", true],
    [new DOMException("Stop", "AbortError"), "aborted", false],
    [named("AI_UnsupportedFunctionalityError"), "unsupported_feature", false],
    [named("AI_TypeValidationError"), "stream_interrupted", true],
    [named("AI_JSONParseError"), "stream_interrupted", true],
    [named("AI_EmptyResponseBodyError"), "stream_interrupted", true],
    [named("AI_NoSuchModelError"), "model_unavailable", false],
    [named("AI_LoadAPIKeyError"), "auth", false],
    [named("AI_InvalidPromptError"), "bad_request", false],
    [apiError(200, ""), "stream_interrupted", true],
    [named("SomethingElse"), "unknown", false],
  ])("%s is %s", (thrown, kind, retryable) => {
    const error = mapError(thrown, context);
    expect([error.kind, error.retryable]).toEqual([kind, retryable]);
  });
});

describe("what may be told", () => {
  it.each([
    "my-own-key-1234",
    "sk-ant-api03-abcdefghijklmnop",
    "sk-proj-abc*****************wxyz",
    "AIzaSyA1234567890abcdefghij",
    "Authorization: Bearer abc.def.ghi",
  ])("never holds a key: %s", (secret) => {
    const error = mapError(apiError(400, openai(`Bad ${secret} here`, null)), context);
    const told = JSON.stringify(error);
    expect(told).not.toContain(secret.replace("Authorization: Bearer ", ""));
    expect(told).toContain("[key]");
  });

  it("is bounded and cannot drive a terminal", () => {
    const error = mapError(apiError(400, openai(`\u001b[2J${"long ".repeat(4000)}\u202e`, null)), context);
    expect([error.message.length, error.debug?.length]).toEqual([600, 4096]);
    expect(["\u001b", "\u202e"].filter((character) => error.message.includes(character))).toEqual([]);
  });
});

describe("how long to wait", () => {
  it.each([
    [{ "retry-after": "30" }, "", 30_000],
    [{ "retry-after": "0.5" }, "", 500],
    [{ "retry-after-ms": "1500", "retry-after": "2" }, "", 1500],
    [{ "retry-after": "Tue, 01 Jan 2030 00:00:20 GMT" }, "", 20_000],
    [{ "retry-after": "Tue, 01 Jan 2020 00:00:20 GMT" }, "", 0],
    [{ "retry-after": "99999999999" }, "", 86_400_000],
    [{ "retry-after": "soon" }, "", undefined],
    [{}, '{"error":{"details":[{"@type":"RetryInfo","retryDelay":"34.5s"}]}}', 34_500],
    [{}, "", undefined],
  ])("%j %s", (headers, body, expected) => {
    expect(retryAfterMs(headers, body, now)).toBe(expected);
  });
});

function named(name: string): Error {
  return Object.assign(new Error("it happened"), { name });
}
