import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  answered,
  checked,
  decided,
  draft,
  ended,
  fileChanged,
  menuProjected,
  observation,
  observed,
  proposed,
  requested,
  sessionCreated,
  started,
  wholeCall,
} from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, manualClock, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";

describe("why", () => {
  const approved = (job: { readonly unrecorded?: string } = {}) => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const modelInput = must(store.artifacts.put("model_input", "the exact prompt"));
    const output = must(store.artifacts.put("command_output", "all of it"));
    const proposal = proposed("a", { command: "npm test" }, "Bash");
    must(
      log.append([
        {
          ...menuProjected,
          data: {
            ...menuProjected.data,
            modelInput: { hash: "h1", artifact: modelInput.id, bytes: modelInput.bytes, total: modelInput.bytes },
          },
        },
        ...wholeCall("other", "inv_other"),
        {
          ...proposal,
          data: {
            ...proposal.data,
            reason: "Tests must pass",
            origin: {
              source: "model",
              turnId: "turn_1",
              modelMessageId: "msg_1",
              provider: { name: "anthropic", model: "claude", callId: "toolu_1" },
            },
          },
        },
        checked("a", "bash"),
        { ...decided("a", "ask"), data: { ...decided("a", "ask").data, rule: "Bash(npm test)", risk: "R3" } },
        requested("req_1", "a"),
        proposed("still_open"),
        answered("req_1", "a", "Bash(npm test)"),
        started("inv_1", "a", "npm test"),
        draft("tool_invocation.progressed", { invocationId: "inv_1", message: "running" }),
        draft("job.started", { jobId: "job_1", invocationId: "inv_1", command: "npm test", startedAt: "t" }),
        draft("artifact.stored", { invocationId: "inv_1", artifact: output }),
        fileChanged("/srv/app/coverage/a.json", [], "inv_1"),
        fileChanged("/srv/app/unrelated", [], "inv_other"),
        ended("inv_1", "a", false),
        observed("a", {
          invocationId: "inv_1",
          tool: "bash",
          ok: false,
          code: "command_failed",
          summary: "npm test failed with exit code 1.",
          model: {
            content: [{ trust: "tool_output_untrusted", format: "text", text: "FAIL sum.test.ts" }],
            truncated: true,
            omittedBytes: 512,
          },
          artifacts: [output],
        }),
        draft("job.ended", { jobId: "job_1", state: "ended", exitCode: 1, ...job }),
      ]),
    );
    return { store, log, modelInput, output };
  };

  it("answers every question of the auditor from the events that carry the answer", () => {
    const { store, log, modelInput, output } = approved();
    const answer = must(store.archive.why("evt_a"));
    expect(answer.session).toBe(log.id);
    expect(answer.intentId).toBe("a");
    expect(answer.observation.summary).toBe("npm test failed with exit code 1.");
    expect(answer.chain.map(({ type }) => type)).toEqual([
      "context.projected",
      "tool_intent.proposed",
      "tool_intent.checked",
      "permission.decided",
      "permission.requested",
      "permission.answered",
      "tool_invocation.started",
      "tool_invocation.progressed",
      "job.started",
      "artifact.stored",
      "file.changed",
      "tool_invocation.ended",
      "tool.observed",
      "job.ended",
    ]);
    expect(Object.fromEntries(answer.questions.map(({ question, answer: text }) => [question, text]))).toEqual({
      "Who proposed it?":
        "A model anthropic/claude, call toolu_1 (turn turn_1, message msg_1) proposed Bash at 2026-01-01T00:00:00.000Z. Reason given: Tests must pass",
      "What was on the menu?": `2 tools, menu m1: read@1 (${"a".repeat(12)}), bash@1 (${"b".repeat(12)}).`,
      "What context did the model see?": `16 bytes, kept as artifact ${modelInput.id}.\nthe exact prompt`,
      "Why was it allowed, or not?":
        "ask by mode, rule Bash(npm test): reading inside the workspace (risk R3, mode default, sandboxed)",
      "Who approved it, and for which scope?":
        "ada answered allow (for this session, rule Bash(npm test)) to digest d1.",
      "What ran?":
        'bash@1 as inv_1, input digest d1, command "npm test". It ended error (command_failed) after 5 ms. It continued as background job job_1. Job job_1 ended with exit code 1.',
      "Where did it run?": "local executor, gauntlet 0.1.0, process 7, lane safe, working directory /srv/app.",
      "Under which isolation?":
        "bubblewrap, enforced by the kernel; readable: /usr; writable: /srv/app; network: none.",
      "What changed?": "/srv/app/coverage/a.json modified (h1 -> h2, seen by tool). Effects: done.",
      "Was the output truncated?": `Yes, 512 bytes were omitted. Stored in full: command_output ${output.id} (9 bytes).`,
      "What did the model see?": "npm test failed with exit code 1.\n[text] FAIL sum.test.ts",
    });
    expect(answer.questions.map(({ question }) => question)[0]).toBe("Why was it allowed, or not?");
    expect(answer.questions.at(-1)).toMatchObject({ question: "What was on the menu?", brief: "2 tools, menu m1." });
    const ids = new Set(answer.chain.map(({ id }) => id));
    for (const { events } of answer.questions) {
      expect(events.length).toBeGreaterThan(0);
      for (const id of events) expect(ids).toContain(id);
    }
  });

  it("says what nobody could tell of a background job", () => {
    const { store } = approved({ unrecorded: "a bug" });
    const { questions } = must(store.archive.why("evt_a"));
    expect(questions.find(({ question }) => question === "What changed?")?.answer).toEqual(
      expect.stringMatching(/h1 -> h2.* job_1 .*a bug/),
    );
  });

  it("finds the call by every name it has", () => {
    const { store, log } = approved();
    const answer = must(store.archive.why("evt_a"));
    for (const name of ["inv_1", "req_1", "job_1", `${log.id}/a`])
      expect(must(store.archive.why(name))).toEqual(answer);
  });

  it("finds it among other sessions", () => {
    const { store } = approved();
    const other = must(store.create(sessionCreated));
    must(other.append(wholeCall("a", "inv_2")));
    expect(must(store.archive.why("inv_2")).session).toBe(other.id);
    expect(must(store.archive.why("inv_1")).session).not.toBe(other.id);
  });

  it("asks the sessions that were made here first, and says which others have a call of that name", () => {
    const told = (name: string, clock = manualClock()) => {
      const store = temporaryStore({ clock, ids: countingIds(name) });
      const log = must(store.create(sessionCreated));
      must(log.append(wholeCall("a", "inv_1")));
      return { store, log };
    };
    const here = told("here");
    const fork = must(here.store.archive.fork(here.log.id)).session;
    // Older, newer and of the same name, as whoever writes an export can have it.
    const others = [Date.UTC(1970), Date.UTC(2099)].map((start, index) => {
      const other = told(`other${index}`, manualClock(start));
      must(here.store.archive.import(must(other.store.archive.export(other.log.id))));
      return { session: other.log.id, imported: true };
    });
    expect(must(here.store.archive.why("inv_1"))).toMatchObject({
      session: here.log.id,
      imported: false,
      alsoIn: [{ session: fork, imported: false }, ...others],
    });
  });

  it("ends where a job says that it runs in itself", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append([draft("job.started", { jobId: "job_1", invocationId: "job_1", command: "x", startedAt: "t" })]));
    expect(failureOf(store.archive.why("job_1"))).toMatchObject({ code: "bad_request" });
  });

  it("finds it by an intent id of ours alone, not by one that may be in every session", () => {
    const { store } = approved();
    const other = must(store.create(sessionCreated));
    const intent = `int_${"0a".repeat(16)}`;
    must(other.append(wholeCall(intent, "inv_2")));
    expect(must(store.archive.why(intent))).toEqual(must(store.archive.why("inv_2")));
    for (const name of ["a", `int_${"0b".repeat(16)}`]) {
      expect(failureOf(store.archive.why(name)).code).toBe("bad_request");
    }
  });

  it("does not explain one call for another when the names were changed", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    must(log.append([menuProjected, ...wholeCall("a", "inv_1"), ...wholeCall("b", "inv_2")]));
    log.close();
    const path = join(directory, "sessions", `${log.id}.db`);
    const observations = [...must(store.archive.events(log.id, { types: ["tool.observed"] }))].map(({ id }) => id);
    const database = new DatabaseSync(path);
    database.exec(`
      UPDATE names SET seq = 14 WHERE role = 'audit' AND seq = 8;
      UPDATE names SET seq = 12 WHERE role = 'invocation' AND seq = 6;
      UPDATE names SET seq = 3 WHERE role = 'intent' AND name = 'b'`);
    database.close();
    const changed = {
      code: "log_unavailable",
      message: expect.stringContaining(`${path} was modified by another program`),
      recovery: expect.stringContaining("gauntlet audit verify"),
    };
    for (const name of [observations[0] ?? "", "inv_1", `${log.id}/b`]) {
      expect(failureOf(store.archive.why(name))).toMatchObject(changed);
    }
    expect(must(store.archive.why(`${log.id}/a`)).intentId).toBe("a");
    expect(must(store.archive.verify(log.id))).toMatchObject([{ ok: false }]);
  });

  const endings: readonly [string, readonly EventDraft[], Readonly<Record<string, string>>][] = [
    [
      "a refusal",
      [
        proposed("x", {}, "nope"),
        draft("tool_intent.refused", {
          intentId: "x",
          phase: "lookup",
          code: "unknown_tool",
          message: "No such tool.",
        }),
        observed("x", { ok: false, phase: "lookup", code: "unknown_tool" }),
      ],
      {
        "What was on the menu?": "The menu m1 was not recorded.",
        "What context did the model see?": "No model input was recorded; the call came from a program.",
        "Why was it allowed, or not?": "refused in lookup with unknown_tool: No such tool.",
        "Who approved it, and for which scope?": "The user was not asked.",
        "What ran?": "Nothing ran.",
        "Where did it run?": "Nowhere: nothing ran.",
        "Was the output truncated?": "No.",
      },
    ],
    [
      "a denial by a person",
      [
        proposed("x"),
        requested("req_x", "x"),
        draft("permission.answered", {
          requestId: "req_x",
          intentId: "x",
          digest: "d1",
          answer: "deny",
          message: "Not on Friday",
          by: "ada",
        }),
        observed("x", { ok: false, status: "denied", code: "user_denied", phase: "permission" }),
      ],
      {
        "Who approved it, and for which scope?":
          "ada answered deny (for this call only) to digest d1. Note: Not on Friday",
        "What ran?": "Nothing ran.",
      },
    ],
  ];
  it.each(endings)("tells the truth about %s", (_name, drafts, expected) => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    must(log.append(drafts));
    const { questions, observation: seen } = must(store.archive.why(`${log.id}/x`));
    expect(Object.fromEntries(questions.map(({ question, answer }) => [question, answer]))).toMatchObject(expected);
    expect(seen.intentId).toBe("x");
  });

  const proposers: readonly [EventData<"tool_intent.proposed">["origin"], string][] = [
    [{ source: "program" }, "a program"],
    [{ source: "agent" }, "an agent"],
    [{ source: "mcp" }, "an MCP client"],
    [{ source: "mcp", client: "inspector-cli" }, "the MCP client inspector-cli"],
  ];
  it.each(proposers)("says who proposed it: %o", (origin, who) => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const proposal = proposed("x");
    must(log.append([{ ...proposal, data: { ...proposal.data, origin } }, observed("x")]));
    const { questions } = must(store.archive.why(`${log.id}/x`));
    expect(Object.fromEntries(questions.map(({ question, answer }) => [question, answer]))).toMatchObject({
      "Who proposed it?": expect.stringMatching(new RegExp(`^${who} proposed read at `, "i")),
      "What context did the model see?": `No model input was recorded; the call came from ${who}.`,
    });
  });

  it("shows the input that ran, the one of a hook where it put one in its place, and of a long one a part", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const { sandbox: _, ...held } = started("inv_1", "x").data;
    must(
      log.append([
        proposed("x", { path: "a" }),
        draft("tool_intent.revised", { intentId: "x", input: { path: "b".repeat(2_000) }, hook: "h" }),
        draft("tool_invocation.started", { ...held, confinement: "Nothing holds it." }),
        ended("inv_1", "x"),
        observed("x", { invocationId: "inv_1" }),
      ]),
    );
    const { questions } = must(store.archive.why("inv_1"));
    expect(Object.fromEntries(questions.map(({ question, answer }) => [question, answer]))).toMatchObject({
      "What ran?": `read@1 as inv_1, input digest d1, input {"path":"${"b".repeat(991)} … 1011 more characters in the event. It ended ok (ok) after 5 ms.`,
      "Under which isolation?": "Nothing holds it.",
    });
  });

  it("says that a call is still open, and that a name is not known", () => {
    const { store, log } = approved();
    expect(failureOf(store.archive.why(`${log.id}/still_open`)).message).toContain("still open");
    for (const name of ["", "evt_none", "ses_none/a", `${log.id}/none`, "../x/y"]) {
      expect(failureOf(store.archive.why(name)).code).toBe("bad_request");
    }
  });

  it("shows a long answer in part and says how much is missing", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const text = "x".repeat(10_000);
    const { model } = observation("a");
    const content = [{ trust: "tool_output_untrusted", format: "text", text }] as const;
    must(log.append([proposed("a"), observed("a", { model: { ...model, content: [...content] } })]));
    const { questions } = must(store.archive.why(`${log.id}/a`));
    const saw = questions.find(({ question }) => question === "What did the model see?");
    expect(saw?.answer).toMatch(/… 6007 more characters in the observation$/);
  });

  it("has a long request in one sentence too", () => {
    const store = temporaryStore();
    const log = must(store.create(sessionCreated));
    const modelInput = { hash: "h1", added: "x".repeat(600), bytes: 600, total: 900, continues: "h0" };
    must(log.append([{ ...menuProjected, data: { ...menuProjected.data, modelInput } }, proposed("a"), observed("a")]));
    const { questions } = must(store.archive.why(`${log.id}/a`));
    const size = "900 bytes, of which the last 600 were new.";
    expect(questions.find(({ question }) => question === "What context did the model see?")).toMatchObject({
      answer: `${size}\n${"x".repeat(600)}`,
      brief: size,
    });
  });
});
