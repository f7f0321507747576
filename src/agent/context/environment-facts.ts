import path from "node:path";
import { visibleText } from "../../base/text.ts";
import type { SandboxDescription } from "../../contract/ports.ts";
import type { SessionState } from "../../contract/state.ts";

export interface EnvironmentParts {
  readonly state: Pick<SessionState, "workspace" | "roots" | "cwd" | "mode">;
  readonly sandbox: SandboxDescription;
  readonly platform: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Only regular files are read; `undefined` when there is none. */
  readonly readText: (file: string) => string | undefined;
}

/** What a model has to know of the place it works in. A day is exact enough: the text must not change with every turn. */
export function environmentFacts({ state, sandbox, platform, now, readText }: EnvironmentParts): string {
  const { workspace, roots, cwd, mode } = state;
  const others = roots.filter((root) => root !== workspace);
  const branch = gitBranch(workspace, readText);
  return [
    `workspace: ${inLine(workspace)}`,
    ...(cwd === workspace ? [] : [`shell directory: ${inLine(cwd)}`]),
    ...(others.length === 0 ? [] : [`also open: ${others.map(inLine).join(", ")}`]),
    ...(branch === undefined ? [] : [`git branch: ${branch}`]),
    `platform: ${platform}`,
    `date: ${new Date(now).toISOString().slice(0, 10)}`,
    `mode: ${mode}`,
    `sandbox: ${sandbox.enforces ? sandbox.backend : `${sandbox.backend}, not enforced`}`,
  ].join("\n");
}

/** A directory may be called as its repository likes; it cannot write a fact of its own. */
function inLine(directory: string): string {
  return visibleText(directory).replace(/\s/g, " ");
}

/** As far as one small file tells. */
function gitBranch(workspace: string, readText: (file: string) => string | undefined): string | undefined {
  try {
    return /^ref: refs\/heads\/([\w./-]{1,100})$/.exec(readText(path.join(workspace, ".git/HEAD"))?.trim() ?? "")?.[1];
  } catch {
    return undefined;
  }
}
