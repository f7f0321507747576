// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables like that.
import { type Command, Option } from "commander";
import type { App } from "../../contract/app/app.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
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
import { lines, say } from "../render/shown.ts";
import { viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printNotice, printShown, reportFailure } from "../report.ts";
import type { Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";

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

interface AddJsonFlags extends CommonOptions {
  readonly scope: ServerScope;
}

export function declareMcpAddJson(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("write a server down as its description has it")
    .description(
      "Writes down the object that a server's description shows below mcpServers. Keys that other programs have and " +
        "that mean nothing here are left out and named. What the program may do beyond reading the workspace is said " +
        'with "sandbox", as in {"write": ["notes"], "network": ["api.example.com"]}.',
    )
    .argument("<name>", "what its tools are called by: mcp__name__tool")
    .argument("<json>", "the object, in quotes")
    .addOption(scopeOption("where it is written; see `gauntlet mcp add --help`").default("local"))
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
    .action(async (name: string, text: string, flags: AddJsonFlags) => {
      const json = { json: flags.json ?? false };
      end(
        await withApp(surface, flags, async (app) => {
          const added = app.servers.addJson(name, text, flags.scope);
          if (!added.ok) return reportFailure(surface, added.failure, json);
          const unshown = await unshownNotes(app, added.value);
          await tellAdded(surface, name, { ...added.value, notes: [...added.value.notes, ...unshown] }, json);
          return exitCodes.done;
        }),
      );
    });
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
  // Other programs take the address where the command stands.
  if (program !== undefined && args.length === 0 && flags.url === undefined && /^(?:https?|wss?):\/\//.test(program)) {
    return remoteServer(program, flags);
  }
  if (program !== undefined && flags.url !== undefined) {
    return refuse("A server is a program or an address, not both.", "Leave --url or the command out.");
  }
  if (program !== undefined) return localServer(program, args, flags);
  if (flags.url === undefined) {
    return refuse(
      "Neither a program nor an address is given.",
      "For example: gauntlet mcp add docs -- docs-server --stdio",
    );
  }
  return remoteServer(flags.url, flags);
}

function localServer(command: string, args: readonly string[], flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if ((transport !== undefined && transport !== "stdio") || header.length > 0) {
    return refuse("--transport and --header belong to an address.", "Leave them out, or give --url.");
  }
  const pairs = readPairs("--env", env, "=");
  if (!pairs.ok) return pairs;
  const sandbox = {
    ...(write.length === 0 ? {} : { write: [...write] }),
    ...(read.length === 0 ? {} : { read: [...read] }),
    ...(network.length === 0 ? {} : { network: [...network] }),
  };
  return ok({
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(env.length === 0 ? {} : { env: pairs.value }),
    ...(Object.keys(sandbox).length === 0 ? {} : { sandbox }),
  });
}

function remoteServer(url: string, flags: NewServer): Outcome<ServerSetting> {
  const { transport, header, env, write, read, network } = flags;
  if (env.length + write.length + read.length + network.length > 0) {
    return refuse("--env, --write, --read and --network belong to a program.", "Leave them out, or give a command.");
  }
  if (transport === "stdio") return refuse("--transport stdio is for a program.", "Leave it out, or give a command.");
  const scheme = url.includes("${") ? "" : URL.canParse(url) ? new URL(url).protocol : "none";
  const isSocket = scheme === "ws:" || scheme === "wss:";
  const fits = transport === "ws" ? isSocket : transport === undefined || !isSocket;
  if (scheme !== "" && (!/^(?:https?|wss?):$/.test(scheme) || !fits)) {
    const wanted = transport === "ws" ? "ws:// or wss://" : "http:// or https://";
    return refuse(`--url ${url} is no address with ${wanted}.`, "Give the whole address of the server.");
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
      return refuse(`${option} reads NAME${separator}VALUE.`, `For example: ${option} 'KEY${separator}\${KEY}'`);
    }
    const value = text.slice(at + 1);
    pairs.push([key, separator === ":" ? value.trim() : value]);
  }
  return ok(Object.fromEntries(pairs));
}

function literalSecrets(setting: ServerSetting): readonly string[] {
  const pairs = Object.entries(("command" in setting ? setting.env : setting.headers) ?? {});
  return pairs.filter(([key, value]) => isSecretName(key) && value !== "" && !value.includes("${")).map(([key]) => key);
}

function isSecretName(name: string): boolean {
  return /key|token|secret|passw|credential|authorization|cookie|auth$/i.test(name);
}

function refuse(message: string, recovery: string) {
  return fail("bad_request", message, { recovery });
}

async function tellAdded(
  surface: Surface,
  name: string,
  { file, scope, setting, notes }: AddedServer,
  { json }: { readonly json: boolean },
): Promise<void> {
  const told = viewOn(surface.stderr);
  for (const note of notes) {
    await printNotice(surface, told.wrap(say`${told.paint("warning", "notice:")} ${note}`));
  }
  await tellSecrets(surface, setting, file);
  if (json) return printJson(surface, { name, file, scope });
  const { paint, wrap } = viewOn(surface.stdout);
  const next =
    scope === "project"
      ? "It stands in the project, so it is in force once you trust it: gauntlet trust"
      : `See whether it answers: gauntlet mcp test ${name}`;
  await printShown(
    surface,
    lines([wrap(say`${paint("good", "added")} ${name} (${scope}) to ${file}`), wrap(paint("quiet", next))]),
  );
}

async function tellSecrets(surface: Surface, setting: ServerSetting, file: string): Promise<void> {
  const { paint, wrap } = viewOn(surface.stderr);
  const values = ("command" in setting ? setting.env : setting.headers) ?? {};
  for (const key of literalSecrets(setting)) {
    const scheme = /^(?:Bearer|Basic|Token) /i.exec(values[key] ?? "")?.[0] ?? "";
    const variable = scheme === "" ? key.toUpperCase().replaceAll("-", "_") : "TOKEN";
    await printNotice(
      surface,
      wrap(
        say`${paint("warning", "notice:")} the value of ${key} lies in ${file} as you wrote it. Better: ${scheme}\${${variable}} in its place, and ${variable} in your environment.`,
      ),
    );
  }
}

async function unshownNotes(app: App, { file, scope, setting }: AddedServer): Promise<readonly string[]> {
  if (!("command" in setting)) return [];
  const read = setting.sandbox?.read;
  // Of a person's own entry all of it is shown, unless the entry says what is.
  if (scope !== "project" && read === undefined) return [];
  const unshown = await app.servers.unshown(setting, scope);
  if (!unshown.ok || unshown.value.length === 0) return [];
  const wanted = JSON.stringify([...(read ?? []), ...unshown.value]);
  return [
    `its sandbox does not show ${unshown.value.join(" and ")}, which its command names; it does with "sandbox": { "read": ${wanted} } in ${file}`,
  ];
}
