// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables like that.
import type { Command } from "commander";
import type { ServerScope } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { reportFailure } from "../../report.ts";
import { withApp } from "../../with-app.ts";
import { scopeOption } from "./scope-option.ts";
import { tellAdded } from "./tell-added.ts";
import { unshownNotes } from "./unshown-notes.ts";

interface AddJsonFlags extends CommonOptions {
  readonly scope: ServerScope;
}

export function declareMcpAddJson(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("write a server down as its description has it")
    .description(
      "Writes down the object that a server's description shows below mcpServers. Keys that other programs have and " +
        "that mean nothing here are left out and named. What the program may do beyond reading the workspace is said " +
        'with "sandbox", as in {"write": ["notes"], "network": ["api.example.com"]}.',
    )
    .argument("<name>", "what its tools are called by: mcp__name__tool")
    .argument("<json>", "the object, in quotes")
    .addOption(scopeOption("where it is written; see `gauntlet mcp add --help`").default("local"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        [`gauntlet mcp add-json notes '{"command": "notes-server", "args": ["--stdio"]}'`, "A program:"],
        [
          `gauntlet mcp add-json docs '{"url": "https://docs.example.com/mcp", "headers": {"X-Key": "\${DOCS_KEY}"}}'`,
          "An address:",
        ],
      ),
    )
    .action(async (name: string, text: string, flags: AddJsonFlags) => {
      const json = { json: flags.json ?? false };
      end(
        await withApp(surface, flags, async (app) => {
          const added = app.servers.addJson(name, text, flags.scope);
          if (!added.ok) return reportFailure(surface, added.failure, json);
          const unshown = await unshownNotes(app, added.value);
          await tellAdded(surface, name, { ...added.value, notes: [...added.value.notes, ...unshown] }, json);
          return exitCodes.done;
        }),
      );
    });
}
