import { setTimeout as delay } from "node:timers/promises";
import { ifPossible } from "../failure.ts";
import { listProcesses, type ProcessFacts, startedWith } from "./process-table.ts";

interface TreeOptions {
  readonly leader: number;
  /** An environment entry that only this tree has: finds processes that left the group and lost their parent. */
  readonly marker?: string;
  /** The number of levels from the leader down that are our own processes: killed, never asked to terminate. */
  readonly ownLevels: number;
}

interface TreeMember {
  readonly pid: number;
  readonly level: number;
}

const forceMs = 5_000;

export class ProcessTree {
  readonly #options: TreeOptions;
  /** An orphan has neither its parent nor its group. */
  #known = new Map<number, { readonly started: string; readonly level: number }>();

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  members(): readonly TreeMember[] {
    const living = listProcesses().filter(({ zombie }) => !zombie);
    const levels = new Map<number, number>();
    for (const facts of living) {
      const level = this.#levelOf(facts);
      if (level !== undefined) levels.set(facts.pid, level);
    }
    addDescendants(levels, living);
    for (const facts of living) if (!levels.has(facts.pid) && this.#belongs(facts)) levels.set(facts.pid, 9);
    addDescendants(levels, living);
    this.#known = new Map(
      living.flatMap(({ pid, started }) => {
        const level = levels.get(pid);
        return level === undefined ? [] : [[pid, { started, level }]];
      }),
    );
    return Array.from(levels, ([pid, level]) => ({ pid, level })).sort((a, b) => a.level - b.level);
  }

  async end({ graceMs }: { readonly graceMs: number }): Promise<void> {
    const { ownLevels } = this.#options;
    const asked = this.members().filter(({ level }) => level >= ownLevels);
    // From the top down: a shell that gets the signal first does not start its next command when a child ends.
    for (const { pid } of asked) send(pid, "SIGTERM");
    if (asked.length > 0) await this.#goneWithin(graceMs);
    const deadline = performance.now() + forceMs;
    for (let members = this.members(); members.length > 0 && performance.now() < deadline; members = this.members()) {
      // Our own leader reaps the next level and then exits by itself; it is killed only when it is alone.
      const targets = ownLevels > 0 && members.length > 1 ? members.filter(({ level }) => level > 0) : members;
      for (const { pid } of targets) send(pid, "SIGKILL");
      await delay(2);
    }
  }

  async #goneWithin(ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    for (let wait = 2; this.members().length > 0 && performance.now() < deadline; wait = Math.min(wait * 2, 50))
      await delay(wait);
  }

  #levelOf({ pid, started }: ProcessFacts): number | undefined {
    if (pid === this.#options.leader) return 0;
    const known = this.#known.get(pid);
    return known?.started === started ? known.level : undefined;
  }

  #belongs({ pid, group, session }: ProcessFacts): boolean {
    const { leader, marker } = this.#options;
    return group === leader || session === leader || (marker !== undefined && startedWith(pid, marker));
  }
}

function addDescendants(levels: Map<number, number>, living: readonly ProcessFacts[]): void {
  for (let grew = true; grew; ) {
    grew = false;
    for (const { pid, parent } of living) {
      const above = levels.get(parent);
      if (above === undefined || levels.has(pid)) continue;
      levels.set(pid, above + 1);
      grew = true;
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  ifPossible(() => process.kill(pid, signal));
}
