import type { Command } from "commander";
import { type CommandContext, type CommonOptions, examples, jsonOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { sessionArgument } from "../../find-session.ts";
import { reportFailure } from "../../report.ts";
import { withSession } from "../../with-app.ts";

export function declareSessionsExport(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("a session as JSON lines")
    .description("A session as JSON lines on standard output: a header, every event, every artifact.")
    .argument("<session>", sessionArgument)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions export ses_… > session.jsonl", "Into a file:"]))
    .action(async (session: string, flags: CommonOptions) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const exported = archive.export(id);
          if (!exported.ok) return reportFailure(surface, exported.failure, { json: false });
          for (const line of exported.value) await surface.stdout.write(line.endsWith("\n") ? line : `${line}\n`);
          return exitCodes.done;
        }),
      ),
    );
}
