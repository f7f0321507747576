import path from "node:path";
import { sha256 } from "../base/digest.ts";

export function settingsPaths(places: {
  readonly workspace: string;
  readonly managedPath: string;
  readonly gauntletHome: string;
}) {
  // Names a project in the user's own state, where no repository can put a file.
  const own = path.join(places.gauntletHome, "projects", sha256(places.workspace).slice(0, 16));
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

export type SettingsPaths = ReturnType<typeof settingsPaths>;
