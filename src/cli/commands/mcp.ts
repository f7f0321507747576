import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import type { ChangedTool, ListedServer, ServerFacts, ServerScope, ServerTest } from "../../contract/server/admin.ts";
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
import { below, labeller, lines, type Shown, say } from "../render/shown.ts";
import { bytesText, counted, dateText } from "../render/table.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printNotices, printShown, reportFailure } from "../report.ts";
import { statusLine } from "../run/progress.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";
import { declareMcpAdd, declareMcpAddJson } from "./mcp-add.ts";
import { declareMcpAnswer, declareMcpGateway, declareMcpServe } from "./mcp-serve.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description(
    "MCP servers, whose tools are called through the same gate as all others, and our own tools for MCP clients.",
  );
  declareMcpList(command.command("list"), context);
  declareMcpGet(command.command("get"), context);
  declareMcpAdd(command.command("add"), context);
  declareMcpAddJson(command.command("add-json"), context);
  declareMcpRemove(command.command("remove"), context);
  declareMcpEnable(command.command("enable"), context);
  declareMcpDisable(command.command("disable"), context);
  declareMcpTest(command.command("test"), context);
  declareMcpAccept(command.command("accept"), context);
  declareMcpLogin(command.command("login"), context);
  declareMcpLogout(command.command("logout"), context);
  declareMcpServe(command.command("serve"), context);
  declareMcpGateway(command.command("gateway"), context);
  declareMcpAnswer(command.command("answer"), context);
}

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
      ...listedFailure(server, view),
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

export function canBeEnabled({ disabled, scope }: ListedServer): boolean {
  return disabled === true && scope !== "managed" && scope !== "command_line";
}

const mostRows = 4;

function listedFailure({ name, failed }: ListedServer, { paint, wrap }: View): readonly Shown[] {
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
          const switched = app.servers.switch(name, { on, scope });
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

function projectWords(on: boolean) {
  return on
    ? say`It stands in the project, so it is in force once the entry as it is now is trusted: gauntlet trust`
    : say`It stands in the project, so it is off for everybody who works on it.`;
}

interface RemoveFlags extends CommonOptions {
  readonly scope?: ServerScope;
}

export function declareMcpRemove(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("take a server out again")
    .description(
      "Takes a server out of wherever `gauntlet mcp add` wrote it: your settings for this project, the project's " +
        ".mcp.json or your own settings. Its login is forgotten.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .addOption(scopeOption("where it stands, if it stands in several"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp remove docs", "Take it out:"]))
    .action(async (name: string, flags: RemoveFlags) =>
      end(
        await withApp(surface, flags, async (app) => {
          const removed = await app.servers.remove(name, flags.scope);
          if (!removed.ok) return reportFailure(surface, removed.failure, { json: flags.json ?? false });
          const { paint, wrap } = viewOn(surface.stdout);
          if (flags.json === true) await printJson(surface, { name, ...removed.value });
          else
            await printShown(
              surface,
              lines([
                wrap(say`${paint("good", "removed")} ${name} (${removed.value.scope}) from ${removed.value.file}`),
              ]),
            );
          return exitCodes.done;
        }),
      ),
    );
}

type NamedFlags = CommonOptions & ConfigFlag;

export function declareMcpLogin(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("log in to a server that wants it")
    .description(
      "Prints the address where you log in, and waits until your browser comes back to this machine. The tokens are " +
        "kept in the system's keychain, else in a file that only you can read; they are never logged.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp login docs", "Log in:"]))
    .action(async (name: string, flags: NamedFlags) => end(await logIn(surface, name, flags)));
}

