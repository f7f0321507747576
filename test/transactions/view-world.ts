import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";
import type { Change, Transaction } from "../../src/contract/changes.ts";
import { probeViews } from "../../src/sandbox/transaction/probe.ts";
import { beginTransaction } from "../../src/sandbox/transaction/transaction.ts";
import {
  createViews,
  mountedAt,
  mountingArguments,
  type ViewMounting,
  type Views,
  viewsVariable,
} from "../../src/sandbox/transaction/view.ts";
import { type Workspace, workspaceAt } from "../support/workspace.ts";

/** A workspace and a store for views, without a session: commands run on a view as it is, without a sandbox. */
export interface ViewWorld extends Workspace {
  readonly store: string;
  readonly trash: string;
  readonly mounting: ViewMounting;
  /** The workspace as it was at first. */
  reset(): void;
  /** Runs the script on a new view and gives its transaction. */
  run(script: string, meanwhile?: string): { readonly transaction: Transaction; readonly views: Views };
}

const bash = "/bin/bash";
export const memory = "/dev/shm";

export interface WorldOptions {
  /** The directory around the workspace. */
  readonly around?: string;
  /** The directory around the store. */
  readonly storeAround?: string;
  /** Makes the first content of the workspace. */
  readonly setUp?: string;
  /** How the view is mounted; the best way that works when absent. */
  readonly kind?: ViewMounting["kind"];
}

export async function makeViewWorld({
  around = "/tmp",
  storeAround,
  setUp = "",
  kind,
}: WorldOptions = {}): Promise<ViewWorld> {
  const workspace = workspaceAt(makeDirectory(around));
  const state = storeAround === undefined ? workspace.state : makeDirectory(storeAround);
  const [store, trash] = [path.join(state, "transactions"), path.join(state, "trash")];
  const reset = () => {
    rmSync(workspace.root, { recursive: true });
    mkdirSync(workspace.root);
    runScript(setUp, workspace.root);
  };
  reset();
  const probed = await probeViews({ bash, find, roots: [workspace.root], stores: [store], trash });
  if (probed.kind === "none") throw new Error(probed.reason);
  const mounting = { ...probed, kind: kind ?? probed.kind };
  return {
    ...workspace,
    store,
    trash,
    mounting,
    reset,
    run(script, meanwhile) {
      const views = createViews([{ path: workspace.root }], store);
      const transaction = beginTransaction(views, mounting, [workspace.root], {});
      if (meanwhile !== undefined) runScript(meanwhile, workspace.root);
      const [view] = views.views;
      if (view === undefined) throw new Error("there is no view");
      const inView = [bash, "-c", `cd '${mountedAt(view)}' && ${script}`] as const;
      const ran = spawnSync(mounting.unshare, [...mountingArguments(mounting, bash), ...inView], {
        env: { PATH: process.env.PATH, [viewsVariable]: views.directory },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
      if (ran.status !== 0) throw new Error(ran.stderr);
      return { transaction, views };
    },
  };
}

export function makeDirectory(around: string): string {
  const directory = realpathSync(mkdtempSync(path.join(around, "gauntlet-views-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function find(name: string): string | undefined {
  return ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map((place) => path.join(place, name)).find(existsSync);
}

export function runScript(script: string, cwd: string): string {
  return execFileSync(bash, ["-e", "-c", script], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export const noArtifact = () => ({ ok: false, failure: { code: "tool_failed", message: "no store" } }) as const;

export async function captureAll(transaction: Transaction): Promise<readonly Change[]> {
  const captured = await transaction.capture();
  if (!captured.ok) throw new Error(captured.failure.message);
  return captured.value.changes;
}

export async function applyAll(transaction: Transaction) {
  return transaction.apply(await captureAll(transaction), noArtifact);
}
