// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables like that.
import { type Command, Option } from "commander";
import type { ServerSetting } from "../../../contract/server.ts";
import { type ServerScope, serverScopes } from "../../../contract/server-desk.ts";
import { type CommandContext, type CommonOptions, collect, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printNotice, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { literalSecrets, type NewServer, newServer } from "./new-server.ts";

interface AddFlags extends CommonOptions, NewServer {
  readonly scope: ServerScope;
}

export function declareMcpAdd(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("write a server down")
    .showHelpAfterError(
      "(options of the program come after --, as in: gauntlet mcp add notes -- npx -y notes-server; --help has more)",
    )
    .description(
      "Writes a server into your own settings, or into the project's .mcp.json. A program runs confined: it reads the " +
        "workspace, writes nothing and has no network, unless --write, --read and --network say more. ${VAR} and " +
        "${VAR:-default} in a value are filled in from your environment whenever the server is used.",
    )
    .argument("<name>", "what its tools are called by: mcp__name__tool")
    .argument("[command...]", "after --, the program and its arguments")
    .option("--url <url>", "the address of a server that runs somewhere else")
    .addOption(new Option("--transport <kind>", "how the address speaks").choices(["http", "sse", "ws"]))
    .option("--header <name:value>", "sent with every request to the address; repeatable", collect, [])
    .option("--env <name=value>", "for the program's environment; repeatable", collect, [])
    .option("--write <dir>", "the program may write here; repeatable", collect, [])
    .option("--read <dir>", "the program may read here, beside the workspace; repeatable", collect, [])
    .option("--network <host>", "the program may reach this host; repeatable", collect, [])
    .addOption(
      new Option("--scope <scope>", "your own settings, or .mcp.json for everybody")
        .choices(serverScopes)
        .default("user"),
    )
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp add notes --write notes -- mcp-server-filesystem notes", "A program that is installed:"],
        [
          "gauntlet mcp add issues --env 'TOKEN=${ISSUES_TOKEN}' --network api.example.com -- issues-mcp",
          "With a key:",
        ],
        ["gauntlet mcp add docs --url https://docs.example.com/mcp", "A server that runs somewhere else:"],
        ["gauntlet mcp add docs --scope project --url https://docs.example.com/mcp", "For the whole project:"],
      ),
    )
    .action(async (name: string, words: readonly string[], flags: AddFlags) =>
      end(await addServer(surface, name, words, flags)),
    );
}

async function addServer(surface: Surface, name: string, words: readonly string[], flags: AddFlags): Promise<ExitCode> {
  const json = { json: flags.json ?? false };
  const made = newServer(words, flags);
  if (!made.ok) return reportFailure(surface, made.failure, json);
  const setting = made.value;
  return withApp(surface, flags, async (app) => {
    const added = app.servers.add(name, setting, flags.scope);
    if (!added.ok) return reportFailure(surface, added.failure, json);
    await tellSecrets(surface, setting, added.value.file);
    if (json.json) await printJson(surface, { name, ...added.value });
    else {
      const { paint, wrap } = viewOn(surface.stdout);
      const next =
        flags.scope === "project"
          ? "It stands in the project, so it is in force once you trust it: gauntlet trust"
          : `See whether it answers: gauntlet mcp test ${name}`;
      await printShown(
        surface,
        lines([wrap(say`${paint("good", "added")} ${name} to ${added.value.file}`), wrap(paint("quiet", next))]),
      );
    }
    return exitCodes.done;
  });
}

/** Written out once they lie in a file, and in the history of the shell. */
async function tellSecrets(surface: Surface, setting: ServerSetting, file: string): Promise<void> {
  const { paint, wrap } = viewOn(surface.stderr);
  const [option, separator] = "command" in setting ? ["--env", "="] : ["--header", ": "];
  for (const key of literalSecrets(setting)) {
    const variable = key.toUpperCase().replaceAll("-", "_");
    await printNotice(
      surface,
      wrap(
        say`${paint("warning", "notice:")} the value of ${key} lies in ${file} as you wrote it. Better: ${option} '${key}${separator}\${${variable}}', and ${variable} in your environment.`,
      ),
    );
  }
}
