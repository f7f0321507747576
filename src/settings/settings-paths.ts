import path from "node:path";
import { sha256 } from "../contract/digest.ts";

export interface SettingsPaths {
  readonly managed: string;
  readonly userProject: string;
  readonly project: string;
  readonly claudeProject: string;
  readonly user: string;
}

export function settingsPaths(places: {
  readonly workspace: string;
  readonly managedPath: string;
  readonly gauntletHome: string;
}): SettingsPaths {
  return {
    managed: places.managedPath,
    userProject: path.join(places.gauntletHome, "projects", projectKey(places.workspace), "settings.json"),
    project: path.join(places.workspace, ".gauntlet", "settings.json"),
    claudeProject: path.join(places.workspace, ".claude", "settings.json"),
    user: path.join(places.gauntletHome, "settings.json"),
  };
}

/** Names a project in the user's own state, where no repository can put a file. */
function projectKey(workspace: string): string {
  return sha256(workspace).slice(0, 16);
}
