/** A process of its own, perhaps of another user, in which the attempts are made. */
import process from "node:process";
import { createRepository } from "./attack-world.ts";
import { attacks } from "./attacks.ts";
import { runAttack } from "./run-attack.ts";
import { withoutWalls } from "./without-walls.ts";

export interface OpenMessage {
  readonly kind: "open";
  readonly uid?: number;
  readonly socketDirectories: readonly string[];
}

export interface TryMessage {
  readonly kind: "try";
  readonly title: string;
}

export type Answer =
  | { readonly kind: "opened"; readonly repository: string }
  | { readonly kind: "tried"; readonly title: string; readonly breaches: readonly string[] };

function open({ uid, socketDirectories }: OpenMessage): void {
  if (uid !== undefined) {
    process.setgroups?.([]);
    process.setgid?.(uid);
    process.setuid?.(uid);
  }
  const ground = { repository: createRepository(), socketDirectories };
  process.on("message", async ({ title }: TryMessage) => {
    answer({ kind: "tried", title, breaches: await attempt(title).catch((error) => [`broke: ${error?.stack}`]) });
  });
  answer({ kind: "opened", repository: ground.repository });

  async function attempt(title: string): Promise<readonly string[]> {
    const attack = [...attacks, withoutWalls].find((candidate) => candidate.title === title);
    return attack === undefined ? ["there is no such attack"] : runAttack(attack, ground);
  }
}

function answer(message: Answer): void {
  process.send?.(message);
}

process.once("message", open);
