import type { Command } from "commander";
import { nearest } from "../../../base/nearest.ts";
import type { Failure } from "../../../contract/codes.ts";
import { checkChain, endsWithOne } from "../../broken-chain.ts";
import { type CommandContext, type CommonOptions, collect, examples, jsonOption } from "../../command.ts";
import { sessionArgument } from "../../find-session.ts";
import { eventTypes, isEventType, renderEvent } from "../../render/event.ts";
import { lines, painter } from "../../render/shown.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { withSession } from "../../with-app.ts";
import { wholeNumber } from "./amount.ts";

interface EventsFlags extends CommonOptions {
  readonly from?: number;
  readonly limit?: number;
  readonly type?: readonly string[];
}

export function declareSessionsEvents(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("every fact of a session, in order")
    .description(
      `Every fact of a session, in order: a timeline, or the events as JSON lines with --json. ${endsWithOne}`,
    )
    .argument("<session>", sessionArgument)
    .option("--from <seq>", "start at this event", wholeNumber)
    .option("--limit <n>", "at most this many", wholeNumber)
    .option("--type <type>", "only this type, for example permission.decided; repeatable", collect)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet sessions events ses_… --type permission.decided", "Every decision:"]))
    .action(async (session: string, flags: EventsFlags) =>
      end(
        await withSession(surface, { ...flags, session }, async (id, archive) => {
          const json = flags.json ?? false;
          const unknown = flags.type?.find((type) => !isEventType(type));
          if (unknown !== undefined) return reportFailure(surface, noSuchType(unknown), { json });
          const events = archive.events(id, {
            ...(flags.from === undefined ? {} : { from: flags.from }),
            ...(flags.limit === undefined ? {} : { limit: flags.limit }),
            ...(flags.type === undefined ? {} : { types: flags.type }),
          });
          if (!events.ok) return reportFailure(surface, events.failure, { json });
          const code = await checkChain(surface, archive, id);
          const paint = painter(surface.stdout);
          for (const event of events.value) {
            if (json) await printJson(surface, event);
            else await printShown(surface, lines([renderEvent(event, paint)]));
          }
          return code;
        }),
      ),
    );
}

function noSuchType(type: string): Failure {
  const meant = nearest(type, eventTypes);
  const recovery = meant.length === 0 ? `Types are ${eventTypes.join(", ")}.` : `Did you mean ${meant.join(" or ")}?`;
  return { code: "bad_request", message: `There is no event type ${type}.`, recovery };
}
