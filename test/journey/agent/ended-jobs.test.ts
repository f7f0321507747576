import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelRequest } from "../../../src/contract/model.ts";
import { agreeable } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOfType, type OpenedAgent, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const inBackground = (command: string): Answer => ({
  calls: [{ tool: "bash", input: { command, run_in_background: true } }],
});

function notesIn(messages: readonly ModelMessage[] = []): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "user"
      ? message.parts.flatMap((part) => (part.type === "text" && part.text.includes("Background") ? [part.text] : []))
      : [],
  );
}

function jobOf(agent: OpenedAgent): string {
  return eventsOfType(agent, "job.started").at(-1)?.data.jobId ?? "";
}

/** Waits for the end without looking at the job. */
async function ended(agent: OpenedAgent): Promise<void> {
  while (agent.door.state.openJobs.size > 0) await new Promise((resolve) => setImmediate(resolve));
}

describe("the end of a background command", () => {
  test("is told once, as a note of the runtime, with the next request", async () => {
    const model = scripted([inBackground("exit 3"), { text: "It runs." }, { text: "I see." }, { text: "Yes." }]);
    const agent = await openAgent(makeWorkspace({}), model, { onAsk: agreeable() });
    await agent.send("Start it.");
    await ended(agent);
    await agent.send("And now?");
    await agent.send("Sure?");
    const id = jobOf(agent);
    const all = [
      `<runtime-note>\nBackground commands that ended since your last turn:\n- ${id} ended, exit 3; read it with task_output {"id":"${id}"} (exit 3)\n</runtime-note>`,
    ];
    expect(model.requests.slice(2).map(({ messages }) => notesIn(messages))).toEqual([all, all]);
    const noted = eventsOfType(agent, "user.message").filter(({ data }) => data.text.includes("Background"));
    expect(noted.map(({ data }) => data.by)).toEqual(["runtime"]);
  });

  test("is not told to whoever has seen it", async () => {
    const workspace = makeWorkspace({});
    const waits = ({ messages }: ModelRequest): Answer => {
      workspace.write("go", "");
      const id = /job_[0-9a-zA-Z]+/.exec(JSON.stringify(messages.at(-1)))?.[0];
      return { calls: [{ tool: "task_output", input: { id, wait_ms: 60_000 } }] };
    };
    const model = scripted([inBackground("until test -f go; do sleep 0.01; done"), waits, { text: "Done." }]);
    const agent = await openAgent(workspace, model, { onAsk: agreeable() });
    await agent.send("Start it and wait.");
    expect(agent.door.state.openJobs.size).toBe(0);
    expect(notesIn(model.requests.at(-1)?.messages)).toEqual([]);
  });

  test("with the session is told when it goes on, and that the output is gone", async () => {
    const workspace = makeWorkspace({});
    const agent = await openAgent(workspace, [inBackground("sleep 600")], { onAsk: agreeable() });
    await agent.send("Start it.");
    const id = jobOf(agent);
    await agent.close();
    const later = scripted([]);
    const again = await openAgent(workspace, later, { session: agent.sessionId });
    await again.send("And?");
    const [note, ...more] = notesIn(later.requests[0]?.messages);
    expect([note?.includes(`- ${id} was stopped; its output is gone (sleep 600)`), more]).toEqual([true, []]);
  });
});
