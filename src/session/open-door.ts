import { untilOver } from "../base/async.ts";
import { messageOf } from "../base/text.ts";
import type { Door, Trial } from "../contract/app/door.ts";
import { type Failure, fail, type Outcome, ok, type Phase, type Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { IntentInput, ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { modesByWidth, type PermissionAnswer } from "../contract/verdict.ts";
import { sessionEnd } from "../gate/hooks/occasion.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { carefully } from "./carefully.ts";
import { explainIntent } from "./explain-intent.ts";
import { identify } from "./identify.ts";
import { type Journey, timestamp, visibilityContext } from "./journey.ts";
import { listPrompts, listResources } from "./list-offers.ts";
import { findPending } from "./permission-desk.ts";
import { projectMenu } from "./project-menu.ts";
import { recordRefusal, unrecorded } from "./record-refusal.ts";
import { ownFault } from "./refusals.ts";
import { resumePending, withdrawPending } from "./resume-pending.ts";
import type { Walk } from "./walk.ts";
import { walkIntent } from "./walk-intent.ts";

interface Proposal {
  readonly walk: Walk;
  /** Set when the intent could not even be recorded. */
  readonly refusal?: Refusal;
}

/** The one entrance to a session. */
export function openDoor(parts: Journey, controls: { interrupt(): void }): Door {
  const journey: Journey = { ...parts, notify: carefully(parts.notify) };
  const { log } = journey;
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  function track<Value>(work: Promise<Value>): Promise<Value> {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async function batch(inputs: readonly IntentInput[], trial: Trial = {}): Promise<readonly Observation[]> {
    const allowance = turnAllowance(journey.settings.limits.turnChars, inputs.length);
    const interruption = journey.interruption();
    await awaitServers(inputs, interruption);
    const menu = closed ? fail("bad_request", "The session is closed.") : projectMenu(journey, {});
    // All are proposed before the first one starts: what was asked for is on record whatever happens next.
    const proposals = proposeAll(inputs, { journey: { ...journey, ...trial }, allowance, interruption }, menu);
    const starts: (() => Promise<Observation>)[] = [];
    for (const proposal of proposals) starts.push(await prepare(proposal));
    return Promise.all(starts.map((start) => start()));
  }

  /** A name that only a server can explain waits for that server, and nothing else does. */
  async function awaitServers(inputs: readonly IntentInput[], interruption: AbortSignal): Promise<void> {
    const { registry, servers } = journey;
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
    { journey, allowance, interruption }: Pick<Walk, "journey" | "allowance" | "interruption">,
    menu: Outcome<unknown>,
  ): readonly Proposal[] {
    const proposals = inputs.map((input): Proposal => {
      const walk: Walk = {
        journey,
        intent: newIntent(journey, input),
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

  function recordProposals(walks: readonly Walk[]): Outcome<unknown> {
    try {
      return log.note(walks.map(({ intent }) => proposedEvent(journey, intent)));
    } catch (error) {
      // Only from within this process: whatever came as text has been JSON before.
      return fail("bad_request", `The intent cannot be written as JSON: ${messageOf(error)}`);
    }
  }

  /** Calls enter their lanes in request order, so everything that may take time happens before. */
  async function prepare({ walk, refusal }: Proposal): Promise<() => Promise<Observation>> {
    if (refusal !== undefined) return async () => unrecorded(walk, refusal);
    const identified = await identify(journey, walk.intent, walk.sources);
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
    explain: (input) => track(explainIntent(journey, newIntent(journey, input))),
    answer(answer: PermissionAnswer) {
      if (journey.desk.answer(answer)) return ok({});
      const request = findPending(log, answer.request);
      return request.ok ? ok({ resumed: track(resumePending(journey, request.value, answer)) }) : request;
    },
    async interrupt(note) {
      const left = [...log.state.pending.values()].filter(({ id }) => !journey.desk.waitsFor(id));
      log.append([{ type: "user.interrupt", data: note === undefined ? {} : { note } }]);
      controls.interrupt();
      for (const request of left) withdrawPending(journey, request);
      await Promise.allSettled(underWay);
    },
    projectContext: (context) => projectMenu(journey, context),
    menu: () => journey.registry.menu(visibilityContext(journey)),
    outputSchema: (tool) => journey.registry.find(tool)?.tool.outputJsonSchema,
    servers: () => journey.servers?.status() ?? [],
    resources: (server, signal) => listResources(journey, server, signal),
    prompts: (server, signal) => listPrompts(journey, server, signal),
    endWatch: async (server, uri) => journey.servers?.endWatch(server, uri),
    redact: journey.redactValue,
    setMode(mode) {
      const from = log.state.mode;
      if (mode === from) return ok(undefined);
      const ceiling = journey.settings.modeCeiling;
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
      await journey.jobs.stopAll();
      await journey.hooks?.settle();
      await journey.hooks?.tell(sessionEnd("other"));
      await journey.servers?.close();
      await journey.sandbox.close?.();
      log.close();
    },
  };
}

function phaseOf({ code }: Failure): Phase {
  return code === "log_unavailable" ? "write_back" : "lookup";
}

export function newIntent(journey: Journey, input: IntentInput): ToolIntent {
  return {
    id: input.id ?? journey.ids.next("int"),
    tool: input.tool,
    input: input.input ?? {},
    ...(input.reason === undefined ? {} : { reason: input.reason }),
    origin: input.origin ?? { source: "program" },
    createdAt: timestamp(journey.clock),
  };
}

export function proposedEvent(journey: Journey, intent: ToolIntent): EventDraft {
  return {
    type: "tool_intent.proposed",
    data: {
      intentId: intent.id,
      tool: intent.tool,
      input: intent.input,
      ...(intent.reason === undefined ? {} : { reason: intent.reason }),
      origin: intent.origin,
      createdAt: intent.createdAt,
      menuHash: journey.log.state.menuHash,
    },
  };
}
