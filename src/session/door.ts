import { safeListener, untilOver } from "../base/async.ts";
import type { CommandTrial, Door } from "../contract/app/door.ts";
import { fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { IntentInput } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { modesByWidth } from "../contract/verdict.ts";
import { sessionEnd } from "../gate/hooks/occasion.ts";
import { turnAllowance } from "../observation/bound-content.ts";
import { propose, runCall } from "./call.ts";
import { explainIntent, listUnlessDenied } from "./explain.ts";
import { lookUp } from "./look-up.ts";
import { projectMenu } from "./menu.ts";
import { type CallState, newIntent, type SessionParts } from "./parts.ts";
import { visibilityContext } from "./question.ts";
import { internalError, refuse, refusedObservation } from "./refusal.ts";
import { resumeCall, withdrawPending } from "./resume.ts";

/** Includes the refusal of an intent that could not be recorded. */
type Proposal = { readonly call: CallState; readonly refusal?: Refusal };

export function openDoor(
  parts: SessionParts,
  { interrupt, trial: ownTrial }: { readonly interrupt: () => void; readonly trial: CommandTrial },
): Door {
  const runtime = { ...parts.runtime, notify: safeListener(parts.runtime.notify) };
  const session: SessionParts = { ...parts, runtime };
  const { log, requests, settings, storage } = session;
  const { registry, servers } = session.tools;
  const running = new Set<Promise<unknown>>();
  let closed = false;

  function track<Value>(work: Promise<Value>): Promise<Value> {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
    return work;
  }

  async function batch(inputs: readonly IntentInput[], trial = ownTrial): Promise<readonly Observation[]> {
    const allowance = turnAllowance(settings.limits.turnChars, inputs.length);
    const interruption = runtime.interruption();
    const overOf = ({ signal }: IntentInput) =>
      signal === undefined ? interruption : AbortSignal.any([interruption, signal]);
    if (servers !== undefined && !closed) {
      // Only a name that may belong to a server waits for that server.
      const unknown = inputs.filter(({ tool }) => registry.find(tool) === undefined);
      await Promise.all(unknown.map((input) => untilOver(servers.prepare(input.tool), overOf(input))));
    }
    const menu = closed ? fail("bad_request", "The session is closed.") : projectMenu(session, {});
    const proposals = inputs.map((input): Proposal => {
      const intent = newIntent(session, input);
      const call = { session, intent, trial, sources: input.sources, allowance, interruption: overOf(input) };
      const admitted = menu.ok ? admission(input) : menu;
      return { call, refusal: admitted.ok ? undefined : { ...admitted.failure, phase: "lookup" } };
    });
    // All are proposed before the first one starts, so the log holds every proposed call even after a crash.
    const starts: (() => Promise<Observation>)[] = [];
    for (const proposal of proposeAll(proposals)) starts.push(await prepare(proposal));
    return Promise.all(starts.map((start) => start()));
  }

  /** In one append; if that fails, one by one, so that one invalid call does not block the others. */
  function proposeAll(proposals: readonly Proposal[]): readonly Proposal[] {
    const admitted = proposals.filter(({ refusal }) => refusal === undefined).map(({ call }) => call);
    if (admitted.length > 1 && propose(admitted).ok) return proposals;
    return proposals.map(({ call, refusal }) => {
      const recorded = refusal === undefined ? propose([call]) : ok(undefined);
      if (recorded.ok) return { call, refusal };
      const { failure } = recorded;
      return { call, refusal: { ...failure, phase: failure.code === "log_unavailable" ? "write_back" : "lookup" } };
    });
  }

  /** Calls enter their lanes in request order, so everything that may take time happens before. */
  async function prepare({ call, refusal }: Proposal): Promise<() => Promise<Observation>> {
    if (refusal !== undefined) return async () => refusedObservation(call, refusal);
    const found = await lookUp(call);
    return () => runCall(call, found).catch((error: unknown) => refuse(call, internalError(error)));
  }

  return {
    sessionId: log.id,
    state: log.state,
    async call(input, trial) {
      const [observation] = await track(batch([input], { ...ownTrial, ...trial }));
      if (observation === undefined) throw new Error("A batch of one gave no observation");
      return observation;
    },
    batch: (inputs) => track(batch(inputs)),
    explain: (input) => track(explainIntent({ session, trial: ownTrial }, newIntent(session, input))),
    answer(answer) {
      if (requests.answer(answer)) return ok({});
      const request = log.state.pending.get(answer.request);
      if (request !== undefined)
        return ok({ resumed: track(resumeCall({ session, trial: ownTrial }, request, answer)) });
      const message = `No pending request ${answer.request}: it was answered, it expired, or it never existed.`;
      return fail("bad_request", message);
    },
    async interrupt(note) {
      const left = [...log.state.pending.values()].filter(({ id }) => !requests.waitsFor(id));
      log.append([{ type: "user.interrupt", data: { note } }]);
      interrupt();
      for (const request of left) withdrawPending({ session, trial: ownTrial }, request);
      await Promise.allSettled(running);
    },
    projectContext: (context) => projectMenu(session, context),
    menu: () => registry.menu(visibilityContext(session)),
    outputSchema: (tool) => registry.find(tool)?.tool.outputJsonSchema,
    servers: () => servers?.status() ?? [],
    resources(server, signal) {
      const read = { tool: "mcp_resources_read", input: { server, uri: "any:" } };
      return listUnlessDenied(session, read, (servers) => servers.listResources(server, signal));
    },
    prompts(server, signal) {
      const get = { tool: "mcp_prompts_get", input: { server, name: "any", values: {} } };
      return listUnlessDenied(session, get, (servers) => servers.listPrompts(server, signal));
    },
    endWatch: async (server, uri) => servers?.endWatch(server, uri),
    redact: storage.redactValue,
    setMode(mode) {
      const from = log.state.mode;
      if (mode === from) return ok(undefined);
      const { modeCeiling } = settings;
      if (modeCeiling !== undefined && modesByWidth.indexOf(mode) > modesByWidth.indexOf(modeCeiling)) {
        return fail("policy_denied", `Managed policy limits the mode to ${modeCeiling}.`);
      }
      const changed = log.append([{ type: "session.mode_changed", data: { from, to: mode, by: "user" } }]);
      return changed.ok ? ok(undefined) : changed;
    },
    async close() {
      if (closed) return;
      closed = true;
      interrupt();
      await Promise.allSettled(running);
      await session.execution.jobs.stopAll();
      await session.hooks?.settle();
      await session.hooks?.tell(sessionEnd("other"));
      await servers?.close();
      await session.execution.sandbox.close?.();
      log.close();
    },
  };
}

function admission(input: IntentInput): Outcome<void> {
  if (typeof input.tool !== "string" || input.tool === "") return fail("bad_request", "An intent needs a tool name.");
  if (input.id === undefined || /^[\x21-\x7e]{1,128}$/.test(input.id)) return ok(undefined);
  return fail("bad_request", "An intent id is 1 to 128 visible ASCII characters without spaces.");
}
