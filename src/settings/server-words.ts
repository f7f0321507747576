import { createFiller, fillSetting } from "../contract/server/fill-variables.ts";
import type { ServerSetting, StdioServer } from "../contract/server/server.ts";
import { discreetAddress, discreetArgument, discreetValue } from "./discreet-target.ts";
import { launchOf } from "./package-launch.ts";

export function serverCommand(setting: ServerSetting): string {
  if (!("command" in setting)) return `${setting.type} ${discreetAddress(setting.url)}`;
  const { command, args = [] } = setting;
  return commandText(
    command,
    args.map((word, at) => discreetArgument(word, args[at - 1] ?? "")),
  );
}

export function commandText(command: string, args: readonly string[]): string {
  return [command, ...args.map((word) => JSON.stringify(word))].join(" ");
}

/** Everything else that an entry requests, a line each. Only keys are left out. */
export function serverWishes(setting: ServerSetting, whose: WhoseServer): readonly string[] {
  const { named, fill } = createFiller({});
  fillSetting(setting, fill);
  const values = "command" in setting ? setting.env : setting.headers;
  const pairs = Object.entries(values ?? {}).map(([name, text]) => `${name}=${discreetValue(name, text)}`);
  return [
    ...("command" in setting ? sandboxWords(setting, whose) : []),
    ...(pairs.length === 0 ? [] : [`${"command" in setting ? "environment" : "headers"}: ${pairs.join(", ")}`]),
    ...serverOptions(setting),
    ...(named.size === 0 ? [] : [`given from your environment: ${[...named].join(", ")}`]),
  ];
}

export function serverOptions(setting: ServerSetting): readonly string[] {
  return Object.entries(setting).flatMap(([key, value]) =>
    saidElsewhere.has(key)
      ? []
      : [`${optionNames.get(key) ?? key}: ${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
}

const saidElsewhere: ReadonlySet<string> = new Set(["type", "command", "args", "url", "env", "headers", "sandbox"]);
const optionNames: ReadonlyMap<string, string> = new Map([
  ["cwd", "works in"],
  ["timeout", "milliseconds for a call"],
  ["alwaysLoad", "tools always on the menu"],
  ["sampling", "may use your model; asks each time"],
]);

export interface WhoseServer {
  readonly workspace: string;
  readonly isProjects: boolean;
}

export function sandboxWords(setting: StdioServer, { workspace, isProjects }: WhoseServer): readonly string[] {
  const { network, read, write = [], otherHosts, ...others } = setting.sandbox ?? {};
  const isFetched = network === undefined && launchOf(setting, workspace) !== undefined;
  const hosts = isFetched ? "only the package registry" : listed(network ?? []);
  const asked = otherHosts === "ask" ? "; you are asked about other hosts during a call" : "";
  const implied = read === undefined && !isProjects ? ["the paths that its command names"] : [];
  return [
    `network: ${hosts}${asked}`,
    `may read: ${listed(["the workspace without its secrets", ...(read ?? []), ...implied])}`,
    `may write: ${listed(write)}`,
    ...Object.entries(others).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
  ];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
