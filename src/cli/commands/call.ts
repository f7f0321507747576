import type { Command } from "commander";
import { askPerson } from "../ask-person.ts";
import { type CommandContext, examples } from "../command.ts";
import { type DoorFlags, declareDoorFlags, doorOptionsOf } from "../door-options.ts";
import { type ExitCode, exitCodeOfObservation, exitCodes } from "../exit-code.ts";
import { readAll } from "../pipe/read-lines.ts";
import { renderEnding } from "../render/observation.ts";
import { painter, say } from "../render/shown.ts";
import { printJson, printNotice, printShown, reportUsage } from "../report.ts";
import { statusLine } from "../status-line.ts";
import type { Surface } from "../surface.ts";
import { withApp, withDoor } from "../with-app.ts";

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command
      .description("Send one intent through the whole pipeline and print what came of it.")
      .argument("<tool>", "name of the tool; `gauntlet tools list` shows them")
      .argument("[json]", "its input as JSON, or - to read it from standard input", "{}"),
  )
    .addHelpText(
      "after",
      examples(
        [`gauntlet call read '{"path":"package.json"}'`, "Read a file:"],
        [`gauntlet call bash '{"command":"npm test"}' --allow 'Bash(npm test)'`, "Run a command without being asked:"],
        [`gauntlet call edit - --session ses_… < edit.json`, "Edit a file that was read in that session:"],
      ),
    )
    .action(async (tool: string, json: string, flags: DoorFlags) => end(await runCall(surface, tool, json, flags)));
}

async function runCall(surface: Surface, tool: string, json: string, flags: DoorFlags): Promise<ExitCode> {
  const fromStdin = json === "-";
  let input: unknown;
  try {
    input = JSON.parse(fromStdin ? await readAll(surface.stdin) : json);
  } catch (error) {
    return reportUsage(
      surface,
      say`the input of ${tool} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      say`Give it as one quoted word: gauntlet call read '{"path":"package.json"}'`,
    );
  }
  const status = statusLine(surface);
  // Standard input that held the intent cannot hold answers as well.
  const ask = fromStdin ? undefined : askPerson(surface, status.clear);
  const options = {
    ...doorOptionsOf(flags, surface),
    ...(ask === undefined ? {} : { ask }),
    onNotice: status.notice,
  };
  const asJson = { json: flags.json ?? false };
  return withApp(surface, flags, (app) =>
    withDoor(
      surface,
      app,
      options,
      async (door) => {
        let interrupted = false;
        const stopListening = surface.onInterrupt((signal) => {
          interrupted = true;
          void door.interrupt(signal);
        });
        const observation = await door.call({ tool, input }).finally(() => {
          status.clear();
          stopListening();
        });
        const paint = painter(surface.stderr);
        if (asJson.json) await printJson(surface, observation);
        else if (observation.user.text !== "") await printShown(surface, say`${observation.user.text.trimEnd()}\n`);
        await surface.stderr.write(renderEnding(observation, paint).text);
        if (observation.invocationId !== undefined && !observation.sandbox.enforces) {
          await printNotice(
            surface,
            say`${paint("warning", "warning:")} no sandbox enforced the boundaries of this call`,
          );
        }
        await printNotice(surface, paint("quiet", `session ${door.sessionId}  audit ${observation.auditId}`));
        return interrupted ? exitCodes.interrupted : exitCodeOfObservation(observation);
      },
      asJson,
    ),
  );
}
