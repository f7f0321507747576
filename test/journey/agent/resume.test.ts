import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { eventsOfType, openAgent, pairsAreWhole } from "./open-agent.ts";
import { scripted } from "./scripted-model.ts";

const program = fileURLToPath(new URL("./killed-process.ts", import.meta.url));

/** A real process, killed the hard way at this moment. Gives its session. */
async function killedWhile(workspace: Workspace, moment: string): Promise<string> {
  const child = spawn(process.execPath, [program, workspace.root, workspace.state, workspace.home, moment], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === 2) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return lines[0] ?? "";
}

describe("a session whose process was killed", () => {
  test.each([
    ["the model speaks", []],
    ["a call runs", ["error interrupted", "error interrupted"]],
    ["a person is asked", ["error cancelled"]],
  ])("while %s goes on with the next message", async (moment, ends) => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const session = await killedWhile(workspace, moment);
    const model = scripted([{ text: "I go on." }]);
    const agent = await openAgent(workspace, model, { session });
    expect(agent.door.state.run).toMatchObject({ goal: "Do it." });
    expect(await agent.send("Go on.")).toMatchObject({ stop: "done", answer: "I go on.", turns: 1 });

    const shown = model.requests[0]?.messages ?? [];
    expect(pairsAreWhole(shown)).toBe(true);
    const results = shown.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results.map(({ text }) => text.split(":")[0])).toEqual([
      "Lines 1-1 of 1 of a.txt.\n<untrusted-output>\n1\tone\n</untrusted-output>",
      ...ends,
    ]);
    const texts = shown
      .flatMap((message) => (message.role === "user" ? message.parts : []))
      .flatMap((part) => (part.type === "text" ? [part.text] : []));
    expect(texts.slice(1)).toEqual([
      "Do it.",
      expect.stringMatching(/^<runtime-note>\nThe run was interrupted/),
      "Go on.",
    ]);
    expect(eventsOfType(agent, "run.ended").map(({ data }) => data)).toMatchObject([
      { stop: "interrupted", detail: "Its process ended.", turns: moment === "the model speaks" ? 1 : 2 },
      { stop: "done", turns: 1 },
    ]);
    expect(agent.door.state.openIntents.size).toBe(0);
    expect(agent.archive.verify(session)).toMatchObject({ ok: true, value: [{ ok: true }] });
  });

  test("a question that waited may still be answered before the next message, and its result is the model's", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const session = await killedWhile(workspace, "a person is asked");
    const model = scripted([{ text: "It is written." }]);
    const agent = await openAgent(workspace, model, { session });
    const [request] = agent.door.state.pending.values();
    const answered = agent.door.answer({ request: request?.id ?? "", answer: "allow", by: "test" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({ ok: true });
    expect(await agent.send("Go on.")).toMatchObject({ stop: "done" });
    expect(workspace.read("new.txt")).toBe("x\n");
    const results = model.requests[0]?.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(results?.at(-1)).toMatchObject({ callId: "w", ok: true });
  });
});
