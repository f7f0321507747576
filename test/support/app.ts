import process from "node:process";
import { onTestFinished } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Workspace } from "./workspace.ts";

/** The program of a workspace without its command line, until the test is over. */
export function openApp(workspace: Workspace, settings: SettingsFile = {}): App {
  const made = createApp({
    cwd: workspace.root,
    environment: { PATH: process.env.PATH, HOME: workspace.home },
    home: workspace.home,
    gauntletHome: workspace.state,
    settings,
  });
  if (!made.ok) throw new Error(made.failure.message);
  onTestFinished(() => made.value.close());
  return made.value;
}
