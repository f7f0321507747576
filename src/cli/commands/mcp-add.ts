// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables like that.
import { type Command, Option } from "commander";
import type { App } from "../../contract/app/app.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { AddedServer, ServerScope } from "../../contract/server/admin.ts";
import type { ServerSetting } from "../../contract/server/server.ts";
import {
  type CommandContext,
  type CommonOptions,
  collect,
  cwdOption,
  examples,
  jsonOption,
  scopeOption,
} from "../flags.ts";
import { lines } from "../render/shown.ts";
import { type Ended, mistake, printNotices } from "../report.ts";
import { type CommandRun, onApp } from "../with-app.ts";

interface AddFlags extends CommonOptions, NewServer {
  readonly scope: ServerScope;
}

export function declareMcpAdd(command: Command, context: CommandContext): void {
  command
    .summary("add a server")
    .showHelpAfterError(
      "(options of the program follow --, for example: gauntlet mcp add notes -- npx -y notes-server; --help shows more)",
    )
    .description(
      "Add a server. A program runs in a sandbox: it reads the workspace, writes nothing and reaches only the " +
        "registry that npx, uvx and the like download it from. --write, --read and --network allow more. " +
        "${VAR} and ${VAR:-default} in a value are replaced from your environment when the server is used.\n" +
        "--scope local: only you, in this project; needs no trust. project: .mcp.json, for everyone who trusts it. " +
        "user: only you, in all projects.",
    )
    .argument("<name>", "prefix of its tools: mcp__name__tool")
    .argument("[command...]", "after --, the program and its arguments; or an address")
    .option("--url <url>", "address of a remote server")
    .addOption(new Option("-t, --transport <kind>", "transport of the server").choices(["stdio", "http", "sse", "ws"]))
    .option("-H, --header <name:value>", "header of every request to the address; repeatable", collect, [])
    .option("-e, --env <name=value>", "environment variable of the program; repeatable", collect, [])
    .option("--write <dir>", "let the program write here; repeatable", collect, [])
    .option("--read <dir>", "let the program also read here; repeatable", collect, [])
    .option(
      "--network <host>",
      "let the program reach this host, or *.host, with :port unless it is 443 or 80; repeatable",
      collect,
      [],
    )
    .addOption(scopeOption("who uses the server: you here, the project, or you everywhere").default("local"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet mcp add notes --write notes -- mcp-server-filesystem notes", "An installed program:"],
        [
          "gauntlet mcp add issues --env 'TOKEN=${ISSUES_TOKEN}' --network api.example.com -- issues-mcp",
          "With a key:",
        ],
        ["gauntlet mcp add docs --url https://docs.example.com/mcp", "A remote server:"],
        ["gauntlet mcp add docs --scope project --url https://docs.example.com/mcp", "For the whole project:"],
        ["gauntlet mcp add docs --scope user --url https://docs.example.com/mcp", "In all your projects:"],
      ),
    )
    .action(
      onApp(context, async (run, name: string, words: readonly string[], flags: AddFlags) => {
        const made = newServer(words, flags);
        if (!made.ok) return made;
        const whole = await withShown(run.app, made.value, flags);
        if (!whole.ok) return whole;
        const { setting, notes } = whole.value;
        return tellAdded(run, name, run.app.servers.add(name, setting, flags.scope), notes);
      }),
    );
}

async function withShown(
  app: App,
  setting: ServerSetting,
  { read, scope }: AddFlags,
): Promise<Outcome<Pick<AddedServer, "setting" | "notes">>> {
  // A project's entry shows no path by itself, and paths of this machine mean nothing to other users.
  if (!("command" in setting) || read.length === 0 || scope === "project") return ok({ setting, notes: [] });
  const shown = await app.servers.shown(setting);
  if (!shown.ok) return shown;
  const others = shown.value.filter((place) => !read.includes(place));
  if (others.length === 0) return ok({ setting, notes: [] });
  return ok({
    setting: { ...setting, sandbox: { ...setting.sandbox, read: [...read, ...others] } },
    notes: [
      `${others.join(" and ")} ${others.length === 1 ? "was" : "were"} added to --read, because the command names it`,
    ],
  });
}

export function declareMcpAddJson(command: Command, context: CommandContext): void {
  command
    .summary("add a server from JSON")
    .description(
      "Add a server from the object that the server's documentation shows under mcpServers. Unsupported keys are " +
        'omitted and listed. "sandbox" allows the program more than reading the workspace, for example ' +
        '{"write": ["notes"], "network": ["api.example.com"]}.',
    )
    .argument("<name>", "prefix of its tools: mcp__name__tool")
    .argument("<json>", "the object, in quotes")
    .addOption(scopeOption("who uses the server; see `gauntlet mcp add --help`").default("local"))
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        [`gauntlet mcp add-json notes '{"command": "notes-server", "args": ["--stdio"]}'`, "A program:"],
        [
          `gauntlet mcp add-json docs '{"url": "https://docs.example.com/mcp", "headers": {"X-Key": "\${DOCS_KEY}"}}'`,
          "An address:",
        ],
      ),
    )
    .action(
      onApp(context, (run, name: string, text: string, { scope }: Pick<AddFlags, "scope">) =>
        tellAdded(run, name, run.app.servers.addJson(name, text, scope)),
      ),
    );
}

interface NewServer {
  readonly url?: string;
  readonly transport?: "stdio" | "http" | "sse" | "ws";
  readonly header: readonly string[];
  readonly env: readonly string[];
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly network: readonly string[];
}

