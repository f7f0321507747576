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

export interface ListParts {
  readonly paths: SettingsPaths;
  readonly workspace: string;
  readonly environment: Environment;
  readonly actions: ServerActions;
}

export function listServers(settings: Settings, parts: ListParts): readonly ListedServer[] {
  const { servers, idleServers, brokenServers } = settings;
  return [
    ...servers.map((entry) => row(entry, undefined, parts)),
    ...idleServers.map((idle) => row(idle.entry, idle, parts)),
    ...brokenServers.flatMap((broken) => brokenRow(broken, parts)),
  ];
}

export function factsOf(settings: Settings, name: string, parts: ListParts): readonly ServerFacts[] {
  const { servers, idleServers, brokenServers } = settings;
  const isMeant = (entry: { readonly name?: string }) => entry.name === name;
  return [
    ...servers.filter(isMeant).map((entry) => ({ ...row(entry, undefined, parts), ...particulars(entry, parts) })),
    ...idleServers
      .filter(({ entry }) => isMeant(entry))
      .map((idle) => ({ ...row(idle.entry, idle, parts), ...particulars(idle.entry, parts) })),
    ...brokenServers
      .filter(isMeant)
      .flatMap((broken) => brokenRow(broken, parts))
      .map((broken) => ({ ...broken, given: [], options: [] })),
  ];
}

function row(
  entry: ServerEntry,
  idle: IdleServer | undefined,
  { paths, environment, actions }: ListParts,
): ListedServer {
  const scope = scopeOf(entry.origin, paths);
  const tools = actions.lastKnown(entry);
  const fetches = actions.fetches(entry);
  const failed = actions.lastFailure(entry);
  const filled = fillVariables(entry, environment);
  const detail = idle?.detail ?? (filled.ok ? undefined : unfilled(entry, filled.failure));
  return {
    name: entry.name,
    scope,
    transport: transportOf(entry.setting),
    target: discreetTarget(entry.setting),
    origin: entry.origin,
    trust: scope !== "project" ? "own" : idle?.because === "untrusted" ? "untrusted" : "trusted",
    inForce: idle === undefined && filled.ok,
    ...(idle === undefined && !filled.ok ? { broken: true } : {}),
    ...(idle?.because === "disabled" ? { disabled: true } : {}),
    detail,
    fetches,
    ...(failed && { failed }),
    ...(idle?.hash === undefined ? {} : { hash: idle.hash }),
    tools,
  };
}

function unfilled(entry: ServerEntry, { message, recovery = "" }: Failure): string {
  return `${message.replace(`${placeOf(entry)}: `, "")} ${recovery}`.trim();
}

function brokenRow({ name, origin, problem }: BrokenServer, { paths }: ListParts): readonly ListedServer[] {
  if (name === undefined) return [];
  const scope = scopeOf(origin, paths);
  const trust = scope === "project" ? "untrusted" : "own";
  return [{ name, scope, origin, trust, inForce: false, broken: true, detail: problem }];
}

function scopeOf(origin: string, paths: SettingsPaths): ListedServer["scope"] {
  if (origin === paths.userProject) return "local";
  if (origin === paths.user) return "user";
  if (origin === paths.mcp || origin === paths.project) return "project";
  return origin === paths.managed ? "managed" : "command_line";
}

function particulars(
  entry: ServerEntry,
  { environment, paths, actions, workspace }: ListParts,
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
    recovery: `Mend or remove the entry in ${origin}.`,
  }));
  const problems = [...unreadable, ...lacking];
  const untrusted = idleServers.filter(({ because }) => because === "untrusted").length;
  const facts = [
    inForce.length === 0 ? "none in force" : `in force: ${inForce.join(", ")}`,
    ...(untrusted === 0 ? [] : [`not trusted: ${untrusted}`]),
    ...problems.map(({ message }) => message),
  ];
  const detail = facts.join("\n");
  if (problems.length > 0) return { name, state: "warning", detail, fix: problems[0]?.recovery ?? "gauntlet mcp list" };
  return { name, state: "ok", detail, ...(untrusted === 0 ? {} : { fix: "gauntlet trust" }) };
}
