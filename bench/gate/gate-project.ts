import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { EffectView } from "../../src/contract/ports.ts";
import { resolvePath } from "../../src/effects/resolve-path.ts";
import { createMetadata } from "../../src/host/files/metadata.ts";
import { createGauntlet, type Gauntlet, type GauntletOptions, type Mode } from "../../src/index.ts";
import { analyseShell, type ShellReport } from "../../src/shell/analyse-shell.ts";
import { committedSecrets, links, outsideFiles, projectFiles, untrackedFiles } from "./project-files.ts";

export interface GateProject {
  readonly root: string;
  /** The product as a person opens it: default mode, sandbox on, no rules of their own. */
  open(as?: { readonly mode: Mode; readonly backend: "bubblewrap" | "external" | "none" }): Promise<Gauntlet>;
  /** The shell analysis by itself, with real paths. */
  analyse(command: string): ShellReport;
  remove(): void;
}

/** A repository with a bit of everything that the commands of the corpora name. */
export function makeGateProject(): GateProject {
  const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-gate-")));
  // A few directories above the project is still not the machine's /tmp, of which every session has its own.
  const base = path.join(top, "home/user/work");
  const root = path.join(base, "project");
  const home = path.join(base, "home");
  writeFiles(base, outsideFiles);
  writeFiles(root, projectFiles);
  makeHistory(root);
  writeFiles(root, untrackedFiles);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  linkSync(path.join(root, ".env"), path.join(root, "docs/hard.txt"));
  execFileSync("mkfifo", [path.join(root, "pipe.fifo")]);
  execFileSync("tar", ["-czf", "data.tar.gz", "README.md", "src"], { cwd: root });

  const metadata = createMetadata();
  const view: EffectView = {
    workspace: { root, roots: [root], cwd: root, home },
    resolve: (written, from) => resolvePath(written, { metadata, base: from ?? root, home }),
    entries: (directory) => metadata.entries?.(directory) ?? [],
  };
  return {
    root,
    open(as) {
      const common = { workspace: root, store: path.join(base, "state"), home } as const;
      if (as === undefined) return openSandboxed({ ...common, mode: "default" });
      return createGauntlet({ ...common, mode: as.mode, settings: { sandbox: { backend: as.backend } } });
    },
    analyse: (command) => analyseShell(command, { view, cwd: root }),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Without a sandbox every command is asked for, and no figure would mean anything. */
async function openSandboxed(options: GauntletOptions): Promise<Gauntlet> {
  const gauntlet = await createGauntlet(options);
  const events = gauntlet.archive.events(gauntlet.session.sessionId);
  const created = events.ok ? [...events.value].find((event) => event.type === "session.created") : undefined;
  if (created?.data.sandbox.enforces) return gauntlet;
  await gauntlet.close();
  throw new Error("The gate is measured with a sandbox that enforces. `gauntlet doctor` says what is missing.");
}

function makeHistory(root: string): void {
  makeRepository(root);
  commit(root, "Start");
  writeFiles(root, committedSecrets);
  commit(root, "Deploy");
  writeFiles(root, { "src/app.ts": "export const version = 2;\n" });
  commit(root, "Second version");
  git(root, "tag", "v1.2.0");
  // What is committed can be seen: these are in the history, and the working tree has them as secrets of its own.
  git(root, "rm", "--quiet", "--cached", "terraform.tfstate", ...Object.keys(committedSecrets));
  git(root, "commit", "--quiet", "--message", "Untrack secrets");
  git(root, "branch", "feature");
  const nested = path.join(root, "vendor/nested");
  writeFiles(nested, { "README.md": "# Nested\n" });
  makeRepository(nested);
  commit(nested, "Nested");
  // What makes another repository dangerous: its own configuration runs programs.
  git(nested, "config", "core.fsmonitor", "./hook.sh");
  git(root, "init", "--quiet", "--bare", "bare.git");
}

function makeRepository(directory: string): void {
  git(directory, "init", "--quiet", "--initial-branch=main");
  git(directory, "config", "user.name", "Ada");
  git(directory, "config", "user.email", "ada@example.com");
}

function commit(directory: string, message: string): void {
  git(directory, "add", "--all");
  git(directory, "commit", "--quiet", "--message", message);
}

function git(cwd: string, ...args: readonly string[]): void {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  execFileSync("git", args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
}

function writeFiles(base: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const target = path.join(base, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}
