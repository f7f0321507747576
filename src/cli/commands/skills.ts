import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { renderSkill, renderSkills, renderSurvey } from "../render/inventory.ts";
import { lines } from "../render/shown.ts";
import { onApp } from "../with-app.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "Skills are folders with a SKILL.md, of this project or your own. Their text is advice to a model. Scripts of a " +
      "project's skill run only after you trust the folder.",
  );
  declareList(command.command("list"), context);
  declareShow(command.command("show"), context);
  declareSearch(command.command("search"), context);
}

function declareList(command: Command, context: CommandContext): void {
  command
    .summary("list skills, with origin and trust")
    .description(
      "List the skills that a model can read here: purpose, location, whether scripts may run, and the tools that " +
        "each skill restricts a session to. Also lists folders that cannot be read as skills, with the reason.",
    )
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet skills list", "List all skills:"], ["gauntlet skills list --json", "For a program:"]),
    )
    .action(onApp(context, async ({ app, show }) => show(await app.skills.survey(), renderSurvey)));
}

interface ShowFlags extends CommonOptions {
  readonly file?: string;
}

function declareShow(command: Command, context: CommandContext): void {
  command
    .summary("show a skill and its instructions")
    .description("Show one skill: purpose, files, whether its scripts may run, and its text as a model reads it.")
    .argument("<name>", "name of its folder")
    .option("--file <path>", "show another file of the folder instead of SKILL.md")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet skills show release", "Show what it tells a model:"],
        ["gauntlet skills show release --file scripts/publish.sh", "Read a script before you trust it:"],
      ),
    )
    .action(
      onApp(context, async ({ app, show }, name: string, { file }: ShowFlags) =>
        show(
          await app.skills.read(name, file),
          ({ skill, content }, view) => renderSkill(skill, content, view),
          ({ skill, content }) => ({ ...skill, content }),
        ),
      ),
    );
}

function declareSearch(command: Command, context: CommandContext): void {
  command
    .summary("search skills")
    .description("Search skills by name and purpose, best match first. A model gets the same results.")
    .argument("<words...>", "what you want to do")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet skills search publish a release", "Find a skill for a task:"]))
    .action(
      onApp(context, async ({ app, show }, words: readonly string[]) => {
        const wanted = words.join(" ");
        return show(await app.skills.search(wanted), (found, view) =>
          found.length > 0
            ? renderSkills(found, view)
            : lines([view.line`No skill matches ${wanted}. \`gauntlet skills list\` lists all skills.`]),
        );
      }),
    );
}
