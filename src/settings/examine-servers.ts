import type { DoctorCheck } from "../contract/app/app.ts";
import { type Environment, fillVariables } from "../contract/server/fill-variables.ts";
import type { Settings } from "../contract/settings.ts";

/** Whether the servers of the settings could be started, as far as that can be told without doing it. */
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
