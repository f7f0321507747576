// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables like that.
import { type Command, Option } from "commander";
import type { App } from "../../../contract/app/app.ts";
import { type Outcome, ok } from "../../../contract/codes.ts";
import type { AddedServer, ServerScope } from "../../../contract/server/desk.ts";
import type { ServerSetting } from "../../../contract/server/server.ts";
import { type CommandContext, type CommonOptions, collect, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { type NewServer, newServer } from "./new-server.ts";
import { scopeOption } from "./scope-option.ts";
import { tellAdded } from "./tell-added.ts";
import { unshownNotes } from "./unshown-notes.ts";

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
      "Writes a server down. A program runs confined: it reads the workspace, writes nothing and reaches nobody but the " +
        "registry that npx, uvx and the like download it from, unless --write, --read and --network say otherwise. " +
        "${VAR} and ${VAR:-default} in a value are filled in from your environment whenever the server is used.\n" +
        "--scope local is for you in this project, and needs no trust; project is .mcp.json, for everybody who trusts " +
        "it; user is for you in all projects.",
    )
    .argument("<name>", "what its tools are called by: mcp__name__tool")
    .argument("[command...]", "after --, the program and its arguments; or an address")
    .option("--url <url>", "the address of a server that runs somewhere else")
    .addOption(new Option("-t, --transport <kind>", "how the server speaks").choices(["stdio", "http", "sse", "ws"]))
    .option("-H, --header <name:value>", "sent with every request to the address; repeatable", collect, [])
    .option("-e, --env <name=value>", "for the program's environment; repeatable", collect, [])
    .option("--write <dir>", "the program may write here; repeatable", collect, [])
    .option("--read <dir>", "the program may read here too; repeatable", collect, [])
    .option(
      "--network <host>",
      "the program may reach this host, or *.host, with :port where it is not 443 or 80; repeatable",
      collect,
      [],
    )
    .addOption(scopeOption("for you here, for the project, or for you everywhere").default("local"))
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
        ["gauntlet mcp add docs --scope user --url https://docs.example.com/mcp", "In all your projects:"],
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
  return withApp(surface, flags, async (app) => {
    const whole = await withShown(app, made.value, flags);
    if (!whole.ok) return reportFailure(surface, whole.failure, json);
    const { setting, notes } = whole.value;
    const added = app.servers.add(name, setting, flags.scope);
    if (!added.ok) return reportFailure(surface, added.failure, json);
    const unshown = await unshownNotes(app, added.value);
    await tellAdded(surface, name, { ...added.value, notes: [...notes, ...added.value.notes, ...unshown] }, json);
    return exitCodes.done;
  });
}

/** What stands in `sandbox.read` takes the place of what the program is shown by itself; who gives more means both. */
async function withShown(
  app: App,
  setting: ServerSetting,
  { read, scope }: AddFlags,
): Promise<Outcome<Pick<AddedServer, "setting" | "notes">>> {
  // Of a project's entry nothing is shown by itself, and what lies on this machine is nothing for others.
  if (!("command" in setting) || read.length === 0 || scope === "project") return ok({ setting, notes: [] });
  const shown = await app.servers.shown(setting);
  if (!shown.ok) return shown;
  const others = shown.value.filter((place) => !read.includes(place));
  if (others.length === 0) return ok({ setting, notes: [] });
  return ok({
    setting: { ...setting, sandbox: { ...setting.sandbox, read: [...read, ...others] } },
    notes: [
      `${others.join(" and ")} ${others.length === 1 ? "is" : "are"} written beside --read: its command names it`,
    ],
  });
}