function newServer(command: readonly string[], flags: NewServer): Outcome<ServerSetting> {
  const [program, ...args] = command;
  // Other programs accept an address in place of the command.
  if (program !== undefined && args.length === 0 && flags.url === undefined && /^(?:https?|wss?):\/\//.test(program)) {
    return remoteServer(program, flags);
  }
  if (program !== undefined && flags.url !== undefined) {
    return mistake("A server is a program or an address, not both.", "Omit --url or the command.");
  }
  if (program !== undefined) return localServer(program, args, flags);
  if (flags.url === undefined) {
    return mistake("No program and no address given.", "For example: gauntlet mcp add docs -- docs-server --stdio");
  }
  return remoteServer(flags.url, flags);
}

function localServer(command: string, args: readonly string[], flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if ((transport !== undefined && transport !== "stdio") || header.length > 0) {
    return mistake("--transport and --header are for an address.", "Omit them, or pass --url.");
  }
  const pairs = readPairs("--env", env, "=");
  if (!pairs.ok) return pairs;
  const lists = Object.entries({ write, read, network }).filter(([, list]) => list.length > 0);
  return ok({
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(env.length === 0 ? {} : { env: pairs.value }),
    ...(lists.length === 0 ? {} : { sandbox: Object.fromEntries(lists) }),
  });
}

function remoteServer(url: string, flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if (env.length + write.length + read.length + network.length > 0) {
    return mistake("--env, --write, --read and --network are for a program.", "Omit them, or pass a command.");
  }
  if (transport === "stdio") return mistake("--transport stdio is for a program.", "Omit it, or pass a command.");
  const scheme = url.includes("${") ? "" : URL.canParse(url) ? new URL(url).protocol : "none";
  const isSocket = scheme === "ws:" || scheme === "wss:";
  const fits = transport === "ws" ? isSocket : transport === undefined || !isSocket;
  if (scheme !== "" && (!/^(?:https?|wss?):$/.test(scheme) || !fits)) {
    const wanted = transport === "ws" ? "ws:// or wss://" : "http:// or https://";
    return mistake(`--url ${url} does not start with ${wanted}.`, "Pass the whole address of the server.");
  }
  const pairs = readPairs("--header", header, ":");
  if (!pairs.ok) return pairs;
  return ok({
    type: transport ?? (isSocket ? "ws" : "http"),
    url,
    ...(header.length === 0 ? {} : { headers: pairs.value }),
  });
}

function readPairs(option: string, written: readonly string[], separator: string): Outcome<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const text of written) {
    const at = text.indexOf(separator);
    const key = text.slice(0, Math.max(0, at)).trim();
    // Not what was given: it may hold a secret.
    if (!/^[A-Za-z_][\w-]*$/.test(key)) {
      return mistake(`${option} expects NAME${separator}VALUE.`, `For example: ${option} 'KEY${separator}\${KEY}'`);
    }
    const value = text.slice(at + 1);
    pairs.push([key, separator === ":" ? value.trim() : value]);
  }
  return ok(Object.fromEntries(pairs));
}

async function tellAdded(
  { app, surface, show }: CommandRun,
  name: string,
  added: Outcome<AddedServer>,
  notes: readonly string[] = [],
): Promise<Ended> {
  if (!added.ok) return added;
  const { file, scope } = added.value;
  const unshown = await unshownNotes(app, added.value);
  await printNotices(surface, [...notes, ...added.value.notes, ...unshown, ...secretNotes(added.value)]);
  const next =
    scope === "project"
      ? "It takes effect after you trust it: gauntlet trust"
      : `Check that it answers: gauntlet mcp test ${name}`;
  return show(
    added,
    (_, { paint, line }) =>
      lines([line`${paint("good", "added")} ${name} (${scope}) to ${file}`, line`${paint("quiet", next)}`]),
    () => ({ name, file, scope }),
  );
}

function secretNotes({ setting, file }: AddedServer): readonly string[] {
  const values = Object.entries(("command" in setting ? setting.env : setting.headers) ?? {});
  return values.flatMap(([key, value]) => {
    if (!isSecretName(key) || value === "" || value.includes("${")) return [];
    const scheme = /^(?:Bearer|Basic|Token) /i.exec(value)?.[0] ?? "";
    const variable = scheme === "" ? key.toUpperCase().replaceAll("-", "_") : "TOKEN";
    return `the value of ${key} is stored in ${file} as plain text. Write ${scheme}\${${variable}} instead, and set ${variable} in your environment.`;
  });
}

function isSecretName(name: string): boolean {
  return /key|token|secret|passw|credential|authorization|cookie|auth$/i.test(name);
}

async function unshownNotes(app: App, { file, scope, setting }: AddedServer): Promise<readonly string[]> {
  if (!("command" in setting)) return [];
  const read = setting.sandbox?.read;
  // The sandbox shows every path that the command of a user's own entry names, unless the entry has a list.
  if (scope !== "project" && read === undefined) return [];
  const unshown = await app.servers.unshown(setting, scope);
  if (!unshown.ok || unshown.value.length === 0) return [];
  const wanted = JSON.stringify([...(read ?? []), ...unshown.value]);
  return [
    `the command names ${unshown.value.join(" and ")}, which the sandbox hides. To show it, write "sandbox": { "read": ${wanted} } in ${file}`,
  ];
}
