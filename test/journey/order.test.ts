import fc from "fast-check";
import { expect, test } from "vitest";
import { codes } from "../../src/contract/codes.ts";
import { type Event, eventSchemas } from "../../src/contract/events/index.ts";
import { observation as observationSchema } from "../../src/contract/observation.ts";
import type { PermissionRequest } from "../../src/contract/verdict.ts";
import { eventsOf, openGauntlet, plain, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** How an intent may run through the stages: whatever is refused shows the prefix that it reached. */
const order = new RegExp(
  "^tool_intent.proposed( tool_invocation.queued)?" +
    "( tool_intent.checked permission.decided( permission.requested permission.answered)?)?" +
    "( tool_invocation.started( permission.requested permission.answered)* tool_invocation.ended| tool_intent.refused)" +
    " tool.observed$",
);

const intent = fc.constantFrom(
  { tool: "read", input: { path: "known.txt" } },
  { tool: "read", input: { path: "other.txt", limit: 1 } },
  { tool: "read", input: { path: "missing.txt" } },
  { tool: "read", input: { path: ".env" } },
  { tool: "read", input: { path: "../outside.txt" } },
  { tool: "read", input: { path: 3 } },
  { tool: "Read", input: { file_path: "known.txt" } },
  { tool: "raed", input: {} },
  { tool: "list", input: { path: "." } },
  { tool: "grep", input: { pattern: "line" } },
  { tool: "edit", input: { path: "known.txt", old_string: "first", new_string: "FIRST" } },
  { tool: "edit", input: { path: "known.txt", old_string: "line", new_string: "LINE" } },
  { tool: "edit", input: { path: "other.txt", old_string: "line", new_string: "LINE" } },
  { tool: "write", input: { path: "made.txt", content: "made\n" } },
  { tool: "delete", input: { path: "other.txt" } },
  { tool: "bash", input: { command: "true" } },
  { tool: "bash", input: { command: "cat known.txt; exit 3" } },
  { tool: "bash", input: { command: "echo made > by-command.txt" } },
  { tool: "bash", input: { command: "cat .env" } },
  { tool: "bash", input: { command: "if" } },
  { tool: "task_output", input: { id: "job_none" } },
);
const replies = fc.array(fc.constantFrom("allow" as const, "deny" as const, "unavailable" as const), { minLength: 1 });

test("every intent of any batch ends in exactly one observation, in order, and the log folds to the live state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(intent, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 2 }),
      replies,
      async (batches, answers) => {
        const workspace = makeWorkspace({
          "known.txt": "first line\nsecond line\n",
          "other.txt": "a line\n",
          ".env": "KEY=value\n",
        });
        let asked = 0;
        const gauntlet = await openGauntlet(workspace, {
          onAsk: async (request: PermissionRequest) => {
            const answer = answers[asked++ % answers.length] ?? "unavailable";
            return answer === "unavailable" ? answer : { request: request.id, answer, by: "test" };
          },
        });
        await gauntlet.call({ tool: "read", input: { path: "known.txt" } });
        for (const [turn, intents] of batches.entries()) {
          const ids = intents.map((_, index) => `turn-${turn}-${index}`);
          const observations = await gauntlet.batch(
            intents.map((one, index) => ({ ...one, id: `turn-${turn}-${index}` })),
          );
          expect(observations.map(({ intentId }) => intentId)).toEqual(ids);
          const events = eventsOf(gauntlet);
          for (const observation of observations) {
            expect(observationSchema().parse(observation)).toEqual(observation);
            expect(typesOf(events, observation.intentId).join(" ")).toMatch(order);
            expect(events.find(({ id }) => id === observation.auditId)).toMatchObject({
              type: "tool.observed",
              data: { intentId: observation.intentId, observation: plain(observation) },
            });
            const started = typesOf(events, observation.intentId).includes("tool_invocation.started");
            if (!started) expect(observation.effects).toMatchObject({ happened: "nothing", seen: [] });
            expect(observation.retryable).toBe(codes[observation.code].retryable);
            expect(gauntlet.archive.why(observation.auditId)).toMatchObject({ ok: true });
          }
        }
        const replayed = gauntlet.archive.replay(gauntlet.session.sessionId);
        if (!replayed.ok) throw new Error(replayed.failure.message);
        expect(plain(replayed.value.state)).toEqual(plain(gauntlet.session.state));
        expect(gauntlet.session.state).toMatchObject({ openIntents: new Map(), openInvocations: new Map() });
        expect(eventsOf(gauntlet).flatMap(problemsOf)).toEqual([]);
        await gauntlet.close();
      },
    ),
    { numRuns: 30 },
  );
});

function problemsOf(event: Event): readonly string[] {
  const checked = eventSchemas()[event.type].safeParse(event.data);
  return checked.success ? [] : [`${event.type}: ${checked.error.message}`];
}
