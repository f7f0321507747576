import { describe, expect, it } from "vitest";
import { appWithDoor, type DoorScript, observationOf, requestOf, run } from "../../../test/support/surface.ts";
import { fail, ok } from "../../contract/codes.ts";

async function pipe(input: readonly string[], script: DoorScript = {}, flags: readonly string[] = []) {
  const ran = await run(["pipe", ...flags], { app: appWithDoor(script), stdin: input });
  return {
    ...ran,
    replies: ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
}

const read = (id: string) => `{"id":"${id}","tool":"read","input":{"path":"a"}}\n`;

describe("gauntlet pipe", () => {
  it("answers each intent with one Observation line, in order", async () => {
    const uses: string[] = [];
    const ran = await pipe([read("a"), read("b")], { uses });
    expect(ran.replies).toEqual([
      observationOf({ id: "a", tool: "read", input: { path: "a" } }),
      observationOf({ id: "b", tool: "read", input: { path: "a" } }),
    ]);
    expect([ran.code, ran.stderr]).toEqual([0, "session ses_1\n"]);
    expect(uses.slice(1)).toEqual(["call read", "call read", "close"]);
  });

  it("says at its end which rules would have made the questions needless, each once", async () => {
    const unanswered = (suggestedRules: readonly string[]) => ({
      ok: false,
      status: "denied" as const,
      code: "approval_unavailable" as const,
      permission: {
        decision: "ask" as const,
        reason: "asks",
        source: "mode" as const,
        risk: "R3" as const,
        ...(suggestedRules.length === 0 ? {} : { suggestedRules: [...suggestedRules] }),
      },
    });
    const needed = new Map([
      ["a", ["Bash(a)", "Edit(/x)"]],
      ["b", ["Bash(a)"]],
      ["c", []],
    ]);
    const ran = await pipe([read("a"), read("b"), read("c"), read("d")], {
      call: async (intent) => {
        const rules = needed.get(intent.id ?? "");
        return observationOf(intent, rules === undefined ? {} : unanswered(rules));
      },
    });
    expect([ran.code, ran.replies.length, ran.stderr.split("\n")]).toEqual([
      0,
      4,
      [
        "session ses_1",
        "3 calls needed approval, and no user could be asked.",
        "To allow them, add to /home/ada/.gauntlet/projects/here/settings.json:",
        '{"permissions":{"allow":["Bash(a)","Edit(/x)"]}}',
        "No rule can allow 1 of them: a user must approve each call.",
        "",
      ],
    ]);
  });

  it("takes an array as one batch and answers in request order", async () => {
    const uses: string[] = [];
    const ran = await pipe(['[{"id":"x","tool":"read","input":1},{"id":"y","tool":"list","input":2}]\n'], { uses });
    expect(ran.replies.map((reply) => reply.intentId)).toEqual(["x", "y"]);
    expect(uses[1]).toBe("batch 2");
  });

  it("takes a line without its end, lines in pieces, CRLF and blank lines", async () => {
    const ran = await pipe([
      '{"id":"a","tool":"re',
      'ad","input":{}}\r\n\n  \n{"id":"b",',
      '"tool":"read","input":{}}',
    ]);
    expect(ran.replies.map((reply) => reply.intentId)).toEqual(["a", "b"]);
  });

  it.each([
    ["not JSON", "{nope", /^Line 2: not JSON: /],
    ["no object", "7", "Line 2: Invalid input: expected object, received number"],
    ["no tool", '{"input":{}}', "Line 2: tool: is missing"],
    ["no input", '{"tool":"read"}', "Line 2: input: is missing"],
    ["an unknown key", '{"tool":"read","input":{},"arguments":{}}', 'Line 2: Unrecognized key: "arguments"'],
    ["an empty id", '{"id":"","tool":"read","input":{}}', /^Line 2: id: Too small/],
    ["an empty batch", "[]", "Line 2: an empty batch"],
    [
      "a batch with one bad intent",
      '[{"tool":"read","input":{}},5]',
      "Line 2: [1]: Invalid input: expected object, received number",
    ],
    ["a bad answer", '{"answer":"maybe","request":"r"}', /^Line 2: answer: Invalid option/],
    [
      "a bomb",
      `{"tool":"read","input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "Line 2: nested deeper than 200 levels",
    ],
  ])("answers %s with an error line and goes on", async (_name, line, message) => {
    const uses: string[] = [];
    const ran = await pipe([read("a"), `${line}\n`, read("b")], { uses });
    expect(ran.code).toBe(0);
    expect(ran.replies[1]).toMatchObject({
      ok: false,
      code: "bad_request",
      line: 2,
      message: typeof message === "string" ? message : expect.stringMatching(message),
      recovery: expect.any(String),
    });
    expect(ran.replies.map((reply) => reply.intentId)).toEqual(["a", undefined, "b"]);
    expect(uses.slice(1)).toEqual(["call read", "call read", "close"]);
  });

  it("names the intent whose line was bad when it can", async () => {
    expect((await pipe(['{"id":"q","tool":5,"input":{}}\n'])).replies[0]).toMatchObject({ intentId: "q", line: 1 });
  });

  it("bounds a line and goes on behind it", async () => {
    function* input() {
      yield '{"tool":"write","input":"';
      for (let megabyte = 0; megabyte < 9; megabyte++) yield "x".repeat(1024 * 1024);
      yield `"}\n${read("b")}`;
    }
    const ran = await run(["pipe"], { app: appWithDoor({}), stdin: input() });
    const replies = ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(replies).toMatchObject([
      { ok: false, line: 1, message: "Line 1: longer than 8388608 bytes" },
      { ok: true, intentId: "b" },
    ]);
  });

  it("refuses bytes that are no text", async () => {
    const chunks = [Buffer.from('{"tool":"read","input":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')];
    const ran = await run(["pipe"], { app: appWithDoor({}), stdin: chunks });
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, line: 1, message: "Line 1: not valid UTF-8" });
  });

  it("does not read on while a call runs", async () => {
    let pulled = 0;
    async function* input() {
      for (; pulled < 50; pulled++) yield read(`i${pulled}`);
    }
    const seen: number[] = [];
    const app = appWithDoor({
      call: async (intent) => {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(pulled);
        return observationOf(intent);
      },
    });
    await run(["pipe"], { app, stdin: input() });
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it("ends with 130 when nobody reads any more, with the door closed", async () => {
    const uses: string[] = [];
    const ran = await run(["pipe"], {
      app: appWithDoor({ uses }),
      stdin: [read("a"), read("b"), read("c")],
      closesAfter: 1,
    });
    expect([ran.code, uses.slice(1)]).toEqual([130, ["call read", "call read", "close"]]);
  });

  it("ends with 130 on a signal: the running call is interrupted and answered, the rest is not begun", async () => {
    const uses: string[] = [];
    let interrupt = () => {};
    let cancel = () => {};
    const app = appWithDoor({
      uses,
      call: (intent) =>
        new Promise((resolve) => {
          cancel = () => resolve(observationOf(intent, { ok: false, code: "cancelled", status: "error" }));
          interrupt();
        }),
      interrupt: () => cancel(),
    });
    const ran = await run(["pipe"], {
      app,
      stdin: [read("a"), read("b")],
      onStart: (send) => {
        interrupt = send;
      },
    });
    expect([ran.code, uses.slice(1)]).toEqual([130, ["call read", "interrupt", "close"]]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ intentId: "a", code: "cancelled" });
  });

  it("ends with 130 on a signal while it waits for input", async () => {
    const uses: string[] = [];
    let interrupt = () => {};
    async function* silence() {
      interrupt();
      await new Promise(() => {});
      yield "";
    }
    const ran = await run(["pipe"], {
      app: appWithDoor({ uses }),
      stdin: silence(),
      onStart: (send) => {
        interrupt = send;
      },
    });
    expect([ran.code, ran.stdout, uses.slice(1)]).toEqual([130, "", ["interrupt", "close"]]);
  });

  it("says on both channels when the door cannot be opened", async () => {
    const ran = await run(["pipe"], { app: { openDoor: async () => fail("log_unavailable", "The disk is full.") } });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, code: "log_unavailable", message: "The disk is full." });
    expect(ran.stderr).toContain("The disk is full.");
  });
});

