import type { ChangedTool, ListedServer, ServerFacts, ServerScope, ServerTest } from "../../contract/server/admin.ts";
import { below, lines, type Shown, say } from "./shown.ts";
import { bytesText, counted, dateText } from "./table.ts";
import type { View } from "./wrap.ts";

export function renderServers(servers: readonly ListedServer[], view: View, withTools: boolean): Shown {
  const { paint, line, wrap } = view;
  if (servers.length === 0) return lines([say`No MCP servers configured. \`gauntlet mcp add --help\` shows how.`]);
  return lines(
    servers.flatMap((server) => {
      const { name, transport, target = "", scope, origin, fetches, detail, hash, tools = [] } = server;
      const how = transport === undefined ? "" : `  ${transport}  ${target}`;
      return [
        line`${serverMark(server, view)} ${paint("strong", name)}${how}`,
        line`  ${paint("quiet", `scope ${scope} (${whoseWords(server)}), in ${origin}`)}`,
        fetches === undefined ? undefined : line`  ${fetches}`,
        ...(detail === undefined ? [] : below(say`  ${whyNot(server, view)} `, detail, 4).map(wrap)),
        ...listedFailure(server, view),
        hash === undefined ? undefined : say`  ${paint("quiet", "review:")} gauntlet trust`,
        canBeEnabled(server) ? say`  ${paint("quiet", "enable:")} gauntlet mcp enable ${name}` : undefined,
        transport === undefined ? undefined : line`  ${paint("quiet", toolsText(server))}`,
        ...(withTools ? tools.map((tool) => say`    ${tool.name}  ${paint("quiet", bytesText(tool.bytes))}`) : []),
      ];
    }),
  );
}

function whoseWords({ scope, trust, broken }: ListedServer): string {
  const words = scopeWords[scope];
  return scope !== "project" || broken === true
    ? words
    : `${words}, ${trust === "trusted" ? "trusted" : "not trusted"}`;
}

const scopeWords = {
  local: "yours, in this project only",
  project: "the project's",
  user: "yours, in all projects",
  managed: "your company's",
  command_line: "from the command line",
} as const satisfies Record<ServerScope | "managed" | "command_line", string>;

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
    say`  ${paint("quiet", "retry:")} ${again}`,
  ];
}

export function failedWords(name: string, { at, why, loggedOut }: NonNullable<ListedServer["failed"]>) {
  const time = `${dateText(at).slice(0, 16)} UTC`;
  return loggedOut === true
    ? { what: "logged out", text: `at ${time}, and not started since`, again: `gauntlet mcp login ${name}` }
    : { what: "failed", text: `when it was tested (${time}): ${why}`, again: `gauntlet mcp test ${name}` };
}

function serverMark({ inForce, broken, failed }: ListedServer, { paint }: View): Shown {
  if (broken === true || failed !== undefined) return paint("bad", "✗");
  return inForce ? paint("good", "✓") : paint("warning", "-");
}

function whyNot({ broken }: ListedServer, { paint }: View): Shown {
  return broken === true ? paint("bad", "invalid:") : paint("warning", "not used:");
}

function toolsText({ name, tools }: ListedServer): string {
  if (tools === undefined) return "its tools are known after it has run once";
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  const text = `${counted(tools.length, "tool")} when it last ran, ${bytesText(bytes)}`;
  const changed = tools.filter((tool) => tool.changed === true).length;
  return changed === 0 ? text : `${text}; ${changed} changed since you approved them: gauntlet mcp test ${name}`;
}

