import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../../src/contract/tool.ts";
import { agreeable, eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

describe("what a model was shown", () => {
  test("the menu by name and schema hash, the exact input by artifact, and the audit finds both", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace);
    const modelInput = JSON.stringify({ system: "be brief", messages: [{ role: "user", content: "read a.txt" }] });
    const projected = gauntlet.session.projectContext({ turnId: "turn_1", modelInput: { added: modelInput } });
    if (!projected.ok) throw new Error(projected.failure.message);
    const origin = { source: "model", turnId: "turn_1", modelMessageId: "msg_1" } as const;
    const observation = await gauntlet.call({ id: "r", tool: "read", input: { path: "a.txt" }, origin });

    const events = eventsOf(gauntlet);
    const shown = events.find((event) => event.type === "context.projected");
    expect(shown?.data).toMatchObject({ turnId: "turn_1", menuHash: projected.value.menuHash });
    const menu = shown?.type === "context.projected" ? (shown.data.menu ?? []) : [];
    expect(menu.map((entry) => entry.name)).toContain("read");
    expect(menu.every((entry) => /^[0-9a-f]{64}$/.test(entry.schemaHash))).toBe(true);
    const proposed = events.find((event) => event.type === "tool_intent.proposed");
    expect(proposed?.data).toMatchObject({ origin, menuHash: projected.value.menuHash, createdAt: expect.any(String) });

    const why = gauntlet.archive.why(observation.auditId);
    const answers = why.ok ? why.value.questions.map(({ answer }) => answer).join("\n") : "";
    expect(answers).toContain("be brief");
    expect(answers).toContain("turn turn_1");
  });

  test("an input that continues another is kept without repeating it, and can be read as a whole", async () => {
    const gauntlet = await openGauntlet(makeWorkspace());
    const project = (turnId: string, added: string, continues?: { readonly hash: string; readonly total: number }) => {
      const modelInput = { added, ...(continues === undefined ? {} : { continues }) };
      const projected = gauntlet.session.projectContext({ turnId, modelInput });
      if (!projected.ok || projected.value.input === undefined) throw new Error("The input was not recorded");
      return projected.value.input;
    };
    const first = project("turn_1", "system\n");
    const second = project("turn_2", "user: ä\n", first);
    project("turn_3", "tool: ok\n", second);
    const read = (turnId: string) => gauntlet.archive.modelInput(gauntlet.session.sessionId, turnId);
    expect([read("turn_1"), read("turn_2"), read("turn_3")]).toEqual([
      { ok: true, value: "system\n" },
      { ok: true, value: "system\nuser: ä\n" },
      { ok: true, value: "system\nuser: ä\ntool: ok\n" },
    ]);
    expect(read("turn_4")).toMatchObject({ ok: false, failure: { code: "bad_request" } });
    const recorded = eventsOf(gauntlet).flatMap((event) =>
      event.type === "context.projected" ? [event.data.modelInput] : [],
    );
    expect(recorded.map((input) => [input?.bytes, input?.total, input?.continues])).toEqual([
      [7, 7, undefined],
      [9, 16, first.hash],
      [9, 25, second.hash],
    ]);
  });

  test("a menu that changed with the mode is recorded again, an unchanged one is not", async () => {
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "one\n" }));
    const read = { tool: "read", input: { path: "a.txt" } };
    await gauntlet.call(read);
    await gauntlet.call(read);
    expect(gauntlet.session.setMode("plan")).toEqual({ ok: true, value: undefined });
    await gauntlet.call(read);
    const menus = eventsOf(gauntlet).flatMap((event) =>
      event.type === "context.projected" && event.data.menu !== undefined ? [event.data.menu] : [],
    );
    expect(menus.map((menu) => menu.some((entry) => entry.name === "write"))).toEqual([true, false]);
    expect(await gauntlet.call({ tool: "write", input: { path: "b.txt", content: "x" } })).toMatchObject({
      code: "tool_not_visible",
    });
  });
});

describe("a call and the task it belongs to", () => {
  const reviewer = defineTool<object>({
    name: "reviewer",
    version: "1",
    description: "Only for reviews.",
    family: "other",
    risks: ["read"],
    input: z.strictObject({}),
    visible: ({ phase }) =>
      phase === "review" ? { visible: true } : { visible: false, reason: "it is offered in the review phase only" },
    effects: () => ({ effects: [{ op: "session", what: "review" }] }),
    run: async () => ({ ok: true, data: {} }),
  });

  test("a tool is offered in its phase and refused in every other", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), { tools: [reviewer], onAsk: agreeable() });
    const call = { tool: "reviewer", input: {} };
    expect(await gauntlet.call(call)).toMatchObject({ code: "tool_not_visible" });
    gauntlet.session.projectContext({ phase: "review" });
    expect(gauntlet.session.state.phase).toBe("review");
    expect(await gauntlet.call(call)).toMatchObject({ ok: true });
    gauntlet.session.projectContext({ phase: "implement" });
    expect(await gauntlet.call(call)).toMatchObject({ code: "tool_not_visible" });
  });

  test("who watches is told what this very call does", async () => {
    const titles: string[] = [];
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "one\n" }), {
      onNotice: (notice) => void (notice.kind === "started" && titles.push(notice.title)),
    });
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "bash", input: { command: "ls", description: "Look around" } });
    expect(titles).toEqual(["Read a.txt", "ls (Look around)"]);
  });
});

describe("what a tool says of itself beside its effects", () => {
  function flagged(extra: Partial<Parameters<typeof defineTool<object>>[0]>): Tool {
    return defineTool<object>({
      name: "flagged",
      version: "1",
      description: "Has flags.",
      family: "other",
      risks: ["read"],
      input: z.strictObject({}),
      effects: () => ({ effects: [{ op: "session", what: "flags" }] }),
      run: async () => ({ ok: true, data: {} }),
      ...extra,
    });
  }
  const allowed = { settings: { permissions: { defaultMode: "bypass" } } } as const;

  test("one that needs the user never runs where there is none, in no mode", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), { ...allowed, tools: [flagged({ requiresUser: true })] });
    expect(await gauntlet.call({ tool: "flagged", input: {} })).toMatchObject({
      code: "approval_unavailable",
      permission: { source: "tool_limit" },
    });
  });

  test("a deletion that a rule names is allowed to the tool as to the shell", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "two\n" });
    const gauntlet = await openGauntlet(workspace, {
      settings: { permissions: { allow: ["Delete(/a.txt)", "Delete(/b.txt)"] } },
    });
    expect(await gauntlet.call({ tool: "delete", input: { path: "a.txt" } })).toMatchObject({ ok: true });
    expect(await gauntlet.call({ tool: "bash", input: { command: "rm b.txt" } })).toMatchObject({ ok: true });
  });

  test("a destructive call counts as R4, a read-only one that declares a change as unknown", async () => {
    const onAsk = agreeable();
    const destructive = await openGauntlet(makeWorkspace(), { onAsk, tools: [flagged({ destructive: () => true })] });
    expect(await destructive.call({ tool: "flagged", input: {} })).toMatchObject({
      ok: true,
      permission: { risk: "R4" },
    });
    const contradiction = flagged({
      readOnly: () => true,
      effects: () => ({ effects: [{ op: "exec", program: "x", argv: [] }] }),
    });
    const contradicting = await openGauntlet(makeWorkspace(), { onAsk, tools: [contradiction] });
    const observation = await contradicting.call({ tool: "flagged", input: {} });
    expect(observation.effects.declared).toContainEqual({
      op: "unknown",
      why: "the tool claims to be read-only but declares a change",
    });
  });
});
