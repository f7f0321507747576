import { createFiller, fillSetting } from "../contract/server/fill-variables.ts";
import type { ServerSetting, StdioServer } from "../contract/server/server.ts";
import { discreetAddress, discreetArgument, discreetValue } from "./discreet-target.ts";
import { launchOf } from "./package-launch.ts";

/** The program with its words, or the kind of address with it, as written but for keys. */
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

/**
 * Everything else that an entry asks for, a line each. Nothing of it is left out but keys: what has no words is shown as
 * it is.
 */
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

/** What is neither the command nor the address, nor its values, nor the sandbox. */
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
  ["sampling", "may use your model, after a question each time"],
]);

export interface WhoseServer {
  readonly workspace: string;
  /** It stands in a file of the project, whose words nobody follows without being told in the entry. */
  readonly isProjects: boolean;
}

/** What the sandbox lets the program do, a line each. */
export function sandboxWords(setting: StdioServer, { workspace, isProjects }: WhoseServer): readonly string[] {
  const { network, read, write = [], otherHosts, ...others } = setting.sandbox ?? {};
  const isFetched = network === undefined && launchOf(setting, workspace) !== undefined;
  const hosts = isFetched ? "only where it is fetched from" : listed(network ?? []);
  const asked = otherHosts === "ask" ? "; you are asked about other hosts during a call" : "";
  const implied = read === undefined && !isProjects ? ["what its command names"] : [];
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
