import { type Command, Option } from "commander";
import type { WaitingRequest } from "../../../contract/app/policy.ts";
import type { PermissionAnswer, PermissionPrompt } from "../../../contract/verdict.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { renderPrompt } from "../../render/prompt.ts";
import { labeller, lines, type Shown, say } from "../../render/shown.ts";
import { dateText } from "../../render/table.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure, reportUsage } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";

interface AnswerFlags extends CommonOptions {
  readonly remember?: "once" | "session" | "always";
  readonly message?: string;
}

type Answering = { readonly request?: string; readonly answer?: string };

export function declareMcpAnswer(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("agree to what an MCP client could not ask you about")
    .description(
      "Show what calls of MCP clients would have needed your agreement, or answer one of them. The answer is for the next " +
        "call that asks exactly the same: another command, file or change is another question. With --remember the rules " +
        "that the question shows hold from that call on.",
    )
    .argument("[request]", "the question's id; without it all that wait are shown")
    .argument("[answer]", "allow or deny; without it the question is shown")
    .addOption(
      new Option(
        "--remember <scope>",
        "how far a yes reaches: this call, until the gauntlet that asked ends, from now on",
      ).choices(["once", "session", "always"]),
    )
    .option("--message <text>", "what the model is told with a no")
    .option(...jsonOption)
    .option(...cwdOption)
    .addHelpText(
      "after",
      examples(["gauntlet mcp answer", "What waits:"], ["gauntlet mcp answer req_… allow", "Say yes:"]),
    )
    .action(async (request: string | undefined, answer: string | undefined, flags: AnswerFlags) =>
      end(
        await runAnswer(
          surface,
          { ...(request === undefined ? {} : { request }), ...(answer === undefined ? {} : { answer }) },
          flags,
        ),
      ),
    );
}

/** Whose call it was, in that client's words, and how long an answer still counts. */
function whenceRows({ client, requestedAt, expiresAt }: WaitingRequest, { paint, wrap }: View): readonly Shown[] {
  const label = labeller(paint);
  return [
    wrap(say`${label("asked by")}${client === undefined ? "a client that does not say what it is" : client}`),
    say`${label("asked")}${dateText(requestedAt)} UTC, good until ${dateText(expiresAt)} UTC`,
  ];
}

async function runAnswer(surface: Surface, { request, answer }: Answering, flags: AnswerFlags): Promise<ExitCode> {
  const json = { json: flags.json ?? false };
  if (answer !== undefined && answer !== "allow" && answer !== "deny") {
    return reportUsage(surface, { message: `"${answer}" is no answer`, hint: "Write allow or deny." }, json);
  }
  return withApp(surface, flags, async (app) => {
    if (request === undefined || answer === undefined) {
      const waiting = app.unanswered.list();
      if (!waiting.ok) return reportFailure(surface, waiting.failure, json);
      const shown = waiting.value.filter(({ id }) => request === undefined || id === request);
      if (json.json) await printJson(surface, shown);
      else if (shown.length === 0) await printShown(surface, say`Nothing waits for you.\n`);
      const view = viewOn(surface.stdout);
      for (const one of json.json ? [] : shown) {
        await printShown(surface, renderPrompt(one, { ...view, whole: true }).shown);
        await printShown(surface, lines([...whenceRows(one, view), say`gauntlet mcp answer ${one.id} allow | deny`]));
      }
      return exitCodes.done;
    }
    const given: PermissionAnswer = {
      request,
      answer,
      by: "person at a terminal",
      ...(flags.remember === undefined ? {} : { remember: flags.remember }),
      ...(flags.message === undefined ? {} : { message: flags.message }),
    };
    const answered = app.unanswered.answer(given);
    if (!answered.ok) return reportFailure(surface, answered.failure, json);
    if (json.json) await printJson(surface, { ok: true, request, answer });
    else {
      const said = answer === "allow" ? "Yes" : "No";
      const reach = answer === "allow" ? reachOf(answered.value.prompt, flags.remember) : nextCall;
      await printShown(surface, say`${said} to "${answered.value.prompt.title}", ${reach}\n`);
    }
    return exitCodes.done;
  });
}

const nextCall = "for the next call that asks exactly this.";

/** What a yes comes to: with rules it covers more than the call that was asked about. */
function reachOf(prompt: PermissionPrompt, given: AnswerFlags["remember"]): string {
  const remember = given ?? (prompt.opens ? "session" : "once");
  if (remember === "once") return nextCall;
  const { suggestedRules: rules = [], savesTo } = prompt;
  if (rules.length === 0) return `${nextCall} It is not remembered: no rule would cover exactly this.`;
  const covered = rules.join(", ");
  if (remember === "session") {
    return `${nextCall} From then on every client of the gauntlet that asked may, until that one ends: ${covered}`;
  }
  return savesTo === undefined
    ? `${nextCall} It is not remembered: a rule like this is not saved: ${covered}`
    : `${nextCall} That call writes into ${savesTo} what is allowed from then on: ${covered}`;
}
