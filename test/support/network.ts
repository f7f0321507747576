import type { EventData } from "../../src/contract/events/index.ts";
import type { Observation } from "../../src/contract/observation.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Gauntlet } from "../../src/index.ts";
import { eventsOf } from "./gauntlet.ts";
import { serve } from "./registry.ts";
import type { Workspace } from "./workspace.ts";

export const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });
export const hello = () => serve(() => ({ "/": "hello", "/again": "hello again" }));
export const privately = (port: number): SettingsFile => ({ network: { privateHosts: [`localhost:${port}`] } });

export function connections(gauntlet: Gauntlet): readonly EventData<"connection.made">[] {
  return eventsOf(gauntlet).flatMap((event) => (event.type === "connection.made" ? [event.data] : []));
}

export function shown({ model }: Observation, label: string): string {
  return model.content
    .filter((block) => block.label === label)
    .map(({ text }) => text)
    .join("");
}

/** A command that says that it connects to localhost, and then runs what it did not say. */
export function withScript(workspace: Workspace, port: number, script: string): string {
  workspace.write("more.sh", script);
  return `curl -sS http://localhost:${port}/ && bash more.sh`;
}
