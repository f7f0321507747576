import { z } from "zod";
import { messageOf } from "../base/text.ts";
import type { RequestId } from "../contract/ids.ts";
import type { IntentInput } from "../contract/intent.ts";
import { type PermissionAnswer, remembers } from "../contract/verdict.ts";
import type { InputLine } from "./read-lines.ts";

export interface Inbox {
  next(): Promise<Request | undefined>;
  answer(request: RequestId, signal: AbortSignal): Promise<PermissionAnswer | "unavailable">;
  onStray(listener: (request: Request) => Promise<boolean>): void;
  close(): void;
}

interface ReadAhead {
  readonly lines: number;
  readonly bytes: number;
}

export function createInbox(lines: AsyncIterator<InputLine>, bound: ReadAhead): Inbox {
  const backlog: { readonly request: Request; readonly bytes: number }[] = [];
  const waiting = new Map<RequestId, (answer: PermissionAnswer | "unavailable") => void>();
  let backlogBytes = 0;
  let ended = false;
  let closed = false;
  let reading: Promise<void> | undefined;
  let pumping = false;
  let wake = (): void => {};
  let stray = async (_request: Request): Promise<boolean> => false;

  /** Shared by everyone who waits for input, so that no line can be taken by two or lost by one. */
  const readOne = (): Promise<void> => {
    reading ??= lines
      .next()
      .then(async (result) => {
        if (result.done === true) ended = true;
        else await place(result.value);
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  const place = async (line: InputLine): Promise<void> => {
    const request = parseRequest(line);
    const asked = request.kind === "answer" ? waiting.get(request.answer.request) : undefined;
    if (request.kind === "answer" && asked !== undefined) {
      asked(request.answer);
      return;
    }
    const meant = request.kind === "answer" || (request.kind === "bad" && request.answers === true);
    if (meant && waiting.size > 0 && (await stray(request))) return;
    const bytes = "text" in line ? line.text.length : 0;
    backlog.push({ request, bytes });
    backlogBytes += bytes;
  };

  /** A promise of its own for each wait: one that lives as long as the pipe would gather what hangs on it. */
  const nextLine = (): Promise<void> =>
    new Promise((resolve, reject) => {
      wake = resolve;
      readOne().then(resolve, reject);
    });

  const refuseWaiting = (): void => {
    for (const settle of [...waiting.values()]) settle("unavailable");
  };

  const pump = async (): Promise<void> => {
    if (pumping) return;
    pumping = true;
    try {
      while (waiting.size > 0 && !ended && backlog.length < bound.lines && backlogBytes < bound.bytes) await readOne();
    } finally {
      pumping = false;
      refuseWaiting();
    }
  };

  return {
    next: async () => {
      while (backlog.length === 0 && !ended) await nextLine();
      if (closed) return undefined;
      const first = backlog.shift();
      backlogBytes -= first?.bytes ?? 0;
      return first?.request;
    },
    answer: (request, signal) =>
      new Promise((resolve) => {
        const settle = (answer: PermissionAnswer | "unavailable") => {
          waiting.delete(request);
          signal.removeEventListener("abort", withdraw);
          resolve(answer);
        };
        const withdraw = () => settle("unavailable");
        signal.addEventListener("abort", withdraw, { once: true });
        waiting.set(request, settle);
        if (signal.aborted) withdraw();
        else pump().catch(() => undefined);
      }),
    onStray: (listener) => {
      stray = listener;
    },
    close: () => {
      closed = true;
      ended = true;
      refuseWaiting();
      wake();
    },
  };
}

export type Request =
  | { readonly kind: "intents"; readonly line: number; readonly intents: readonly IntentInput[] }
  | { readonly kind: "answer"; readonly line: number; readonly answer: PermissionAnswer }
  | {
      readonly kind: "bad";
      readonly line: number;
      readonly message: string;
      readonly intentId?: string;
      readonly answers?: true;
    };

const intent = z.strictObject({
  id: z.exactOptional(z.string().min(1).max(256)),
  tool: z.string(),
  input: z.unknown(),
  reason: z.exactOptional(z.string()),
  origin: z.exactOptional(
    z.strictObject({
      source: z.enum(["program", "model", "agent", "server"]),
      turnId: z.exactOptional(z.string()),
      modelMessageId: z.exactOptional(z.string()),
      provider: z.exactOptional(z.strictObject({ name: z.string(), model: z.string(), callId: z.string() })),
    }),
  ),
});

const answer = z.strictObject({
  answer: z.enum(["allow", "deny"]),
  request: z.string(),
  remember: z.exactOptional(z.enum(remembers)),
  message: z.exactOptional(z.string()),
  by: z.exactOptional(z.string()),
});

/** Deeper values could exhaust the stack. */
const deepest = 200;

function parseRequest(line: InputLine): Request {
  if ("problem" in line) return bad(line.number, line.problem);
  if (nestingOf(line.text) > deepest) return bad(line.number, `nested deeper than ${deepest} levels`);
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    const broken = bad(line.number, `not JSON: ${messageOf(error)}`);
    return line.text.includes('"answer"') ? { ...broken, answers: true } : broken;
  }
  if (Array.isArray(value)) return parseBatch(line.number, value);
  if (isObject(value) && ("answer" in value || ("request" in value && !("tool" in value)))) {
    const parsed = answer.safeParse(value);
    if (!parsed.success) return { ...bad(line.number, problemOf(parsed.error)), answers: true };
    return { kind: "answer", line: line.number, answer: parsed.data };
  }
  const parsed = intent.safeParse(value);
  if (parsed.success) return { kind: "intents", line: line.number, intents: [parsed.data] };
  return { ...bad(line.number, problemOf(parsed.error)), ...idOf(value) };
}

function parseBatch(number: number, values: readonly unknown[]): Request {
  if (values.length === 0) return bad(number, "an empty batch");
  const intents: IntentInput[] = [];
  for (const [index, value] of values.entries()) {
    const parsed = intent.safeParse(value);
    if (!parsed.success) return { ...bad(number, `[${index}]: ${problemOf(parsed.error)}`), ...idOf(value) };
    intents.push(parsed.data);
  }
  return { kind: "intents", line: number, intents };
}

function bad(line: number, message: string): Extract<Request, { kind: "bad" }> {
  return { kind: "bad", line, message };
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const problem = issue.message.endsWith("received undefined") ? "is missing" : issue.message;
      return issue.path.length === 0 ? problem : `${issue.path.join(".")}: ${problem}`;
    })
    .join("; ");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function idOf(value: unknown): { readonly intentId?: string } {
  return isObject(value) && typeof value.id === "string" && value.id !== "" ? { intentId: value.id } : {};
}

function nestingOf(text: string): number {
  if (text.length < deepest) return 0;
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") most = Math.max(most, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return most;
}
