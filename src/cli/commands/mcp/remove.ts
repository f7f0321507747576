import type { Command } from "commander";
import type { ServerScope } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withApp } from "../../with-app.ts";
import { scopeOption } from "./scope-option.ts";

interface RemoveFlags extends CommonOptions {
  readonly scope?: ServerScope;
}

export function declareMcpRemove(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("take a server out again")
    .description(
      "Takes a server out of wherever `gauntlet mcp add` wrote it: your settings for this project, the project's " +
        ".mcp.json or your own settings. Its login is forgotten.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .addOption(scopeOption("where it stands, if it stands in several"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp remove docs", "Take it out:"]))
    .action(async (name: string, flags: RemoveFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const removed = await app.servers.remove(name, flags.scope);
          if (!removed.ok) return reportFailure(surface, removed.failure, { json: flags.json ?? false });
          const { paint, wrap } = viewOn(surface.stdout);
          if (flags.json === true) await printJson(surface, { name, ...removed.value });
          else
            await printShown(
              surface,
              lines([
                wrap(say`${paint("good", "removed")} ${name} (${removed.value.scope}) from ${removed.value.file}`),
              ]),
            );
          return exitCodes.done;
        }),
      ),
    );
}