async function logIn(surface: Surface, name: string, flags: NamedFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt(() => stop.abort());
  const { paint, wrap } = viewOn(surface.stderr);
  const show = async (url: string) => {
    const host = URL.canParse(url) ? new URL(url).host : "";
    await surface.stderr.write(
      lines([
        wrap(say`Open this in your browser to log in to ${paint("strong", name)} at ${paint("strong", host)}:`),
        // One line, whatever its length: people copy it.
        say`${url}`,
        paint("quiet", "Waiting for the browser to come back; Ctrl+C ends it."),
      ]).text,
    );
  };
  try {
    return await withApp(surface, flags, async (app) => {
      const done = await app.servers.login(name, { ...namedFile(flags, surface), show, signal: stop.signal });
      if (!done.ok) return reportFailure(surface, done.failure, { json: flags.json ?? false });
      const view = viewOn(surface.stdout);
      const { kept } = done.value;
      const words =
        kept === undefined
          ? say`${view.paint("good", "answers")}: ${name} wants no other login`
          : say`${view.paint("good", "logged in")} to ${name}; kept in ${kept}`;
      if (flags.json === true) await printJson(surface, { name, ...done.value });
      else await printShown(surface, lines([view.wrap(words)]));
      return exitCodes.done;
    });
  } finally {
    stopListening();
  }
}

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

export function declareMcpTest(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("start a server and see what it offers")
    .description(
      "Starts a server the way a session would, confined in the same way, and shows what it answers: protocol, tools " +
        "with their sizes and what changed since you agreed to them, resources and prompts. None of its tools is called. Exits 1 when it cannot be used.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp test docs", "Does it answer?"],
        ["gauntlet mcp test docs --config ~/servers.json", "The one that `gauntlet mcp gateway` has from a file?"],
      ),
    )
    .action(async (name: string, flags: NamedFlags) => end(await testServer(surface, name, flags)));
}

async function testServer(surface: Surface, name: string, flags: NamedFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt(() => stop.abort());
  const status = statusLine(surface);
  const { elicit } = personAt(surface.stderr, surface.question, status.clear);
  try {
    return await withApp(surface, flags, async (app) => {
      const options = {
        ...namedFile(flags, surface),
        signal: stop.signal,
        elicit,
      };
      if (surface.stderr.terminal) {
        const downloads = (await mayDownload(app, name, flags)) ? ", 3 min with a download" : "";
        status.show(`waiting for ${name}: 30 s at most${downloads}`);
      }
      const tested = await app.servers.test(name, options).finally(status.clear);
      if (!tested.ok) return reportFailure(surface, tested.failure, { json: flags.json ?? false });
      if (flags.json === true) await printJson(surface, tested.value);
      else await printShown(surface, renderTest(tested.value, viewOn(surface.stdout)));
      return tested.value.status.state === "ready" ? exitCodes.done : exitCodes.failed;
    });
  } finally {
    stopListening();
  }
}

async function mayDownload(app: App, name: string, { config }: NamedFlags): Promise<boolean> {
  if (config !== undefined) return true;
  const found = await app.servers.get(name);
  return !found.ok || found.value[0]?.fetches !== undefined;
}

const mostShown = 50;

function renderTest(test: ServerTest, view: View): Shown {
  const { status, tools, changed, resources, prompts, fetches, limits, problems } = test;
  const { paint, wrap } = view;
  const label = labeller(paint);
  const isReady = status.state === "ready";
  const says = status.info === undefined ? "nothing of itself" : `${status.info.name} ${status.info.version}`;
  return lines([
    say`${isReady ? paint("good", "✓") : paint("bad", "✗")} ${paint("strong", status.name)}  ${stateWords[status.state]}`,
    wrap(say`${label("transport")}${status.transport}`),
    ...(fetches === undefined ? [] : [wrap(say`${label("package")}${fetches}`)]),
    ...(status.protocol === undefined ? [] : [say`${label("protocol")}${status.protocol}`]),
    ...(isReady ? [wrap(say`${label("it says")}${says}`)] : []),
    ...(status.detail === undefined ? [] : below(label("because"), status.detail).map(wrap)),
    ...(isReady || limits === undefined ? [] : [wrap(say`${label("confined")}${limits}`)]),
    ...problems.flatMap((problem) => below(paint("warning", "notice".padEnd(14)), problem).map(wrap)),
    ...(isReady
      ? [
          ...section("tool", tools, view, (tool) => say`  ${tool.name}  ${paint("quiet", bytesText(tool.bytes))}`),
          ...changed.flatMap(changedRows(view)),
          ...(changed.length === 0
            ? []
            : [
                wrap(
                  say`${label("then")}Agree to that: gauntlet mcp accept ${status.name}${status.named === true ? ` --config ${status.origin}` : ""}`,
                ),
              ]),
          ...section("resource", resources, view, ({ uri, template }) =>
            wrap(say`  ${uri}${template === true ? " (a pattern)" : ""}`),
          ),
          ...section("prompt", prompts, view, ({ name, values }) =>
            wrap(say`  ${name}${values.length === 0 ? "" : `(${values.map((value) => value.name).join(", ")})`}`),
          ),
        ]
      : []),
  ]);
}

