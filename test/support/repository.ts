import { execFileSync } from "node:child_process";
import process from "node:process";
import type { Workspace } from "./workspace.ts";

export interface Repository extends Workspace {
  git(...args: string[]): string;
}

/** The workspace with a way to run git there as the user would, outside of every session. */
export function asRepository(workspace: Workspace): Repository {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: workspace.root,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: workspace.home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  return { ...workspace, git };
}
