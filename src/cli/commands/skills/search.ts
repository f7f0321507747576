import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { renderSkills } from "./render-skill.ts";

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
