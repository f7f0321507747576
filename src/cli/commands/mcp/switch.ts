import type { Command } from "commander";
import type { ServerScope } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withApp } from "../../with-app.ts";
import { scopeOption } from "./scope-option.ts";

interface SwitchFlags extends CommonOptions {
  readonly scope?: ServerScope;
}

export function declareMcpEnable(command: Command, context: CommandContext): void {
  command
    .summary("switch a server on again")
    .description('Takes "disabled" out of the entry of a server, in the file that it stands in.')
    .addHelpText("after", examples(["gauntlet mcp enable docs", "Use it again:"]));
  declareSwitch(command, context, { on: true });
}

export function declareMcpDisable(command: Command, context: CommandContext): void {
  command
    .summary("switch a server off, and keep its entry")
    .description(
      'Writes "disabled": true into the entry of a server, in the file that it stands in. It is not started from the ' +
        "next session on, and its name stays taken. Its login is kept.",
    )
    .addHelpText("after", examples(["gauntlet mcp disable docs", "Do without it for a while:"]));
  declareSwitch(command, context, { on: false });
}

function declareSwitch(command: Command, { surface, end }: CommandContext, { on }: { readonly on: boolean }): void {
  command
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .addOption(scopeOption("where it stands, if it stands in several"))
    .option(...cwdOption)
    .option(...jsonOption)
    .action(async (name: string, flags: SwitchFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const { scope } = flags;
          const switched = app.servers.switch(name, { on, ...(scope === undefined ? {} : { scope }) });
          if (!switched.ok) return reportFailure(surface, switched.failure, { json: flags.json ?? false });
          const { changed, file, scope: where } = switched.value;
          const { paint, wrap } = viewOn(surface.stdout);
          const state = on ? "on" : "off";
          const words = changed
            ? say`${paint("good", `switched ${state}`)} ${name} (${where}) in ${file}`
            : say`${name} (${where}) was switched ${state} already in ${file}`;
          const isProjects = changed && where === "project";
          if (flags.json === true) await printJson(surface, { name, ...switched.value });
          else await printShown(surface, lines([words, ...(isProjects ? [projectWords(on)] : [])].map(wrap)));
          return exitCodes.done;
        }),
      ),
    );
}

/** Trust is in an entry as it is. */
function projectWords(on: boolean) {
  return on
    ? say`It stands in the project, so it is in force once the entry as it is now is trusted: gauntlet trust`
    : say`It stands in the project, so it is off for everybody who works on it.`;
}
