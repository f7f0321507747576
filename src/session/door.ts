import { safeListener, untilOver } from "../base/async.ts";
import { messageOf } from "../base/text.ts";
import type { Door, Trial } from "../contract/app/door.ts";
import { type Failure, fail, type Outcome, ok, type Phase, type Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { IntentInput, ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { modesByWidth, type PermissionAnswer } from "../contract/verdict.ts";
import { sessionEnd } from "../gate/hooks/occasion.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { walkIntent } from "./call.ts";
import { explainIntent, listPrompts, listResources } from "./explain.ts";
import { identify } from "./look-up.ts";
import { projectMenu } from "./menu.ts";
import { type CallState, type SessionParts, timestamp, visibilityContext } from "./parts.ts";
import { findPending } from "./permission-queue.ts";
import { ownFault, recordRefusal, unrecorded } from "./refusal.ts";
import { resumePending, withdrawPending } from "./resume.ts";

interface Proposal {
  readonly walk: CallState;
  /** Set when the intent could not even be recorded. */
  readonly refusal?: Refusal;
}

/** The one entrance to a session. */
export function openDoor(parts: SessionParts, controls: { interrupt(): void }): Door {
  const session: SessionParts = { ...parts, notify: safeListener(parts.notify) };
  const { log } = session;
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  function track<Value>(work: Promise<Value>): Promise<Value> {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async function batch(inputs: readonly IntentInput[], trial: Trial = {}): Promise<readonly Observation[]> {
    const allowance = turnAllowance(session.settings.limits.turnChars, inputs.length);
    const interruption = session.interruption();
    await awaitServers(inputs, interruption);
    const menu = closed ? fail("bad_request", "The session is closed.") : projectMenu(session, {});
    // All are proposed before the first one starts: what was asked for is on record whatever happens next.
    const proposals = proposeAll(inputs, { session: { ...session, ...trial }, allowance, interruption }, menu);
    const starts: (() => Promise<Observation>)[] = [];
    for (const proposal of proposals) starts.push(await prepare(proposal));
    return Promise.all(starts.map((start) => start()));
  }

  /** A name that only a server can explain waits for that server, and nothing else does. */
  async function awaitServers(inputs: readonly IntentInput[], interruption: AbortSignal): Promise<void> {
    const { registry, servers } = session;
    if (servers === undefined || closed) return;
    const unknown = inputs.filter(({ tool }) => registry.find(tool) === undefined);
    const waiting = unknown.map(({ tool, signal }) => {
      const over = signal === undefined ? interruption : AbortSignal.any([interruption, signal]);
      return untilOver(servers.prepare(tool), over);
    });
    await Promise.all(waiting);
  }

  /** In one append; when that cannot be, each by itself, so that one of them does not keep the others out. */
  function proposeAll(
    inputs: readonly IntentInput[],
    { session, allowance, interruption }: Pick<CallState, "session" | "allowance" | "interruption">,
    menu: Outcome<unknown>,
  ): readonly Proposal[] {
    const proposals = inputs.map((input): Proposal => {
      const walk: CallState = {
        session,
        intent: newIntent(session, input),
        ...(input.sources === undefined ? {} : { sources: input.sources }),
        allowance,
        interruption: input.signal === undefined ? interruption : AbortSignal.any([interruption, input.signal]),
      };
      const admitted = menu.ok ? admission(input) : menu;
      return admitted.ok ? { walk } : { walk, refusal: { ...admitted.failure, phase: "lookup" } };
    });
    const admitted = proposals.filter(({ refusal }) => refusal === undefined).map(({ walk }) => walk);
    if (admitted.length > 1 && recordProposals(admitted).ok) return proposals;
    return proposals.map((proposal) => {
      if (proposal.refusal !== undefined) return proposal;
      const { walk } = proposal;
      const recorded = recordProposals([walk]);
      return recorded.ok ? proposal : { walk, refusal: { ...recorded.failure, phase: phaseOf(recorded.failure) } };
    });
  }

  function recordProposals(walks: readonly CallState[]): Outcome<unknown> {
    try {
      return log.note(walks.map(({ intent }) => proposedEvent(session, intent)));
    } catch (error) {
      // Only from within this process: whatever came as text has been JSON before.
      return fail("bad_request", `The intent cannot be written as JSON: ${messageOf(error)}`);
    }
  }

  /** Calls enter their lanes in request order, so everything that may take time happens before. */
  async function prepare({ walk, refusal }: Proposal): Promise<() => Promise<Observation>> {
    if (refusal !== undefined) return async () => unrecorded(walk, refusal);
    const identified = await identify(session, walk.intent, walk.sources);
    return async () => {
      try {
        return await walkIntent(walk, identified);
      } catch (error) {
        return recordRefusal(walk, ownFault(error), []);
      }
    };
  }

  function admission(input: IntentInput): Outcome<void> {
    if (typeof input.tool !== "string" || input.tool === "") return fail("bad_request", "An intent needs a tool name.");
    if (input.id === undefined) return ok(undefined);
    if (!/^[\x21-\x7e]{1,128}$/.test(input.id)) {
      return fail("bad_request", "An intent id is 1 to 128 visible ASCII characters without spaces.");
    }
    return ok(undefined);
  }

  return {
    sessionId: log.id,
    state: log.state,
    async call(input, trial) {
      const [observation] = await track(batch([input], trial));
      if (observation === undefined) throw new Error("A batch of one gave no observation");
      return observation;
    },
    batch: (inputs) => track(batch(inputs)),
    explain: (input) => track(explainIntent(session, newIntent(session, input))),
    answer(answer: PermissionAnswer) {
      if (session.desk.answer(answer)) return ok({});
      const request = findPending(log, answer.request);
      return request.ok ? ok({ resumed: track(resumePending(session, request.value, answer)) }) : request;
    },
    async interrupt(note) {
      const left = [...log.state.pending.values()].filter(({ id }) => !session.desk.waitsFor(id));
      log.append([{ type: "user.interrupt", data: note === undefined ? {} : { note } }]);
      controls.interrupt();
      for (const request of left) withdrawPending(session, request);
      await Promise.allSettled(underWay);
    },
    projectContext: (context) => projectMenu(session, context),
    menu: () => session.registry.menu(visibilityContext(session)),
    outputSchema: (tool) => session.registry.find(tool)?.tool.outputJsonSchema,
    servers: () => session.servers?.status() ?? [],
    resources: (server, signal) => listResources(session, server, signal),
    prompts: (server, signal) => listPrompts(session, server, signal),
    endWatch: async (server, uri) => session.servers?.endWatch(server, uri),
    redact: session.redactValue,
    setMode(mode) {
      const from = log.state.mode;
      if (mode === from) return ok(undefined);
      const ceiling = session.settings.modeCeiling;
      if (ceiling !== undefined && modesByWidth.indexOf(mode) > modesByWidth.indexOf(ceiling)) {
        return fail("policy_denied", `Managed policy allows no wider mode than ${ceiling}.`);
      }
      const changed = log.append([{ type: "session.mode_changed", data: { from, to: mode, by: "user" } }]);
      return changed.ok ? ok(undefined) : changed;
    },
    async close() {
      if (closed) return;
      closed = true;
      controls.interrupt();
      await Promise.allSettled(underWay);
      await session.jobs.stopAll();
      await session.hooks?.settle();
      await session.hooks?.tell(sessionEnd("other"));
      await session.servers?.close();
      await session.sandbox.close?.();
      log.close();
    },
  };
}

function phaseOf({ code }: Failure): Phase {
  return code === "log_unavailable" ? "write_back" : "lookup";
}

export function newIntent(session: SessionParts, input: IntentInput): ToolIntent {
  return {
    id: input.id ?? session.ids.next("int"),
    tool: input.tool,
    input: input.input ?? {},
    ...(input.reason === undefined ? {} : { reason: input.reason }),
    origin: input.origin ?? { source: "program" },
    createdAt: timestamp(session.clock),
  };
}

export function proposedEvent(session: SessionParts, intent: ToolIntent): EventDraft {
  return {
    type: "tool_intent.proposed",
    data: {
      intentId: intent.id,
      tool: intent.tool,
      input: intent.input,
      ...(intent.reason === undefined ? {} : { reason: intent.reason }),
      origin: intent.origin,
      createdAt: intent.createdAt,
      menuHash: session.log.state.menuHash,
    },
  };
}
