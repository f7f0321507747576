import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declareSkillsList } from "./skills/list.ts";
import { declareSkillsSearch } from "./skills/search.ts";
import { declareSkillsShow } from "./skills/show.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "Skills: folders with a SKILL.md, of this project and your own. Their words are advice to a model. Scripts of a " +
      "project's skill run only after you trust the folder as it is.",
  );
  declareSkillsList(command.command("list"), context);
  declareSkillsShow(command.command("show"), context);
  declareSkillsSearch(command.command("search"), context);
}
