import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { renderSurvey } from "./render-skill.ts";

export function declareSkillsList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("every skill, where it comes from and whether it is trusted")
    .description(
      "Every skill that a model can read here: what it is for, where it lies, whether its scripts may run, and the " +
        "tools that it leaves. Folders that cannot be read as skills are named with the reason.",
    )
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet skills list", "Which there are:"], ["gauntlet skills list --json", "For a program:"]),
    )
    .action(async (flags: CommonOptions) => end(await listSkills(surface, flags)));
}

async function listSkills(surface: Surface, flags: CommonOptions): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const json = flags.json ?? false;
    const survey = await app.skills.survey();
    if (!survey.ok) return reportFailure(surface, survey.failure, { json });
    if (json) await printJson(surface, survey.value);
    else await printShown(surface, renderSurvey(survey.value, viewOn(surface.stdout)));
    return exitCodes.done;
  });
}