export function renderServerFacts(server: ServerFacts, view: View): Shown {
  const { paint, wrap, row, label } = view;
  const { name, scope, origin, transport, target, fetches, given, sandbox = [], options, login, detail, hash } = server;
  const { failed, broken } = server;
  const isProgram = transport === "stdio";
  const several = (heading: string, rows: readonly string[]) =>
    rows.map((text, index) => row(index === 0 ? heading : "", text));
  const failure = failed && failedWords(name, failed);
  return lines([
    say`${serverMark(server, view)} ${paint("strong", name)}`,
    ...(detail === undefined ? [] : below(say`${whyNot(server, view)} `, detail, 2).map(wrap)),
    ...(failure === undefined ? [] : below(paint("bad", failure.what.padEnd(14)), failure.text).map(wrap)),
    failure && say`${label("retry")}${failure.again}`,
    row("scope", broken === true && transport === undefined ? scope : `${scope}: ${whoseWords(server)}`),
    row("file", origin),
    hash === undefined ? undefined : row("review", "gauntlet trust"),
    canBeEnabled(server) ? say`${label("enable")}gauntlet mcp enable ${name}` : undefined,
    row("transport", transport),
    row(isProgram ? "command" : "address", target),
    row("package", fetches),
    ...several(isProgram ? "environment" : "headers", given.map(givenText)),
    ...several("sandbox", sandbox),
    ...several("options", options),
    row(
      "login",
      login === "none" ? `none; if it needs one: gauntlet mcp login ${name}` : login && `stored in ${login}`,
    ),
    transport === undefined ? undefined : row("tools", toolsText(server)),
  ]);
}

function givenText({ name, from }: ServerFacts["given"][number]): string {
  if (from === undefined) return `${name}, written in the file`;
  return `${name}, from ${from.map(({ variable, set }) => `${variable}${set ? "" : " (not set)"}`).join(", ")}`;
}

const mostShown = 50;

export function renderServerTest(test: ServerTest, view: View): Shown {
  const { status, tools, changed, resources, prompts, fetches, limits, problems } = test;
  const { paint, line, wrap, row, label } = view;
  const isReady = status.state === "ready";
  const says = status.info === undefined ? "nothing about itself" : `${status.info.name} ${status.info.version}`;
  const config = status.named === true ? ` --config ${status.origin}` : "";
  const offers = [
    ...section("tool", tools, view, (tool) => say`  ${tool.name}  ${paint("quiet", bytesText(tool.bytes))}`),
    ...changed.flatMap(changedRows(view)),
    row("then", changed.length === 0 ? undefined : `Approve: gauntlet mcp accept ${status.name}${config}`),
    ...section("resource", resources, view, ({ uri, template }) => line`  ${uri}${template ? " (a pattern)" : ""}`),
    ...section("prompt", prompts, view, ({ name, values }) => {
      const names = values.map((value) => value.name).join(", ");
      return line`  ${name}${names === "" ? "" : `(${names})`}`;
    }),
  ];
  return lines([
    say`${isReady ? paint("good", "✓") : paint("bad", "✗")} ${paint("strong", status.name)}  ${stateWords[status.state]}`,
    row("transport", status.transport),
    row("package", fetches),
    row("protocol", status.protocol),
    isReady ? row("it says", says) : undefined,
    ...(status.detail === undefined ? [] : below(label("because"), status.detail).map(wrap)),
    isReady ? undefined : row("confined", limits),
    ...problems.flatMap((problem) => below(paint("warning", "notice".padEnd(14)), problem).map(wrap)),
    ...(isReady ? offers : []),
  ]);
}

function section<Row>(
  noun: string,
  rows: readonly Row[],
  { paint }: View,
  render: (row: Row) => Shown,
): readonly (Shown | undefined)[] {
  const left = rows.length - mostShown;
  return [
    say`${paint("strong", counted(rows.length, noun))}`,
    ...rows.slice(0, mostShown).map(render),
    left > 0 ? say`  ${paint("quiet", `and ${left} more`)}` : undefined,
  ];
}

const stateWords = {
  configured: "was not started",
  connecting: "did not answer in time",
  ready: "answers",
  needs_login: "needs a login",
  failed: "cannot be used",
  stopped: "has ended",
} as const satisfies Record<ServerTest["status"]["state"], string>;

export function changedRows({ paint }: View): (changed: ChangedTool) => readonly Shown[] {
  return ({ name, diff }) => [
    say`${paint("warning", "changed")} since you approved it: ${paint("strong", name)}`,
    ...diff
      .trimEnd()
      .split("\n")
      .map((line) => say`  ${line}`),
  ];
}
