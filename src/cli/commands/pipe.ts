import { type Command, Option } from "commander";
import { type CommandContext, examples } from "../command.ts";
import { type DoorFlags, declareDoorFlags } from "../door-options.ts";
import type { ExitCode } from "../exit-code.ts";
import { personAt } from "../person-at.ts";
import { createInbox } from "../pipe/inbox.ts";
import { readLines } from "../pipe/read-lines.ts";
import { askThroughPipe, runPipe } from "../pipe/run-pipe.ts";
import { gatherUnanswered } from "../policy-patch.ts";
import { painter } from "../render/shown.ts";
import { printNotice } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp, withDoor } from "../with-app.ts";

const longestLine = 8 * 1024 * 1024;
const readAhead = { lines: 1000, bytes: longestLine };

interface PipeFlags extends DoorFlags {
  readonly onAsk: "deny" | "wait";
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command.description(
      "Read intents as JSON lines, answer each with an Observation as a JSON line, in request order.\n\n" +
        'A line is {"id"?, "tool", "input"}, or an array of them: one batch. A bad line is answered with {"ok": false, ' +
        '"code": "bad_request", "line": n, …} and the pipe goes on; one that was meant to answer a question that is ' +
        "open, at once and not in request order.\n\n" +
        "Exits 0 unless the stream itself failed (130 when interrupted): what became of a call, refusals too, stands " +
        "in the ok and code of its line. What nobody could be asked about is gathered on stderr at the end.",
    ),
  )
    .addOption(
      new Option("--on-ask <what>", "what happens when a call needs a person's agreement")
        .choices(["deny", "wait"])
        .default("deny"),
    )
    .addHelpText(
      "after",
      examples(
        [`echo '{"id":"a","tool":"read","input":{"path":"package.json"}}' | gauntlet pipe`, "One intent:"],
        [
          `echo '[{"tool":"read","input":{"path":"a"}},{"tool":"read","input":{"path":"b"}}]' | gauntlet pipe`,
          "Two at once, answered in order:",
        ],
        [
          "my-agent | gauntlet pipe --on-ask wait",
          'Questions come as {"type": "permission_request", "request": {"id": …}} and are answered with\n' +
            '  {"answer": "allow" | "deny", "request": ID, "remember"?: "session" | "always", "message"?: …},\n  with no more than 1000 other lines in front:',
        ],
      ),
    )
    .action(async (flags: PipeFlags) => end(await runPipeCommand(surface, flags)));
}

async function runPipeCommand(surface: Surface, flags: PipeFlags): Promise<ExitCode> {
  const inbox = createInbox(readLines(surface.stdin, longestLine), readAhead);
  // The pipe has no form for what a server wants to know; a person beside it has.
  const { elicit } = personAt(surface.stderr, surface.terminalQuestion, () => {});
  const live = {
    ...(flags.onAsk === "wait" ? { ask: askThroughPipe(inbox, surface.stdout) } : {}),
    ...(elicit === undefined ? {} : { elicit }),
  };
  const stop = new AbortController();
  const stopListening = surface.onInterrupt((signal) => stop.abort(signal));
  try {
    return await withApp(surface, flags, (app) =>
      withDoor(surface, app, { flags: { ...flags, json: true }, live }, async (door) => {
        await printNotice(surface, painter(surface.stderr)("quiet", `session ${door.sessionId}`));
        const asks = gatherUnanswered();
        const code = await runPipe({ door, inbox, output: surface.stdout, stop: stop.signal, asks });
        await surface.stderr.write(asks.render(app.rulesFile).text);
        return code;
      }),
    );
  } finally {
    stopListening();
  }
}
