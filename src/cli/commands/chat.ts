import type { Command } from "commander";
import { chooseModel, namesNoModel } from "../choose-model.ts";
import { agentOptionsOf, type CommandContext, declareModelFlags, examples, type ModelFlags } from "../flags.ts";
import { painter, say } from "../render/shown.ts";
import { type ExitCode, exitCodes, printNotice, reportFailure, reportUsage } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";
import { demo } from "./demo.ts";

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareModelFlags(
    command.description(
      "Work with a model at this terminal. What it wants to do and may not do by itself, you are asked.",
    ),
  )
    .argument("[task]", "what is to be done, sent at once: several words, in quotes")
    .addHelpText(
      "after",
      examples(
        ["gauntlet", "Start in this project:"],
        [`gauntlet "fix the failing test"`, "Start with a task:"],
        ["gauntlet --mode plan", "Let it only read and think:"],
        ["gauntlet --continue", "Go on where you left:"],
      ),
    )
    .action(async (task: string | undefined, flags: ModelFlags) => end(await chat(surface, flags, task)));
}

async function chat(surface: Surface, flags: ModelFlags, task: string | undefined): Promise<ExitCode> {
  const { converse } = surface;
  // One word is a command that was misspelt rather than a task.
  if (task !== undefined && !/\s/.test(task.trim())) {
    const hint = "A task has several words, in quotes. `gauntlet --help` lists all commands.";
    return reportUsage(surface, { message: `unknown command ${JSON.stringify(task)}`, hint }, { json: false });
  }
  if (converse === undefined) {
    const hint =
      "Without one, `gauntlet run '<task>'` does a task and asks nobody. `gauntlet --help` lists all commands.";
    return reportUsage(surface, { message: "a conversation needs a terminal", hint }, { json: false });
  }
  return withApp(surface, flags, async (app) => {
    const flagged = await agentOptionsOf(flags, surface, app);
    if (!flagged.ok) return reportFailure(surface, flagged.failure, { json: false });
    const settings = app.settings(flagged.value);
    if (!settings.ok) return reportFailure(surface, settings.failure, { json: false });
    let { model } = flagged.value;
    if (namesNoModel(flags, settings.value, { app, session: flagged.value.session })) {
      const chosen = await chooseModel(surface, app, flags.baseUrl);
      if (chosen === "demo") return demo(surface, { interactive: true });
      if (chosen === undefined) return exitCodes.usage;
      model = { ...model, wanted: chosen.model };
    }
    const agent = { ...flagged.value, model };
    const welcome = [`Gauntlet ${app.version} in ${app.workspace}`, ...settings.value.notices];
    const ended = await converse(app, { agent, welcome, task });
    if (!ended.ok) return reportFailure(surface, ended.failure, { json: false });
    await printNotice(surface, goodbye(surface, ended.value.sessionId));
    return exitCodes.done;
  });
}

function goodbye(surface: Surface, session: string) {
  return say`${painter(surface.stderr)("quiet", "go on with")} gauntlet --resume ${session}`;
}
