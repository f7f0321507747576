import path from "node:path";
import type { Failure } from "../../contract/codes.ts";
import type { Connection, Connections } from "../../contract/network.ts";
import type { ServerEntry, StdioServer } from "../../contract/server/server.ts";
import { specialAddress } from "../../sandbox/network/address-class.ts";
import { refusedWords } from "../../settings/package-launch.ts";
import { type ProgramNeeds, type ServerWorld, unshownPaths } from "./program-needs.ts";

export type StartWatch = ReturnType<typeof watchStart>;

const mostUnreached = 5;
const notFound = 127;

export function watchStart(
  world: ServerWorld,
  entry: ServerEntry,
  {
    filled,
    needs,
    connections,
  }: { readonly filled: StdioServer; readonly needs: ProgramNeeds; readonly connections: Connections | undefined },
) {
  const unreached = new Map<string, string>();
  const advice = new Set<string>();
  const where = path.isAbsolute(entry.origin) ? `its entry in ${entry.origin}` : "its entry";
  let hasBegun = false;

  function remember({ host, port, outcome, reason = "unknown reason", address }: Connection): void {
    const target = `${host}:${port}`;
    if (outcome === "connected" || unreached.has(target) || unreached.size >= mostUnreached) return;
    const how = outcome === "refused" ? "was refused by its sandbox" : "could not be reached";
    unreached.set(target, `${target} ${how}: ${reason}${address === undefined ? "" : ` (${address})`}.`);
    if (outcome === "refused" && address !== undefined && specialAddress(address)?.private === true) {
      advice.add(`To allow that address, add "${target}" to network.privateHosts in your settings.`);
    }
  }

  function atStart(exitCode: number | null): readonly string[] {
    const { command } = filled;
    const isMissing = exitCode === notFound;
    const found = isMissing ? findProgram(world, command, needs.cwd) : command;
    if (found === undefined) {
      advice.add(`${missingAdvice(command)} Or correct the command of ${where}.`);
      return [`The program ${command} was not found.`];
    }
    const unshown = unshownPaths(world, { ...filled, command: found }, needs);
    if (unshown.length === 0 && needs.refused !== undefined) return [`It ${refusedWords(needs.refused)}.`];
    if (unshown.length === 0) return needs.withheld.length === 0 ? [] : [withheldWords(needs.withheld)];
    const read = JSON.stringify([...(filled.sandbox?.read ?? []), ...unshown]);
    advice.add(`To allow this, set "sandbox": { "read": ${read} } in ${where}.`);
    const is = isMissing && found !== command ? `${command} is ${found}. ` : "";
    return [`${is}Its sandbox hides ${unshown.join(", ")}, which it needs to read.`];
  }

  const watched: Connections = {
    async ask(target, options) {
      const answer = (await connections?.ask(target, options)) ?? {
        answer: "refuse",
        why: `the entry of the server ${entry.name} does not list this host`,
      };
      if (answer.answer === "refuse" && filled.sandbox?.otherHosts !== "ask") {
        advice.add(`To allow ${target.host}, add it to sandbox.network in ${where}.`);
      }
      return answer;
    },
    record(connection) {
      remember(connection);
      return connections?.record(connection) ?? true;
    },
  };

  return {
    connections: watched,
    causes: (exitCode: number | null): readonly string[] => [
      ...unreached.values(),
      ...(hasBegun ? [] : atStart(exitCode)),
    ],
    begun(): void {
      hasBegun = true;
      unreached.clear();
    },
    explained(failure: Failure): Failure {
      const late = failure.code === "timeout" ? [...unreached.values()] : [];
      return {
        ...failure,
        message: [failure.message, ...late].join(" "),
        ...(advice.size > 0 && { recovery: [...advice].join(" ") }),
      };
    },
  };
}

function missingAdvice(written: string): string {
  if (written.startsWith("~")) return "Use an absolute path: ~ is not expanded there.";
  const [program = "", ...args] = written.trim().split(/\s+/);
  if (args.length === 0) return "Install it.";
  const words = `"command": ${JSON.stringify(program)}, "args": ${JSON.stringify(args)}`;
  return `The command must be the program alone; put its arguments in args: ${words}.`;
}

function withheldWords(hosts: readonly string[]): string {
  return `If it must be downloaded first, add ${hosts.join(" and ")} to sandbox.network of its entry.`;
}

function findProgram({ environment, metadata }: ServerWorld, command: string, cwd: string): string | undefined {
  const directories = command.includes("/")
    ? [cwd]
    : (environment.PATH ?? "").split(path.delimiter).filter((directory) => path.isAbsolute(directory));
  return directories
    .map((directory) => path.resolve(directory, command))
    .find((place) => metadata.lstat(place) !== undefined);
}
