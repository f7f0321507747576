import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import type { EffectReport } from "../../src/contract/effect.ts";
import type { Assessment } from "../../src/contract/gate.ts";
import type { EffectView, WorkspaceFacts } from "../../src/contract/ports.ts";
import { assessRisk } from "../../src/effects/assess-risk.ts";
import type { PathPlaces } from "../../src/effects/classify-path.ts";
import { resolvePath } from "../../src/effects/resolve-path.ts";
import { createMetadata } from "../../src/host/files/metadata.ts";
import { createGitObjects } from "../../src/host/git/git-objects.ts";
import { analyseShell, type ShellReport } from "../../src/shell/analyse-shell.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

/** A real directory tree with everything that the effects of a call are computed from. */
export interface Fixture extends Workspace {
  readonly view: EffectView;
  readonly facts: WorkspaceFacts;
  readonly places: PathPlaces;
  link(name: string, target: string): void;
  mkdir(name: string): void;
  shell(text: string, cwd?: string): ShellReport;
  assess(report: EffectReport): Assessment;
}

export function makeFixture(files: Readonly<Record<string, string>> = {}): Fixture {
  const workspace = makeWorkspace(files);
  const { root, home, state } = workspace;
  const metadata = createMetadata();
  const facts: WorkspaceFacts = { root, roots: [root], cwd: root, home };
  const places: PathPlaces = { roots: [root], home, stateDirectory: state };
  const view: EffectView = {
    workspace: facts,
    resolve: (written, from) => resolvePath(written, { metadata, base: from ?? root, home }),
    entries: (directory) => metadata.entries?.(directory) ?? [],
    gitObjects: createGitObjects(),
  };
  return {
    ...workspace,
    view,
    facts,
    places,
    link: (name, target) => symlinkSync(target, path.join(root, name)),
    mkdir: (name) => void mkdirSync(path.join(root, name), { recursive: true }),
    shell: (text, cwd) => analyseShell(text, { view, cwd: cwd ?? root }),
    assess: (report) => assessRisk(report, places),
  };
}
