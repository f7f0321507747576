import { writeFileSync } from "node:fs";
import path from "node:path";
import type { SettingsFile } from "../../src/contract/settings.ts";
import { type ScriptedTurn, writeScript } from "./model-script.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { makeWorkspace, type Workspace } from "./workspace.ts";

/** A message can be written. */
export const ready = "What would you like to do?";
/** Before this stands there, a question takes no key. */
export const asking = /❯ n {2}No[\s\S]*↑↓ Enter/;

export interface Conversation {
  readonly workspace: Workspace;
  readonly terminal: Terminal;
  send(text: string): void;
}

/** A scripted model in a temporary project, at a real terminal. */
export async function openConversation(
  files: Readonly<Record<string, string>>,
  turns: readonly ScriptedTurn[],
  options: {
    readonly args?: readonly string[];
    readonly columns?: number;
    readonly rows?: number;
    readonly settings?: SettingsFile;
  } = {},
): Promise<Conversation> {
  const workspace = makeWorkspace(files);
  if (options.settings !== undefined) writeSettings(workspace, options.settings);
  const model = writeScript(workspace, ...turns);
  const terminal = openTerminal(workspace, ["--model", model, ...(options.args ?? [])], options);
  await terminal.stands(ready);
  const send = (text: string) => {
    terminal.type(text);
    terminal.press("Enter");
  };
  return { workspace, terminal, send };
}

/** How many there are: more than one, and something that moves was left behind. */
export function promptsOn(screen: string): number {
  return screen.split("\n").filter((line) => /^› {1,2}(?:What would|working;)/.test(line)).length;
}

/** The person's own. */
export function writeSettings({ state }: Workspace, settings: SettingsFile): void {
  writeFileSync(path.join(state, "settings.json"), JSON.stringify(settings));
}
