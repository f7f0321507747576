import type { Command } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withArchive } from "../../with-app.ts";

export function declareSessionsImport(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("take in an exported session")
    .description("Take in an exported session. Its chain is checked first; nothing is stored when it does not hold.")
    .argument("[file]", "file that `sessions export` wrote; standard input when absent")
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions import session.jsonl", "From a file:"]))
    .action(async (file: string | undefined, flags: CommonOptions) =>
      end(
        await withArchive(surface, flags, async (archive) => {
          const json = flags.json ?? false;
          const source = surface.lines(file);
          if (!source.ok) return reportFailure(surface, source.failure, { json });
          const imported = archive.import(source.value);
          if (!imported.ok) return reportFailure(surface, imported.failure, { json });
          if (json) await printJson(surface, { session: imported.value });
          else await printShown(surface, lines([say`${imported.value}`]));
          return exitCodes.done;
        }),
      ),
    );
}
