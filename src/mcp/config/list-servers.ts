import type { DoctorCheck } from "../../contract/app/app.ts";
import type { Failure } from "../../contract/codes.ts";
import type { ListedServer, ServerFacts } from "../../contract/server/admin.ts";
import { createFiller, type Environment, fillVariables, placeOf } from "../../contract/server/fill-variables.ts";
import { type ServerEntry, transportOf } from "../../contract/server/server.ts";
import type { BrokenServer, IdleServer, Settings } from "../../contract/settings.ts";
import { discreetTarget } from "../../settings/discreet-target.ts";
import { sandboxWords, serverOptions } from "../../settings/server-words.ts";
import type { SettingsPaths } from "../../settings/settings-paths.ts";
import type { ServerActions } from "./server-actions.ts";

export interface ServerListParts {
  readonly paths: SettingsPaths;
  readonly workspace: string;
  readonly environment: Environment;
  readonly actions: ServerActions;
}

export function listServers(settings: Settings, parts: ServerListParts): readonly ListedServer[] {
  return rowsOf(settings, parts).map(({ row }) => row);
}

export function factsOf(settings: Settings, name: string, parts: ServerListParts): readonly ServerFacts[] {
  return rowsOf(settings, parts)
    .filter(({ row }) => row.name === name)
    .map(({ row, entry }) => ({ ...row, ...(entry ? detailsOf(entry, parts) : { given: [], options: [] }) }));
}

interface ServerRow {
  readonly row: ListedServer;
  /** Absent if it cannot be read. */
  readonly entry?: ServerEntry;
}

function rowsOf({ servers, idleServers, brokenServers }: Settings, parts: ServerListParts): readonly ServerRow[] {
  return [
    ...servers.map((entry) => ({ row: rowOf(entry, undefined, parts), entry })),
    ...idleServers.map((idle) => ({ row: rowOf(idle.entry, idle, parts), entry: idle.entry })),
    ...brokenServers.flatMap((broken) => brokenRow(broken, parts)),
  ];
}

function rowOf(
  entry: ServerEntry,
  idle: IdleServer | undefined,
  { paths, environment, actions }: ServerListParts,
): ListedServer {
  const scope = scopeOf(entry.origin, paths);
  const filled = fillVariables(entry, environment);
  const failed = actions.lastFailure(entry);
  return {
    name: entry.name,
    scope,
    transport: transportOf(entry.setting),
    target: discreetTarget(entry.setting),
    origin: entry.origin,
    trust: scope !== "project" ? "own" : idle?.because === "untrusted" ? "untrusted" : "trusted",
    inForce: idle === undefined && filled.ok,
    broken: idle === undefined && !filled.ok ? true : undefined,
    disabled: idle?.because === "disabled" ? true : undefined,
    detail: idle?.detail ?? (filled.ok ? undefined : unfilled(entry, filled.failure)),
    fetches: actions.fetches(entry),
    ...(failed && { failed }),
    hash: idle?.hash,
    tools: actions.lastKnown(entry),
  };
}

function unfilled(entry: ServerEntry, { message, recovery = "" }: Failure): string {
  return `${message.replace(`${placeOf(entry)}: `, "")} ${recovery}`.trim();
}

function brokenRow({ name, origin, problem }: BrokenServer, { paths }: ServerListParts): readonly ServerRow[] {
  if (name === undefined) return [];
  const scope = scopeOf(origin, paths);
  const trust = scope === "project" ? "untrusted" : "own";
  return [{ row: { name, scope, origin, trust, inForce: false, broken: true, detail: problem } }];
}

function scopeOf(origin: string, paths: SettingsPaths): ListedServer["scope"] {
  if (origin === paths.userProject) return "local";
  if (origin === paths.user) return "user";
  if (origin === paths.mcp || origin === paths.project) return "project";
  return origin === paths.managed ? "managed" : "command_line";
}

function detailsOf(
  entry: ServerEntry,
  { environment, paths, actions, workspace }: ServerListParts,
): Omit<ServerFacts, keyof ListedServer> {
  const { setting } = entry;
  const values = Object.entries(("command" in setting ? setting.env : setting.headers) ?? {});
  const facts = {
    given: values.map(([name, value]) => givenValue(name, value, environment)),
    options: serverOptions(setting),
  };
  if ("command" in setting) {
    const isProjects = scopeOf(entry.origin, paths) === "project";
    return { ...facts, sandbox: sandboxWords(setting, { workspace, isProjects }) };
  }
  return { ...facts, login: actions.loginKept(entry) ?? "none" };
}

function givenValue(name: string, value: string, environment: Environment): ServerFacts["given"][number] {
  const { fill, named } = createFiller({});
  fill(value);
  if (named.size === 0) return { name };
  return { name, from: [...named].map((variable) => ({ variable, set: environment[variable] !== undefined })) };
}

export function examineServers(
  { servers, idleServers, brokenServers }: Pick<Settings, "servers" | "idleServers" | "brokenServers">,
  environment: Environment,
): DoctorCheck {
  const name = "MCP servers";
  const filled = servers.map((entry) => ({ name: entry.name, outcome: fillVariables(entry, environment) }));
  const inForce = filled.filter(({ outcome }) => outcome.ok).map((entry) => entry.name);
  const lacking = filled.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.failure]));
  const unreadable = brokenServers.map(({ problem, origin }) => ({
    message: problem,
    recovery: `Fix or remove the entry in ${origin}.`,
  }));
  const problems = [...unreadable, ...lacking];
  const untrusted = idleServers.filter(({ because }) => because === "untrusted").length;
  const facts = [
    inForce.length === 0 ? "none active" : `active: ${inForce.join(", ")}`,
    ...(untrusted === 0 ? [] : [`not trusted: ${untrusted}`]),
    ...problems.map(({ message }) => message),
  ];
  const detail = facts.join("\n");
  if (problems.length > 0) return { name, state: "warning", detail, fix: problems[0]?.recovery ?? "gauntlet mcp list" };
  return { name, state: "ok", detail, ...(untrusted === 0 ? {} : { fix: "gauntlet trust" }) };
}