describe("gauntlet pipe --on-ask wait", () => {
  /** Asks for each id that the intent's input names, and answers with what it heard. */
  const asking: DoorScript = {
    call: async (intent, options) => {
      const ids = Array.isArray(intent.input) ? intent.input.map(String) : [];
      const heard = await Promise.all(
        ids.map((id) => options.ask?.(requestOf(id), new AbortController().signal) ?? "unavailable"),
      );
      return observationOf(intent, { data: { heard } });
    },
  };

  async function heard(input: Iterable<string>, onLine?: (line: string) => void) {
    const ran = await run(["pipe", "--on-ask", "wait"], {
      app: appWithDoor(asking),
      stdin: input,
      ...(onLine === undefined ? {} : { onLine }),
    });
    return ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .map((reply) =>
        reply.type === "permission_request"
          ? `asks ${reply.request.id}`
          : (reply.data?.heard ?? reply.message ?? reply),
      );
  }

  const ask = (...ids: string[]) => `${JSON.stringify({ tool: "bash", input: ids })}\n`;
  const allow = (request: string) => `${JSON.stringify({ answer: "allow", request })}\n`;

  it("prints the question and takes its answer", async () => {
    expect(await heard([ask("r1"), allow("r1")])).toEqual(["asks r1", [{ answer: "allow", request: "r1" }]]);
  });

  it("keeps intents that come before the answer, in their order", async () => {
    const denyLine = '{"answer":"deny","request":"r1","message":"no","remember":"once"}\n';
    expect(await heard([ask("r1"), ask(), "bad\n", ask("r2"), denyLine, allow("r2")])).toEqual([
      "asks r1",
      [{ answer: "deny", request: "r1", message: "no", remember: "once" }],
      [],
      expect.stringMatching(/^Line 3: not JSON/),
      "asks r2",
      [{ answer: "allow", request: "r2" }],
    ]);
  });

  it.each([
    ["no choice", '{"answer":"maybe","request":"r1"}', /^Line 2: answer: Invalid option/],
    ["no request", '{"answer":"allow"}', "Line 2: request: is missing"],
    ["no answer", '{"request":"r1"}', /^Line 2: answer: Invalid option/],
    ["another key", '{"answer":"allow","request":"r1","why":1}', 'Line 2: Unrecognized key: "why"'],
    ["broken JSON", '{"answer":"allow","request":"r1"', /^Line 2: not JSON/],
    ["an unknown request", '{"answer":"allow","request":"r9"}', "Line 2: there is no open question with the id r9"],
  ])("answers %s at once, and the question stays open", async (_name, line, message) => {
    let answered: (value: unknown) => void = () => {};
    const reply = new Promise((resolve) => {
      answered = resolve;
    });
    async function* input() {
      yield ask("r1");
      yield `${line}\n`;
      await reply;
      yield allow("r1");
    }
    const ran = await run(["pipe", "--on-ask", "wait"], {
      app: appWithDoor(asking),
      stdin: input(),
      onLine: (said) => {
        if (said.includes("bad_request")) answered(said);
      },
    });
    const replies = ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text));
    expect(replies).toMatchObject([
      { type: "permission_request" },
      {
        ok: false,
        code: "bad_request",
        line: 2,
        message: typeof message === "string" ? message : expect.stringMatching(message),
      },
      { data: { heard: [{ answer: "allow", request: "r1" }] } },
    ]);
  });

  it("keeps an answer to what an earlier process asked until its turn", async () => {
    const left = observationOf({ id: "left", tool: "bash", input: {} });
    const app = appWithDoor({
      ...asking,
      state: { pending: new Map([["req_old", requestOf("req_old")]]) },
      answer: () => ok({ resumed: Promise.resolve(left) }),
    });
    const stdin = [ask("r1"), allow("req_old"), allow("r1")];
    const ran = await run(["pipe", "--on-ask", "wait"], { app, stdin });
    const replies = ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text));
    expect(replies).toMatchObject([{ type: "permission_request" }, { data: { heard: [{ request: "r1" }] } }, left]);
  });

  it("asks several at once and takes the answers in any order", async () => {
    expect(await heard([ask("r1", "r2"), allow("r2"), allow("r1")])).toEqual([
      "asks r1",
      "asks r2",
      [
        { answer: "allow", request: "r1" },
        { answer: "allow", request: "r2" },
      ],
    ]);
  });

  it("never waits for an answer that cannot come: the input ended", async () => {
    expect(await heard([ask("r1")])).toEqual(["asks r1", ["unavailable"]]);
  });

  it("never reads ahead without bound, and loses no line", async () => {
    const replies = await heard([ask("r1"), ...Array.from({ length: 3_000 }, () => ask()), allow("r1")]);
    expect(replies[1]).toEqual(["unavailable"]);
    expect(replies.length).toBe(2 + 3_000 + 1);
    expect(replies.at(-1)).toBe("No such request.");
  });

  it("hands an answer that nothing here waits for to the door, and answers with what became of the call", async () => {
    const answers: unknown[] = [];
    const left = observationOf({ id: "left", tool: "bash", input: {} });
    const ran = await pipe([allow("req_old"), allow("req_known")], {
      answer: (answer) => {
        answers.push(answer.request);
        return ok(answer.request === "req_old" ? { resumed: Promise.resolve(left) } : {});
      },
    });
    expect(answers).toEqual(["req_old", "req_known"]);
    expect(ran.replies).toEqual([left, { type: "permission_answered", request: "req_known" }]);
  });

  it("cannot ask without the flag", async () => {
    expect((await pipe([ask("r1"), allow("r1")], asking)).replies).toMatchObject([
      { data: { heard: ["unavailable"] } },
      { ok: false, code: "bad_request", line: 2 },
    ]);
  });

  it("gives up a question that was withdrawn, and reads on", async () => {
    const withdrawn = new AbortController();
    const app = appWithDoor({
      call: async (intent, options) => {
        if (intent.tool !== "bash") return observationOf(intent);
        const answer = options.ask?.(requestOf("r1"), withdrawn.signal);
        withdrawn.abort();
        return observationOf(intent, { data: { heard: await answer } });
      },
    });
    const ran = await run(["pipe", "--on-ask", "wait"], { app, stdin: [ask("r1"), allow("r1"), read("b")] });
    const replies = ran.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(replies).toMatchObject([
      { type: "permission_request" },
      { data: { heard: "unavailable" } },
      { ok: false, line: 2 },
      { ok: true, intentId: "b" },
    ]);
  });
});
