import { describe, expect, test } from "vitest";
import type { Elicitation, ElicitationAnswer } from "../../src/contract/server/server.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { npmServer, openServers, textOf } from "./server-session.ts";

const tool = "mcp__everything__trigger-elicitation-request";

async function open(elicit?: (question: Elicitation) => Promise<ElicitationAnswer>) {
  const servers = { everything: npmServer("everything", ["stdio"]) };
  return openServers(makeWorkspace(), servers, {
    allow: ["mcp__everything"],
    ...(elicit === undefined ? {} : { elicit }),
  });
}

describe("a server that wants to know something from the person", () => {
  test("is answered by them, and the log has the question and not the answer", async () => {
    const questions: Elicitation[] = [];
    const session = await open(async (question) => {
      questions.push(question);
      return { action: "accept", content: { name: "Ada Lovelace-Answer", check: true } };
    });
    const answered = await session.call(tool);
    expect(textOf(answered)).toContain("Ada Lovelace-Answer");
    expect(questions).toMatchObject([{ server: "everything", ask: { mode: "form" } }]);
    const asked = session.facts("server.elicited");
    expect(asked).toMatchObject([{ server: "everything", mode: "form", message: questions[0]?.message }]);
    expect(session.facts("server.elicitation_answered")).toEqual([
      { elicitation: asked[0]?.elicitation, action: "accept" },
    ]);
    const around = session.events().filter(({ type }) => type.startsWith("server.elicit"));
    expect(JSON.stringify(around)).not.toContain("Ada");
  });

  test.each(["decline", "cancel"] as const)("learns that they %s", async (action) => {
    const session = await open(async () => ({ action }));
    expect(await session.call(tool)).toMatchObject({ ok: true });
    expect(session.facts("server.elicitation_answered")).toMatchObject([{ action }]);
  });

  test("learns that nobody is there", async () => {
    const session = await open();
    await session.call(tool);
    expect(session.facts("server.elicitation_answered")).toMatchObject([{ action: "decline" }]);
  });

  test("whoever should ask and fails has not agreed", async () => {
    const session = await open(() => Promise.reject(new Error("no terminal")));
    await session.call(tool);
    expect(session.facts("server.elicitation_answered")).toMatchObject([{ action: "cancel" }]);
  });
});
