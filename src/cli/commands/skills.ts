import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderSkill, renderSkills, renderSurvey } from "../render/inventory.ts";
import { lines, say } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printShown, reportFailure } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "Skills: folders with a SKILL.md, of this project and your own. Their words are advice to a model. Scripts of a " +
      "project's skill run only after you trust the folder as it is.",
  );
  declareSkillsList(command.command("list"), context);
  declareSkillsShow(command.command("show"), context);
  declareSkillsSearch(command.command("search"), context);
}

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

export function declareSkillsSearch(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("skills for what you want to do")
    .description("Skills by their names and what they are for, best first: what a model finds with the same words.")
    .argument("<words...>", "what you want to do")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet skills search publish a release", "Is there one for this?"]))
    .action(async (words: readonly string[], flags: CommonOptions) =>
      end(await searchSkills(surface, words.join(" "), flags)),
    );
}

async function searchSkills(surface: Surface, words: string, flags: CommonOptions): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const json = flags.json ?? false;
    const found = await app.skills.search(words);
    if (!found.ok) return reportFailure(surface, found.failure, { json });
    const none = lines([say`No skill here is about ${words}. \`gauntlet skills list\` names all.`]);
    if (json) await printJson(surface, found.value);
    else await printShown(surface, found.value.length === 0 ? none : renderSkills(found.value, viewOn(surface.stdout)));
    return exitCodes.done;
  });
}
