import path from "node:path";
import { sha256 } from "../base/digest.ts";

export interface SettingsPaths {
  readonly managed: string;
  readonly userProject: string;
  readonly trust: string;
  readonly project: string;
  /** Servers, in the form that other programs share. */
  readonly mcp: string;
  readonly claudeProject: string;
  readonly claudeLocal: string;
  readonly user: string;
}

export function settingsPaths(places: {
  readonly workspace: string;
  readonly managedPath: string;
  readonly gauntletHome: string;
}): SettingsPaths {
  const own = path.join(places.gauntletHome, "projects", projectKey(places.workspace));
  return {
    managed: places.managedPath,
    userProject: path.join(own, "settings.json"),
    trust: path.join(own, "trust.json"),
    project: path.join(places.workspace, ".gauntlet", "settings.json"),
    mcp: path.join(places.workspace, ".mcp.json"),
    claudeProject: path.join(places.workspace, ".claude", "settings.json"),
    claudeLocal: path.join(places.workspace, ".claude", "settings.local.json"),
    user: path.join(places.gauntletHome, "settings.json"),
  };
}

function projectKey(workspace: string): string {
  return sha256(workspace).slice(0, 16);
}
