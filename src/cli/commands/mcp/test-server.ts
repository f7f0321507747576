import type { Command } from "commander";
import type { App } from "../../../contract/app/app.ts";
import type { ServerTest } from "../../../contract/server/desk.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { personAt } from "../../person-at.ts";
import { below, labeller, lines, type Shown, say } from "../../render/shown.ts";
import { bytesText, counted } from "../../render/table.ts";
import { type View, viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import { statusLine } from "../../status-line.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { changedRows } from "./changed-rows.ts";
import { type ConfigFlag, configOption, namedFile } from "./config-option.ts";

type NamedFlags = CommonOptions & ConfigFlag;

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
        ...(elicit === undefined ? {} : { elicit }),
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

/** Only what a launcher brings is downloaded. Of what stands in another file it is not known beforehand. */
async function mayDownload(app: App, name: string, { config }: NamedFlags): Promise<boolean> {
  if (config !== undefined) return true;
  const found = await app.servers.get(name);
  return !found.ok || found.value[0]?.fetches !== undefined;
}

/** A list longer than this helps nobody; `--json` has all of it. */
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
