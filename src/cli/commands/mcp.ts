import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import type { ServerScope } from "../../contract/server/admin.ts";
import { personAt } from "../ask-person.ts";
import {
  type CommandContext,
  type CommonOptions,
  type ConfigFlag,
  configOption,
  cwdOption,
  examples,
  jsonOption,
  namedFile,
  scopeOption,
} from "../flags.ts";
import { changedRows, renderServerFacts, renderServers, renderServerTest } from "../render/servers.ts";
import { joinShown, lines, say } from "../render/shown.ts";
import { counted } from "../render/table.ts";
import { viewOn } from "../render/wrap.ts";
import { type Ended, exitCodes, printNotices } from "../report.ts";
import { statusLine } from "../run/progress.ts";
import { type CommandRun, onApp, untilInterrupted } from "../with-app.ts";
import { declareMcpAdd, declareMcpAddJson } from "./mcp-add.ts";
import { declareMcpAnswer, declareMcpGateway, declareMcpServe } from "./mcp-serve.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "Manage MCP servers, whose tools use the same permission gate as all other tools, and serve Gauntlet's tools to MCP clients.",
  );
  declareList(command.command("list"), context);
  declareGet(command.command("get"), context);
  declareMcpAdd(command.command("add"), context);
  declareMcpAddJson(command.command("add-json"), context);
  declareRemove(command.command("remove"), context);
  declareSwitch(
    command
      .command("enable")
      .summary("enable a disabled server")
      .description('Remove "disabled" from the entry of a server, in the file that has the entry.')
      .addHelpText("after", examples(["gauntlet mcp enable docs", "Use it again:"])),
    context,
    { on: true },
  );
  declareSwitch(
    command
      .command("disable")
      .summary("disable a server but keep its entry")
      .description(
        'Write "disabled": true into the entry of a server, in the file that has the entry. The server is not started ' +
          "from the next session, and its name stays taken. Its login is kept.",
      )
      .addHelpText("after", examples(["gauntlet mcp disable docs", "Stop using it for a while:"])),
    context,
    { on: false },
  );
  declareTest(command.command("test"), context);
  declareAccept(command.command("accept"), context);
  declareLogin(command.command("login"), context);
  declareLogout(command.command("logout"), context);
  declareMcpServe(command.command("serve"), context);
  declareMcpGateway(command.command("gateway"), context);
  declareMcpAnswer(command.command("answer"), context);
}

const listedName = ["<name>", "as `gauntlet mcp list` shows it"] as const;

interface ServerListFlags extends CommonOptions {
  readonly tools?: boolean;
}

function declareList(command: Command, context: CommandContext): void {
  command
    .summary("list the configured servers")
    .description(
      "List every MCP server of a settings file or .mcp.json: file, transport, whether it is used, and the tools that " +
        "it had when it last ran. No server is started.",
    )
    .option("--tools", "list each tool")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(["gauntlet mcp list", "List all servers:"], ["gauntlet mcp list --tools", "With their tools:"]),
    )
    .action(
      onApp(context, async ({ app, surface, show }, { tools = false }: ServerListFlags) => {
        const settings = app.settings({});
        if (!settings.ok) return settings;
        const servers = await app.servers.list();
        if (!servers.ok) return servers;
        const isListed = (notice: string) => servers.value.some(({ detail }) => detail && notice.includes(detail));
        await printNotices(
          surface,
          settings.value.notices.filter((notice) => !isListed(notice)),
        );
        return show(servers, (listed, view) => renderServers(listed, view, tools));
      }),
    );
}

function declareGet(command: Command, context: CommandContext): void {
  command
    .summary("show one server")
    .description(
      "Show one server: its file, transport, values and permissions, and whether it is trusted and logged in. Of its " +
        "environment and headers only the names are shown. No server is started.",
    )
    .argument(...listedName)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp get docs", "Show the server docs:"]))
    .action(
      onApp(context, async ({ app, show }, name: string) =>
        show(await app.servers.get(name), (found, view) =>
          joinShown(
            found.map((server) => renderServerFacts(server, view)),
            "",
          ),
        ),
      ),
    );
}

