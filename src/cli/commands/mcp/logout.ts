import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withApp } from "../../with-app.ts";
import { type ConfigFlag, configOption, namedFile } from "./config-option.ts";

type NamedFlags = CommonOptions & ConfigFlag;

export function declareMcpLogout(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("forget the login to a server")
    .description(
      "Removes the tokens of a server from the keychain, or from the file that they lie in. The entry stays. The server " +
        "is not told: where its tokens have to end at once, end them there as well.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp logout docs", "Log out:"]))
    .action(async (name: string, flags: NamedFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const done = await app.servers.logout(name, namedFile(flags, surface));
          if (!done.ok) return reportFailure(surface, done.failure, { json: flags.json ?? false });
          const { paint, wrap } = viewOn(surface.stdout);
          const { from } = done.value;
          const words =
            from.length === 0
              ? say`There was no login to ${name}.`
              : say`${paint("good", "logged out")} of ${name}; it was kept in ${from.join(" and ")}`;
          if (flags.json === true) await printJson(surface, { name, ...done.value });
          else await printShown(surface, lines([wrap(words)]));
          return exitCodes.done;
        }),
      ),
    );
}