function section<Row>(
  noun: string,
  rows: readonly Row[],
  { paint }: View,
  render: (row: Row) => Shown,
): readonly Shown[] {
  const left = rows.length - mostShown;
  return [
    say`${paint("strong", counted(rows.length, noun))}`,
    ...rows.slice(0, mostShown).map(render),
    ...(left > 0 ? [say`  ${paint("quiet", `and ${left} more`)}`] : []),
  ];
}

const stateWords = {
  configured: "was not started",
  connecting: "did not answer in time",
  ready: "answers",
  needs_login: "wants a login",
  failed: "cannot be used",
  stopped: "has ended",
} as const satisfies Record<ServerTest["status"]["state"], string>;

type AcceptFlags = CommonOptions & ConfigFlag;

export function declareMcpAccept(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("agree to what a server says of its tools by now")
    .description(
      "A tool that you agreed to, and that its server describes in other words since, asks again before it is " +
        "called, whatever your rules say. This starts the server, shows what changed and agrees to it, for this " +
        "project. No other rights come with it: rules and questions are as they were. `gauntlet mcp test` shows " +
        "the same and agrees to nothing.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .argument("[tool]", "only this one, as the server spells it; all that changed when absent")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp test docs", "What changed?"],
        ["gauntlet mcp accept docs search", "Agree to one of them:"],
        ["gauntlet mcp accept docs", "Agree to all of it, after an update that you made:"],
      ),
    )
    .action(async (name: string, tool: string | undefined, flags: AcceptFlags) =>
      end(await acceptChanges(surface, { name, tool }, flags)),
    );
}

async function acceptChanges(
  surface: Surface,
  { name, tool }: { readonly name: string; readonly tool: string | undefined },
  flags: AcceptFlags,
): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt(() => stop.abort());
  const { elicit } = personAt(surface.stderr, surface.question, () => {});
  try {
    return await withApp(surface, flags, async (app) => {
      const accepted = await app.servers.accept(name, {
        ...namedFile(flags, surface),
        tool,
        elicit,
        signal: stop.signal,
      });
      if (!accepted.ok) return reportFailure(surface, accepted.failure, { json: flags.json ?? false });
      const view = viewOn(surface.stdout);
      const { length } = accepted.value;
      const words =
        length === 0
          ? say`Nothing to agree to: ${name} says of ${tool ?? "its tools"} what it said before.`
          : say`${view.paint("good", "agreed")} to ${counted(length, "definition")} of ${name}`;
      if (flags.json === true) await printJson(surface, { name, accepted: accepted.value });
      else await printShown(surface, lines([...accepted.value.flatMap(changedRows(view)), view.wrap(words)]));
      return exitCodes.done;
    });
  } finally {
    stopListening();
  }
}

export function changedRows({ paint }: View): (changed: ChangedTool) => readonly Shown[] {
  return ({ name, diff }) => [
    say`${paint("warning", "changed")} since it was agreed to: ${paint("strong", name)}`,
    ...diff
      .trimEnd()
      .split("\n")
      .map((line) => say`  ${line}`),
  ];
}

export const scopeWords = {
  local: "yours, in this project only",
  project: "the project's",
  user: "yours, in all projects",
  managed: "your company's",
  command_line: "from the command line",
} as const satisfies Record<ServerScope | "managed" | "command_line", string>;
