import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { renderSkill } from "./render-skill.ts";

interface ShowFlags extends CommonOptions {
  readonly file?: string;
}

export function declareSkillsShow(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("one skill with its instructions")
    .description(
      "One skill: what it is for, its files, whether its scripts may run, and its words as a model reads them.",
    )
    .argument("<name>", "name of its folder")
    .option("--file <path>", "another file of its folder instead of SKILL.md")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet skills show release", "What it tells a model:"],
        ["gauntlet skills show release --file scripts/publish.sh", "A script, before you trust it:"],
      ),
    )
    .action(async (name: string, flags: ShowFlags) => end(await showSkill(surface, name, flags)));
}

async function showSkill(surface: Surface, name: string, flags: ShowFlags): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const json = flags.json ?? false;
    const read = await app.skills.read(name, flags.file);
    if (!read.ok) return reportFailure(surface, read.failure, { json });
    const { skill, content } = read.value;
    if (json) await printJson(surface, { ...skill, content });
    else await printShown(surface, renderSkill(skill, content, viewOn(surface.stdout)));
    return exitCodes.done;
  });
}
