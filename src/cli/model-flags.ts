import type { Command } from "commander";
import type { AgentOptions } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ModelNeed } from "../contract/model.ts";
import { declarePolicyFlags, doorOptionsOf, type PolicyFlags } from "./door-options.ts";
import { findConversation } from "./find-session.ts";
import type { Surface } from "./surface.ts";

export interface ModelFlags extends PolicyFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly resume?: string;
  readonly continue?: boolean;
}

/** The flags of everything that a model works in. */
export function declareModelFlags(command: Command): Command {
  return declarePolicyFlags(
    command
      .option("--model <provider/id>", "the model; else that of the session that goes on, else the one of the settings")
      .option("--base-url <url>", "where the provider is, instead of its usual place")
      .option("--resume <id>", "go on in this session (id, its beginning, or latest: as --continue)")
      .option("-c, --continue", "go on in the latest session of this directory that had a task"),
  );
}

export async function agentOptionsOf(
  flags: ModelFlags,
  surface: Surface,
  app: App,
): Promise<Outcome<Omit<AgentOptions, "ask" | "onNotice">>> {
  if (flags.resume !== undefined && flags.continue === true) {
    return fail("bad_request", "--resume and --continue exclude each other.", {
      recovery: "--continue goes on in the latest session, --resume in the one that you name.",
    });
  }
  const session = flags.continue === true ? "latest" : flags.resume;
  const wanted = { ...flags, ...(session === undefined ? {} : { session }) };
  const door = await doorOptionsOf(wanted, surface, app, findConversation);
  if (!door.ok) return door;
  return ok({ ...door.value, model: modelNeedOf(flags) });
}

export function modelNeedOf({ model, baseUrl }: Pick<ModelFlags, "model" | "baseUrl">): ModelNeed {
  return {
    ...(model === undefined ? {} : { wanted: model, because: "from --model" }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}
