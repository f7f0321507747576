import type { Agent, MessageOptions, RunReport } from "../../contract/app/agent.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import { keepBaseUrl, type ModelChain, type ModelNeed } from "../../contract/model.ts";
import type { SideModel } from "../../contract/server/server.ts";
import type { SessionLog } from "../../contract/store.ts";
import type { HookRemark } from "../../contract/verdict.ts";
import { compactHistory, createRun, type LoopParts, narrower, type Run } from "./run.ts";
import { runTask } from "./run-task.ts";
import { createSideModel } from "./side-request.ts";

export interface AgentParts extends Omit<LoopParts, "chain" | "opening"> {
  readonly chain: ModelChain;
  /** Messages of the hooks that ran when the session was opened: sent to the model with the first message. */
  readonly remarks: readonly HookRemark[];
  readonly notices: readonly string[];
  readonly resolve: (need: ModelNeed) => Outcome<ModelChain>;
  readonly released: () => void;
  /** Reports every event of the session from now on, once it is stored. */
  readonly listen: (told: (event: Event) => void) => void;
  readonly lend: (model: SideModel) => void;
}

export function createAgent(agent: AgentParts): Agent {
  const { session, door, context, verifier, notify, resolve } = agent;
  let { chain, remarks } = agent;
  let running: Promise<RunReport> | undefined;
  let run: Run | undefined;
  let closed = false;
  const opening = () => {
    const said = remarks;
    remarks = [];
    return said;
  };
  const parts: LoopParts = { ...agent, chain: () => chain, opening };
  const busy = "A message is still running; interrupt it or wait.";

  agent.lend(createSideModel(parts, () => run));
  agent.listen((event) => {
    run?.facts.fold(event);
    if (event.type === "tool_invocation.started") verifier.started(event.data.intentId);
    else if (event.type === "tool.observed") {
      // Recorded directly after the observation, before anything else changes.
      const drafts = verifier.observed(event.data.observation);
      if (drafts.length > 0) session.log.append(drafts);
    } else if (event.type === "verification.recorded") notify({ kind: "verified", verification: event.data });
    else if (event.type === "tool_intent.proposed") {
      const { intentId, tool, input } = event.data;
      notify({ kind: "proposed", intentId, tool, input });
    } else if (event.type === "tool_intent.revised") {
      const { intentId, hook, input } = event.data;
      notify({ kind: "revised", intentId, hook, input });
    }
  });

  async function perform(
    message: string,
    { readMentions = false, calls = [], piped = "", ...limits }: MessageOptions,
  ): Promise<RunReport> {
    if (session.log.state.pending.size > 0) await door.interrupt("A new message came instead of an answer.");
    run = createRun(parts, narrower(session.settings.run, limits));
    return runTask(parts, run, { text: message, readMentions, calls, piped });
  }

  return {
    sessionId: door.sessionId,
    door,
    notices: agent.notices,
    get isRunning() {
      return running !== undefined;
    },
    get chain() {
      return chain;
    },
    context: () => context.use(chain.models[0]),
    async send(message, options = {}) {
      if (closed) throw new Error("The session is closed.");
      if (running !== undefined) throw new Error(busy);
      running = perform(message, options);
      try {
        return await running;
      } finally {
        running = undefined;
        run = undefined;
      }
    },
    async interrupt(note) {
      await door.interrupt(note);
      await running?.catch(() => {});
    },
    setModel(need) {
      const resolved = resolve(keepBaseUrl(need, chain.models[0]));
      if (!resolved.ok) return resolved;
      chain = resolved.value;
      return ok(chain.models[0].profile);
    },
    async compact() {
      if (running !== undefined) return fail("bad_request", busy);
      const [model] = chain.models;
      const made = await compactHistory(parts, { reason: "asked", model, among: ["turns", "last"] });
      if (!made.ok) return made;
      const { tokensBefore, tokensAfter } = made.value;
      return ok({ tokensBefore, tokensAfter });
    },
    async close() {
      if (closed) return;
      closed = true;
      if (running !== undefined) await door.interrupt("The session is closed.");
      await running?.catch(() => {});
      await door.close();
      agent.released();
    },
  };
}

/** The same log; `told` gets every event once it is stored and folded. */
export function watchLog(log: SessionLog, told: (event: Event) => void): SessionLog {
  const telling = (stored: ReturnType<SessionLog["append"]>) => {
    if (stored.ok) for (const event of stored.value) told(event);
    return stored;
  };
  return {
    ...{ id: log.id, state: log.state },
    append: (drafts) => telling(log.append(drafts)),
    events: (range) => log.events(range),
    hasIntent: (id) => log.hasIntent(id),
    close: () => log.close(),
  };
}
