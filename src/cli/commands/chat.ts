import type { Command } from "commander";
import { chooseModel, namesNoModel } from "../choose-model.ts";
import { agentOptionsOf, type CommandContext, declareModelFlags, examples, type ModelFlags } from "../flags.ts";
import { painter, say } from "../render/shown.ts";
import { type ExitCode, exitCodeOfEnded, exitCodes, mistake, printNotice } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";
import { demo } from "./demo.ts";

export function declare(command: Command, { surface, end }: CommandContext): void {
  declareModelFlags(
    command.description(
      "Work with a model at this terminal. You are asked before it does anything that needs permission.",
    ),
  )
    .argument("[task]", "first task: several words, in quotes")
    .addHelpText(
      "after",
      examples(
        ["gauntlet", "Start in this project:"],
        [`gauntlet "fix the failing test"`, "Start with a task:"],
        ["gauntlet --mode plan", "Only read and plan:"],
        ["gauntlet --continue", "Continue the last session:"],
      ),
    )
    .action(async (task: string | undefined, flags: ModelFlags) => end(await chat(surface, flags, task)));
}

async function chat(surface: Surface, flags: ModelFlags, task: string | undefined): Promise<ExitCode> {
  const { converse } = surface;
  // One word is more likely a misspelt command than a task.
  if (task !== undefined && !/\s/.test(task.trim())) {
    const hint = "A task has several words, in quotes. `gauntlet --help` lists all commands.";
    return exitCodeOfEnded(surface, mistake(`unknown command ${JSON.stringify(task)}`, hint), {});
  }
  if (converse === undefined) {
    const hint =
      "Without a terminal, use `gauntlet run '<task>'`, which does not ask you. `gauntlet --help` lists all commands.";
    return exitCodeOfEnded(surface, mistake("a conversation needs a terminal", hint), {});
  }
  return withApp(surface, { cwd: flags.cwd }, async (app) => {
    const flagged = await agentOptionsOf(flags, surface, app);
    if (!flagged.ok) return flagged;
    const settings = app.settings(flagged.value);
    if (!settings.ok) return settings;
    let { model } = flagged.value;
    if (namesNoModel(flags, settings.value, { app, session: flagged.value.session })) {
      const chosen = await chooseModel(surface, app, flags.baseUrl);
      if (chosen === "demo") return demo(surface, { interactive: true });
      if (chosen === undefined) return exitCodes.usage;
      model = { ...model, wanted: chosen.model };
    }
    const welcome = [`Gauntlet ${app.version} in ${app.workspace}`, ...settings.value.notices];
    const ended = await converse(app, { agent: { ...flagged.value, model }, welcome, task });
    if (!ended.ok) return ended;
    const quiet = painter(surface.stderr)("quiet", "To continue:");
    await printNotice(surface, say`${quiet} gauntlet --resume ${ended.value.sessionId}`);
    return exitCodes.done;
  });
}