interface ScopeFlags extends CommonOptions {
  readonly scope?: ServerScope;
}

function declareSwitch(command: Command, context: CommandContext, { on }: { readonly on: boolean }): void {
  const state = on ? "enabled" : "disabled";
  const inProject = on
    ? "The project's entry takes effect after you trust it: gauntlet trust"
    : "The project's entry is disabled for everyone who works on the project.";
  command
    .argument(...listedName)
    .addOption(scopeOption("scope of the entry, if the name is in more than one"))
    .option(...cwdOption)
    .option(...jsonOption)
    .action(
      onApp(context, async ({ app, show }, name: string, { scope }: ScopeFlags) =>
        show(
          app.servers.switch(name, { on, scope }),
          ({ changed, file, scope: where }, { paint, line }) =>
            lines([
              changed
                ? line`${paint("good", state)} ${name} (${where}) in ${file}`
                : line`${name} (${where}) was already ${state} in ${file}`,
              changed && where === "project" ? line`${inProject}` : undefined,
            ]),
          (switched) => ({ name, ...switched }),
        ),
      ),
    );
}

function declareRemove(command: Command, context: CommandContext): void {
  command
    .summary("remove a server")
    .description(
      "Remove a server from the file that `gauntlet mcp add` wrote: your settings for this project, the project's " +
        ".mcp.json or your own settings. Its login is deleted.",
    )
    .argument(...listedName)
    .addOption(scopeOption("scope of the entry, if the name is in more than one"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp remove docs", "Remove the server docs:"]))
    .action(
      onApp(context, async ({ app, show }, name: string, { scope }: ScopeFlags) =>
        show(
          await app.servers.remove(name, scope),
          (removed, { paint, line }) =>
            lines([line`${paint("good", "removed")} ${name} (${removed.scope}) from ${removed.file}`]),
          (removed) => ({ name, ...removed }),
        ),
      ),
    );
}

type ConfigFlags = CommonOptions & ConfigFlag;

function declareLogin(command: Command, context: CommandContext): void {
  command
    .summary("log in to a server")
    .description(
      "Print the login address and wait until your browser returns to this machine. The tokens are stored in the " +
        "system keychain, or else in a file that only you can read. They are never logged.",
    )
    .argument(...listedName)
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp login docs", "Log in:"]))
    .action(onApp(context, (run, name: string, flags: ConfigFlags) => logIn(run, name, flags)));
}

function logIn({ app, surface, show }: CommandRun, name: string, flags: ConfigFlags): Promise<Ended> {
  const { paint, line } = viewOn(surface.stderr);
  const tell = async (url: string) => {
    const host = URL.canParse(url) ? new URL(url).host : "";
    await surface.stderr.write(
      lines([
        line`Open this in your browser to log in to ${paint("strong", name)} at ${paint("strong", host)}:`,
        // One line, whatever its length: people copy it.
        say`${url}`,
        paint("quiet", "Waiting for the browser. Press Ctrl+C to cancel."),
      ]).text,
    );
  };
  return untilInterrupted(surface, async (signal) =>
    show(
      await app.servers.login(name, { ...namedFile(flags, surface), show: tell, signal }),
      ({ kept }, view) =>
        lines([
          kept === undefined
            ? view.line`${view.paint("good", "answers")}: ${name} needs no other login`
            : view.line`${view.paint("good", "logged in")} to ${name}; stored in ${kept}`,
        ]),
      (done) => ({ name, ...done }),
    ),
  );
}

function declareLogout(command: Command, context: CommandContext): void {
  command
    .summary("delete the login of a server")
    .description(
      "Delete the tokens of a server from the keychain or the token file. The entry stays. The server is not told: to " +
        "revoke the tokens at once, revoke them at the server as well.",
    )
    .argument(...listedName)
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp logout docs", "Log out:"]))
    .action(
      onApp(context, async ({ app, surface, show }, name: string, flags: ConfigFlags) =>
        show(
          await app.servers.logout(name, namedFile(flags, surface)),
          ({ from }, { paint, line }) =>
            lines([
              from.length === 0
                ? line`There was no login to ${name}.`
                : line`${paint("good", "logged out")} of ${name}; it was stored in ${from.join(" and ")}`,
            ]),
          (done) => ({ name, ...done }),
        ),
      ),
    );
}

function declareTest(command: Command, context: CommandContext): void {
  command
    .summary("start a server and show what it offers")
    .description(
      "Start a server with the same confinement as in a session and show what it offers: protocol, tools with their " +
        "sizes and changes since you approved them, resources and prompts. No tool is called. Exits 1 if the server cannot be used.",
    )
    .argument(...listedName)
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp test docs", "Test a configured server:"],
        ["gauntlet mcp test docs --config ~/servers.json", "Test a server of another file:"],
      ),
    )
    .action(onApp(context, (run, name: string, flags: ConfigFlags) => testServer(run, name, flags)));
}

