import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { createGauntlet, IntentInput, Observation } from "../../src/index.ts";
import { WorkTree } from "../projects/tree.ts";
import { commandIn, readCorpora } from "./corpus.ts";
import { makeGateProject } from "./gate-project.ts";

/** How often a user in default mode is asked, before and after the runs. */
export interface Questions {
  commands: number;
  before: number;
  after: number;
  /** Denied without a question. */
  refused: number;
}

export interface CountOptions {
  /** Of the version that is measured. */
  readonly createGauntlet: typeof createGauntlet;
  /** `off`: commands write to the workspace itself. */
  readonly views?: "auto" | "off";
  /** Each question, as it is asked. */
  readonly onQuestion?: (command: string, reason: string) => void;
}

/** Long enough for every row: a command that is stopped could still have asked. */
export const timeoutMs = 60_000;

export const noQuestions = (): Questions => ({ commands: 0, before: 0, after: 0, refused: 0 });

/** Runs the harmless corpus for real, each command in a fresh project, with a user who says yes. */
export async function countHarmless(options: CountOptions): Promise<Questions> {
  const project = makeGateProject();
  const pristine = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-questions-")));
  const count = noQuestions();
  const home = path.join(path.dirname(project.root), "home");
  try {
    const tree = new WorkTree(project.root, path.join(pristine, "tree"));
    for (const entry of readCorpora().harmless) {
      // Neither a change, an answer nor the directory of the shell may be there for the next command.
      const session = await openCounted({ ...options, workspace: project.root, home, count });
      const command = commandIn(project.root, entry);
      await session.run({ tool: "bash", input: { command, timeout_ms: timeoutMs } }, command);
      await session.close();
      tree.reset();
    }
  } finally {
    project.remove();
    rmSync(pristine, { recursive: true, force: true });
  }
  return count;
}

export interface CountedSession {
  run(intent: IntentInput, name: string): Promise<Observation>;
  close(): Promise<void>;
}

export async function openCounted({
  createGauntlet,
  views = "auto",
  onQuestion,
  workspace,
  home,
  count,
  privateHosts = [],
}: CountOptions & {
  readonly workspace: string;
  readonly home: string;
  readonly count: Questions;
  readonly privateHosts?: readonly string[];
}): Promise<CountedSession> {
  const store = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-questions-store-")));
  let started = false;
  let name = "";
  const gauntlet = await createGauntlet({
    workspace,
    store,
    home,
    mode: "default",
    settings: {
      network: { privateHosts: [...privateHosts] },
      ...(views === "off" ? { transactions: { use: "off" } } : {}),
    },
    onNotice: ({ kind }) => {
      if (kind === "started") started = true;
    },
    onAsk: async ({ id, prompt }) => {
      count[started ? "after" : "before"]++;
      onQuestion?.(name, prompt.reason);
      return { request: id, answer: "allow" };
    },
  });
  return {
    async run(intent, called) {
      [started, name] = [false, called];
      count.commands++;
      const observation = await gauntlet.call(intent);
      if (observation.code === "policy_denied") count.refused++;
      return observation;
    },
    async close() {
      await gauntlet.close();
      rmSync(store, { recursive: true, force: true });
    },
  };
}
