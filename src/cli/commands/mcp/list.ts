import type { Command } from "commander";
import type { ListedServer } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { below, lines, type Shown, say } from "../../render/shown.ts";
import { bytesText, counted, dateText } from "../../render/table.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printNotices, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { scopeWords } from "./scope-option.ts";

interface ListFlags extends CommonOptions {
  readonly tools?: boolean;
}

export function declareMcpList(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("every server that is configured, and where")
    .description(
      "Every MCP server that stands in a settings file or in .mcp.json: where, how it is reached, whether it is in " +
        "force, and the tools that it had when it ran last. Nothing is started.",
    )
    .option("--tools", "the tools one by one")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet mcp list", "Which there are:"], ["gauntlet mcp list --tools", "With their tools:"]),
    )
    .action(async (flags: ListFlags) => end(await listServers(surface, flags)));
}

async function listServers(surface: Surface, flags: ListFlags): Promise<ExitCode> {
  return withApp(surface, flags, async (app) => {
    const json = { json: flags.json ?? false };
    const settings = app.settings({});
    if (!settings.ok) return reportFailure(surface, settings.failure, json);
    const servers = await app.servers.list();
    if (!servers.ok) return reportFailure(surface, servers.failure, json);
    const isListed = (notice: string) => servers.value.some(({ detail }) => detail && notice.includes(detail));
    await printNotices(
      surface,
      settings.value.notices.filter((notice) => !isListed(notice)),
    );
    if (flags.json === true) await printJson(surface, servers.value);
    else await printShown(surface, renderList(servers.value, viewOn(surface.stdout), flags.tools ?? false));
    return exitCodes.done;
  });
}

function renderList(servers: readonly ListedServer[], view: View, withTools: boolean): Shown {
  const { paint, wrap } = view;
  if (servers.length === 0) return lines([say`No MCP server is configured. \`gauntlet mcp add --help\` shows how.`]);
  return lines(
    servers.flatMap((server) => [
      wrap(
        say`${serverMark(server, view)} ${paint("strong", server.name)}${server.transport === undefined ? "" : `  ${server.transport}  ${server.target ?? ""}`}`,
      ),
      wrap(say`  ${paint("quiet", `scope ${server.scope} (${whoseWords(server)}), in ${server.origin}`)}`),
      ...(server.fetches === undefined ? [] : [wrap(say`  ${server.fetches}`)]),
      ...(server.detail === undefined ? [] : below(say`  ${whyNot(server, view)} `, server.detail, 4).map(wrap)),
      ...failedRows(server, view),
      ...(server.hash === undefined ? [] : [say`  ${paint("quiet", "decide:")} gauntlet trust`]),
      ...(canBeEnabled(server) ? [say`  ${paint("quiet", "switch on:")} gauntlet mcp enable ${server.name}`] : []),
      ...(server.transport === undefined ? [] : [wrap(say`  ${paint("quiet", toolsText(server))}`)]),
      ...(withTools
        ? (server.tools ?? []).map((tool) => say`    ${tool.name}  ${paint("quiet", bytesText(tool.bytes))}`)
        : []),
    ]),
  );
}

export function whoseWords({ scope, trust, broken }: ListedServer): string {
  const words = scopeWords[scope];
  return scope !== "project" || broken === true
    ? words
    : `${words}, ${trust === "trusted" ? "trusted" : "not trusted"}`;
}

/** The company's entries and the command line's are not ours to change. */
export function canBeEnabled({ disabled, scope }: ListedServer): boolean {
  return disabled === true && scope !== "managed" && scope !== "command_line";
}

/** Of what a server said at last. `gauntlet mcp get` shows all of it. */
const mostRows = 4;

function failedRows({ name, failed }: ListedServer, { paint, wrap }: View): readonly Shown[] {
  if (failed === undefined) return [];
  const { what, text, again } = failedWords(name, failed);
  const rows = text.split("\n");
  const left = rows.length - mostRows;
  // The last one says what to do.
  const shown =
    left > 0
      ? [...rows.slice(0, mostRows - 2), `⟨${counted(left + 1, "line")}: gauntlet mcp get ${name}⟩`, ...rows.slice(-1)]
      : rows;
  return [
    ...below(say`  ${paint("bad", what)} `, shown.join("\n"), 4).map(wrap),
    say`  ${paint("quiet", "again:")} ${again}`,
  ];
}

export function failedWords(name: string, { at, why, loggedOut }: NonNullable<ListedServer["failed"]>) {
  const time = `${dateText(at).slice(0, 16)} UTC`;
  return loggedOut === true
    ? { what: "logged out", text: `at ${time}, and it has not started since`, again: `gauntlet mcp login ${name}` }
    : { what: "failed", text: `when it was tested (${time}): ${why}`, again: `gauntlet mcp test ${name}` };
}

export function serverMark({ inForce, broken, failed }: ListedServer, { paint }: View): Shown {
  return broken === true || failed !== undefined
    ? paint("bad", "✗")
    : inForce
      ? paint("good", "✓")
      : paint("warning", "-");
}

export function whyNot({ broken }: ListedServer, { paint }: View): Shown {
  return broken === true ? paint("bad", "broken:") : paint("warning", "not in force:");
}

export function toolsText({ name, tools }: ListedServer): string {
  if (tools === undefined) return "tools are known after it ran once";
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const text = `${counted(tools.length, "tool")} when it ran last, ${bytesText(bytes)}`;
  const changed = tools.filter((tool) => tool.changed === true).length;
  if (changed === 0) return text;
  return `${text}; ${changed} described in other words since you agreed: gauntlet mcp test ${name}`;
}