function testServer({ app, surface, show }: CommandRun, name: string, flags: ConfigFlags): Promise<Ended> {
  const status = statusLine(surface);
  const { elicit } = personAt(surface.stderr, surface.question, status.clear);
  return untilInterrupted(surface, async (signal) => {
    if (surface.stderr.terminal) {
      const downloads = (await mayDownload(app, name, flags)) ? ", 3 min with a download" : "";
      status.show(`waiting for ${name}: at most 30 s${downloads}`);
    }
    const options = { ...namedFile(flags, surface), signal, elicit };
    const tested = await app.servers.test(name, options).finally(status.clear);
    if (!tested.ok) return tested;
    await show(tested, renderServerTest);
    return tested.value.status.state === "ready" ? exitCodes.done : exitCodes.failed;
  });
}

async function mayDownload(app: App, name: string, { config }: ConfigFlags): Promise<boolean> {
  if (config !== undefined) return true;
  const found = await app.servers.get(name);
  return !found.ok || found.value[0]?.fetches !== undefined;
}

function declareAccept(command: Command, context: CommandContext): void {
  command
    .summary("approve changed tool definitions")
    .description(
      "If a server changes the definition of a tool that you approved, each call of the tool needs approval again, " +
        "even with an allow rule. This command starts the server, shows the changes and approves them for this " +
        "project. Rules and other permissions do not change. `gauntlet mcp test` shows the changes without approving them.",
    )
    .argument(...listedName)
    .argument("[tool]", "only this tool, by its name at the server; by default all changed tools")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp test docs", "Show the changes:"],
        ["gauntlet mcp accept docs search", "Approve one tool:"],
        ["gauntlet mcp accept docs", "Approve all changes, after an update that you made:"],
      ),
    )
    .action(
      onApp(context, (run, name: string, tool: string | undefined, flags: ConfigFlags) =>
        acceptChanges(run, { name, tool }, flags),
      ),
    );
}

function acceptChanges(
  { app, surface, show }: CommandRun,
  { name, tool }: { readonly name: string; readonly tool: string | undefined },
  flags: ConfigFlags,
): Promise<Ended> {
  const { elicit } = personAt(surface.stderr, surface.question, () => {});
  return untilInterrupted(surface, async (signal) =>
    show(
      await app.servers.accept(name, { ...namedFile(flags, surface), tool, elicit, signal }),
      (accepted, view) =>
        lines([
          ...accepted.flatMap(changedRows(view)),
          accepted.length === 0
            ? view.line`Nothing to approve: the definition of ${tool ?? "all tools"} of ${name} has not changed.`
            : view.line`${view.paint("good", "approved")} ${counted(accepted.length, "definition")} of ${name}`,
        ]),
      (accepted) => ({ name, accepted }),
    ),
  );
}
