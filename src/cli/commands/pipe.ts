import { type Command, Option } from "commander";
import type { Door } from "../../contract/app/door.ts";
import type { Observation } from "../../contract/observation.ts";
import type { Asker } from "../../contract/verdict.ts";
import { personAt } from "../ask-person.ts";
import { type CommandContext, type DoorFlags, declareDoorFlags, examples } from "../flags.ts";
import { createInbox, type Inbox, type Request } from "../inbox.ts";
import { readLines } from "../read-lines.ts";
import { gatherUnanswered } from "../render/observation.ts";
import { painter } from "../render/shown.ts";
import { type ExitCode, exitCodeOfEnded, exitCodes, type FailureLine, failureLine, printNotice } from "../report.ts";
import type { Output, Surface } from "../surface.ts";
import { untilInterrupted, withApp, withDoor } from "../with-app.ts";

const longestLine = 8 * 1024 * 1024;
const readAhead = { lines: 1000, bytes: longestLine };

interface PipeFlags extends DoorFlags {
  readonly onAsk: "deny" | "wait";
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command.description(
      "Read tool calls as JSON lines and write an Observation as a JSON line for each, in request order.\n\n" +
        'A line is {"id"?, "tool", "input"}, or an array of them: one batch. Invalid lines get a `bad_request` reply ' +
        '({"ok": false, "code": "bad_request", "line": n, …}); the pipe keeps running. An invalid answer to an open ' +
        "question gets its reply at once, not in request order.\n\n" +
        "Exits 0 unless the stream itself failed (130 when interrupted): the ok and code of a line show the result of " +
        "the call. Calls that needed approval are listed on standard error at the end.",
    ),
  )
    .addOption(
      new Option("--on-ask <what>", "what to do when a call needs approval").choices(["deny", "wait"]).default("deny"),
    )
    .addHelpText(
      "after",
      examples(
        [`echo '{"id":"a","tool":"read","input":{"path":"package.json"}}' | gauntlet pipe`, "One intent:"],
        [
          `echo '[{"tool":"read","input":{"path":"a"}},{"tool":"read","input":{"path":"b"}}]' | gauntlet pipe`,
          "A batch of two, with replies in order:",
        ],
        [
          "my-agent | gauntlet pipe --on-ask wait",
          'Questions arrive as {"type": "permission_request", "request": {"id": …}}. Answer with\n' +
            '  {"answer": "allow" | "deny", "request": ID, "remember"?: "session" | "always", "message"?: …},\n  before 1000 other lines:',
        ],
      ),
    )
    .action(async (flags: PipeFlags) => end(await runPipeCommand(surface, flags)));
}

function runPipeCommand(surface: Surface, flags: PipeFlags): Promise<ExitCode> {
  const inbox = createInbox(readLines(surface.stdin, longestLine), readAhead);
  // The pipe has no form for a server's question, so a user at the terminal answers it.
  const { elicit } = personAt(surface.stderr, surface.terminalQuestion, () => {});
  const live = { ask: flags.onAsk === "wait" ? askThroughPipe(inbox, surface.stdout) : undefined, elicit };
  return untilInterrupted(surface, (stop) =>
    withApp(surface, flags, async (app) => {
      const ended = await withDoor({ surface, app }, flags, live, async (door) => {
        await printNotice(surface, painter(surface.stderr)("quiet", `session ${door.sessionId}`));
        const asks = gatherUnanswered();
        const code = await runPipe({ door, inbox, output: surface.stdout, stop, asks });
        await surface.stderr.write(asks.render(app.rulesFile).text);
        return code;
      });
      return exitCodeOfEnded(surface, ended, { json: true });
    }),
  );
}

type Reply =
  | Observation
  | (FailureLine & { readonly line: number; readonly intentId?: string })
  | { readonly type: "permission_answered"; readonly request: string };

export async function runPipe(pipe: {
  readonly door: Door;
  readonly inbox: Inbox;
  readonly output: Output;
  readonly stop: AbortSignal;
  readonly asks: { note(observation: Observation): void };
}): Promise<ExitCode> {
  const { door, inbox, output, stop } = pipe;
  const say = (reply: Reply) => {
    if ("auditId" in reply) pipe.asks.note(reply);
    return output.write(`${JSON.stringify(reply)}\n`);
  };
  inbox.onStray(async (request) => {
    if (request.kind === "intents") return false;
    // The question of an earlier process is answered in request order.
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
  return { ...failureLine({ code: "bad_request", message: `Line ${line}: ${message}` }), line, intentId };
}

function strayAnswer({ line, answer }: Extract<Request, { kind: "answer" }>): Extract<Request, { kind: "bad" }> {
  return { kind: "bad", line, message: `there is no open question with the id ${answer.request}` };
}

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
