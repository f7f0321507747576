import type { Command } from "commander";
import { messageOf } from "../../base/text.ts";
import type { App } from "../../contract/app/app.ts";
import type { CommandTrial, Door } from "../../contract/app/door.ts";
import type { Observation } from "../../contract/observation.ts";
import { personAt } from "../ask-person.ts";
import { type CommandContext, type DoorFlags, declareDoorFlags, examples } from "../flags.ts";
import { readAll } from "../read-lines.ts";
import { renderEnding, renderResult } from "../render/observation.ts";
import { painter } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import {
  type ExitCode,
  exitCodeOfEnded,
  exitCodeOfObservation,
  exitCodes,
  mistake,
  printJson,
  printNotice,
  printShown,
} from "../report.ts";
import { statusLine } from "../run/progress.ts";
import type { Surface } from "../surface.ts";
import { withApp, withDoor } from "../with-app.ts";

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareDoorFlags(
    command
      .description("Send one tool call through the whole pipeline and print the result.")
      .argument("<tool>", "name of the tool; `gauntlet tools list` shows them")
      .argument("[json]", "its input as JSON, or - to read it from standard input", "{}"),
  )
    .addHelpText(
      "after",
      examples(
        [`gauntlet call read '{"path":"package.json"}'`, "Read a file:"],
        [`gauntlet call bash '{"command":"npm test"}' --allow 'Bash(npm test)'`, "Run a command without a prompt:"],
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
    const hint = `Pass it as one quoted argument: gauntlet call read '{"path":"package.json"}'`;
    const unreadable = mistake(`the input of ${tool} cannot be read: ${messageOf(error)}`, hint);
    return exitCodeOfEnded(surface, unreadable, flags);
  }
  return sendCall(surface, { tool, input }, flags, { fromStdin });
}

interface SendOptions extends CommandTrial {
  readonly fromStdin?: boolean;
  readonly jsonOf?: (observation: Observation, app: App, session: string) => unknown;
}

export async function sendCall(
  surface: Surface,
  intent: { readonly tool: string; readonly input: unknown },
  flags: DoorFlags,
  { fromStdin, changes, kept, jsonOf = (observation) => observation }: SendOptions,
): Promise<ExitCode> {
  const { paint, line } = viewOn(surface.stderr);
  const status = statusLine(surface);
  // Standard input that held the intent cannot hold answers as well.
  const question = fromStdin ? surface.terminalQuestion : surface.question;
  const { ask, elicit } = personAt(surface.stderr, question, status.clear);
  const asking = changes === "allowed" ? undefined : ask;
  const live = { elicit, ask: asking, onNotice: status.notice, oneCall: true, changes };
  return withApp(surface, flags, (app) =>
    withDoor({ surface, app }, flags, live, async (door) => {
      let interrupted = false;
      const stopListening = surface.onInterrupt((signal) => {
        interrupted = true;
        void door.interrupt(signal);
      });
      const observation = await door.call(intent, { kept }).finally(() => {
        status.clear();
        stopListening();
      });
      const data = flags.json ? jsonOf(observation, app, door.sessionId) : undefined;
      await printObservation(surface, observation, { data, rulesFile: app.rulesFile });
      if (observation.code === "runtime_precondition_failed" && flags.session === undefined) {
        const same = `Each call starts a new session. To use this one for both calls, add: --session ${door.sessionId}`;
        await printNotice(surface, line`${same}`);
      }
      const cutOff = await tellEndingJobs(surface, door);
      await printNotice(surface, line`${paint("quiet", `session ${door.sessionId}  audit ${observation.auditId}`)}`);
      if (interrupted) return exitCodes.interrupted;
      return cutOff ? exitCodes.failed : exitCodeOfObservation(observation);
    }),
  );
}

async function printObservation(
  surface: Surface,
  observation: Observation,
  { data, rulesFile }: { readonly data: unknown; readonly rulesFile: string },
): Promise<void> {
  const { stdout, stderr } = surface;
  const view = viewOn(stderr);
  const json = data !== undefined;
  if (json) await printJson(surface, data);
  else await printShown(surface, renderResult(observation, painter(stdout)));
  await stderr.write(renderEnding(observation, { ...view, resultShown: !json, rulesFile }).text);
  if (observation.invocationId !== undefined && !observation.sandbox.enforces) {
    await printNotice(surface, view.line`${view.paint("warning", "warning:")} no sandbox confined this call`);
  }
}

async function tellEndingJobs(surface: Surface, door: Door): Promise<boolean> {
  const { paint, line } = viewOn(surface.stderr);
  const jobs = [...door.state.openJobs.keys()];
  for (const jobId of jobs) {
    const why = `${jobId} was ended with this command: a background job ends with its session. Omit run_in_background to wait for it. \`gauntlet pipe\` and the library keep a session open.`;
    await printNotice(surface, line`${paint("bad", "not finished:")} ${why}`);
  }
  return jobs.length > 0;
}
