import type { Door } from "../../contract/app/door.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Asker } from "../../contract/verdict.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { UnansweredAsks } from "../policy-patch.ts";
import { type FailureLine, failureLine } from "../report.ts";
import type { Output } from "../surface.ts";
import type { Inbox } from "./inbox.ts";
import type { Request } from "./parse-request.ts";

type Reply =
  | Observation
  | (FailureLine & { readonly line: number; readonly intentId?: string })
  | { readonly type: "permission_answered"; readonly request: string };

/**
 * Requests one after another, their replies in the same order, until the input ends or somebody stops us.
 * Nothing is read while a call runs, unless a question waits for its answer.
 */
export async function runPipe(pipe: {
  readonly door: Door;
  readonly inbox: Inbox;
  readonly output: Output;
  readonly stop: AbortSignal;
  readonly asks: Pick<UnansweredAsks, "note">;
}): Promise<ExitCode> {
  const { door, inbox, output, stop } = pipe;
  const say = (reply: Reply) => {
    if ("auditId" in reply) pipe.asks.note(reply);
    return output.write(`${JSON.stringify(reply)}\n`);
  };
  inbox.onStray(async (request) => {
    if (request.kind === "intents") return false;
    // A question that an earlier process left open is answered in its turn.
    if (request.kind === "answer" && door.state.pending.has(request.answer.request)) return false;
    await say(badLine(request.kind === "bad" ? request : strayAnswer(request)));
    return true;
  });
  const end = () => {
    inbox.close();
    void door.interrupt(String(stop.reason));
  };
  if (stop.aborted) end();
  else stop.addEventListener("abort", end, { once: true });
  for (;;) {
    const request = await inbox.next();
    if (request === undefined) return stop.aborted ? exitCodes.interrupted : exitCodes.done;
    for (const reply of await replyTo(request, door)) await say(reply);
  }
}

async function replyTo(request: Request, door: Door): Promise<readonly Reply[]> {
  if (request.kind === "bad") return [badLine(request)];
  if (request.kind === "answer") {
    const answered = door.answer(request.answer);
    if (!answered.ok) return [{ ...failureLine(answered.failure), line: request.line }];
    const { resumed } = answered.value;
    return [resumed === undefined ? { type: "permission_answered", request: request.answer.request } : await resumed];
  }
  const [only, ...others] = request.intents;
  if (only === undefined) return [];
  return others.length === 0 ? [await door.call(only)] : door.batch(request.intents);
}

function badLine({ line, message, intentId }: Extract<Request, { kind: "bad" }>): Reply {
  const id = intentId === undefined ? {} : { intentId };
  return { ...failureLine({ code: "bad_request", message: `Line ${line}: ${message}` }), line, ...id };
}

function strayAnswer({ line, answer }: Extract<Request, { kind: "answer" }>): Extract<Request, { kind: "bad" }> {
  return { kind: "bad", line, message: `no question with the id ${answer.request} is open` };
}

/** Prints the question as a line and waits for the line that answers it. */
export function askThroughPipe(inbox: Inbox, output: Output): Asker {
  return async (request, signal) => {
    // Listening starts before the question is out, so that no answer is too fast.
    const answer = inbox.answer(request.id, signal);
    try {
      await output.write(`${JSON.stringify({ type: "permission_request", request })}\n`);
    } catch {
      return "unavailable";
    }
    return answer;
  };
}
