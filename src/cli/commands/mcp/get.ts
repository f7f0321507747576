import type { Command } from "commander";
import type { ServerFacts } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { below, labeller, lines, type Shown, say } from "../../render/shown.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { canBeEnabled, failedWords, serverMark, toolsText, whoseWords, whyNot } from "./list.ts";

export function declareMcpGet(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("everything about one server")
    .description(
      "Where a server stands, how it is reached, what it is given and what it may do, whether it is trusted and logged " +
        "in. Of its environment and headers only the names are shown. Nothing is started.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp get docs", "What is this one?"]))
    .action(async (name: string, flags: CommonOptions) => end(await getServer(surface, name, flags)));
}

async function getServer(surface: Surface, name: string, flags: CommonOptions): Promise<ExitCode> {
  const json = { json: flags.json ?? false };
  return withApp(surface, flags, async (app) => {
    const found = await app.servers.get(name);
    if (!found.ok) return reportFailure(surface, found.failure, json);
    if (json.json) await printJson(surface, found.value);
    else await printShown(surface, lines(found.value.flatMap((server) => renderFacts(server, viewOn(surface.stdout)))));
    return exitCodes.done;
  });
}

function renderFacts(server: ServerFacts, view: View): readonly Shown[] {
  const { paint, wrap } = view;
  const label = labeller(paint);
  const { name, scope, origin, transport, target, fetches, given, sandbox = [], options, login, detail, hash } = server;
  const { failed } = server;
  const several = (heading: string, rows: readonly string[]) =>
    rows.map((row, index) => wrap(say`${label(index === 0 ? heading : "")}${row}`));
  const trust = server.broken === true && transport === undefined ? [] : [whoseWords(server)];
  return [
    say`${serverMark(server, view)} ${paint("strong", name)}`,
    ...(detail === undefined ? [] : below(say`${whyNot(server, view)} `, detail, 2).map(wrap)),
    ...(failed === undefined ? [] : failedRows(name, failed, view)),
    wrap(say`${label("scope")}${[scope, ...trust].join(": ")}`),
    wrap(say`${label("file")}${origin}`),
    ...(hash === undefined ? [] : [say`${label("decide")}gauntlet trust`]),
    ...(canBeEnabled(server) ? [say`${label("switch on")}gauntlet mcp enable ${name}`] : []),
    ...(transport === undefined ? [] : [say`${label("transport")}${transport}`]),
    ...(target === undefined ? [] : [wrap(say`${label(transport === "stdio" ? "command" : "address")}${target}`)]),
    ...(fetches === undefined ? [] : [wrap(say`${label("package")}${fetches}`)]),
    ...several(transport === "stdio" ? "environment" : "headers", given.map(givenText)),
    ...several("sandbox", sandbox),
    ...several("options", options),
    ...(login === undefined
      ? []
      : [wrap(say`${label("login")}${login === "none" ? loginHint(name) : `kept in ${login}`}`)]),
    ...(transport === undefined ? [] : [wrap(say`${label("tools")}${toolsText(server)}`)]),
  ];
}

function failedRows(name: string, failed: NonNullable<ServerFacts["failed"]>, { paint, wrap }: View): readonly Shown[] {
  const { what, text, again } = failedWords(name, failed);
  return [...below(paint("bad", what.padEnd(14)), text).map(wrap), say`${labeller(paint)("again")}${again}`];
}

function loginHint(name: string): string {
  return `none; where it wants one: gauntlet mcp login ${name}`;
}

function givenText({ name, from }: ServerFacts["given"][number]): string {
  if (from === undefined) return `${name}, written out in the file`;
  return `${name}, from ${from.map(({ variable, set }) => `${variable}${set ? "" : " (not set)"}`).join(", ")}`;
}
