import { describe, expect, test } from "vitest";
import { check, runReport } from "../../test/support/run-report.ts";
import { observationOf } from "../../test/support/surface.ts";
import { painter } from "../cli/render/shown.ts";
import { wrapper } from "../cli/render/wrap.ts";
import type { Observation } from "../contract/observation.ts";
import { liveLines, writtenLine } from "./live-lines.ts";
import { renderItem } from "./render-item.ts";
import { emptyScreen, type LiveCall, type ScreenItem } from "./screen.ts";

const plain = painter({ colour: false });
const shown = (item: ScreenItem) => renderItem(item, plain).text;

function observed(facts: Partial<Observation>): Observation {
  const metrics = { startedAt: "", endedAt: "", durationMs: 12.4, outputBytes: 0 };
  const base = { title: "npm test", summary: "npm test passed.", user: { text: "" }, metrics };
  return observationOf({ tool: "bash", input: {} }, { ...base, ...facts });
}

function text(value: string, format: "text" | "diff" = "text", label?: string): Observation["model"] {
  const named = label === undefined ? {} : { label };
  const content = [{ trust: "tool_output_untrusted", format, text: value, ...named } as const];
  return { content, truncated: false, omittedBytes: 0 };
}

test("a long note is broken between words", () => {
  const note: ScreenItem = { kind: "note", tone: "plain", text: "notes: The server is gone, and says so at length." };
  expect(renderItem(note, plain, { wrap: wrapper({ columns: 34 }) }).text).toBe(
    "  notes: The server is gone, and\n  says so at length.\n",
  );
});

test("of a very long message the beginning and the end", () => {
  const message = (count: number): ScreenItem => {
    const text = Array.from({ length: count }, (_, row) => `row ${row}`).join("\n");
    return { kind: "message", text };
  };
  const rows = shown(message(2_000)).split("\n");
  expect(rows.slice(29, 35)).toEqual([
    "  row 28",
    "  row 29",
    "  ⟨1,960 rows not shown; the full message was sent⟩",
    "  row 1990",
    "  row 1991",
    "  row 1992",
  ]);
  expect([rows[1], rows.at(-2), rows.length]).toEqual(["› row 0", "  row 1999", 43]);
  expect(shown(message(41))).not.toContain("⟨");
});

describe("a call that ended", () => {
  test("a result: its title, its time and what people are told", () => {
    const observation = observed({ user: { text: "3 tests passed" } });
    expect(shown({ kind: "call", observation })).toBe("● npm test 12 ms\n  3 tests passed\n");
  });

  test("an error: its code and its output; what to do about it is for the model", () => {
    const observation = observed({
      ok: false,
      status: "error",
      code: "command_failed",
      user: { text: "npm test failed with exit code 1." },
      recovery: "Read the output.",
      model: text("one\ntwo", "text", "stderr"),
    });
    expect(shown({ kind: "call", observation })).toBe(
      "✗ npm test command_failed 12 ms\n  failed with exit code 1.\n  one\n  two\n",
    );
    const missing = { code: "sandbox_unavailable", recovery: "Run `gauntlet doctor` to see what is missing." } as const;
    expect(shown({ kind: "call", observation: { ...observation, ...missing } })).toContain("gauntlet doctor");
  });

  test("rejected: marked otherwise than a failure", () => {
    const said = { ok: false, status: "denied", code: "user_denied" } as const;
    const observation = observed({ ...said, title: "bash", summary: "A person said no." });
    expect(shown({ kind: "call", observation })).toBe("⊘ bash user_denied\n  A person said no.\n");
  });

  test("a change: its diff, with colours where there are any", () => {
    const observation = observed({ title: "Edit a.ts", model: text("@@ -1 +1 @@\n-old\n+new\n", "diff") });
    expect(shown({ kind: "call", observation })).toBe("● Edit a.ts 12 ms\n  @@ -1 +1 @@\n  -old\n  +new\n");
    const painted = renderItem({ kind: "call", observation }, painter({ colour: true })).text;
    expect(painted).toContain("\u001b[31m-old\u001b[39m");
    expect(painted).toContain("\u001b[32m+new\u001b[39m");
  });

  test("shorter than what the model sees, and no line of it drives the terminal", () => {
    const output = Array.from({ length: 500 }, (_, row) => `row ${row} \u001b[2J`).join("\n");
    for (const format of ["text", "diff"] as const) {
      const observation = observed({ user: { text: output }, model: text(output, format, "stdout") });
      const told = shown({ kind: "call", observation });
      expect(told.split("\n").length).toBeLessThan(45);
      expect(told).toMatch(/… \d+ more (?:lines|rows before this: Ctrl\+O)/);
      expect(told).not.toContain("\u001b");
    }
  });
});

describe("a call under way", () => {
  const call = (facts: Partial<LiveCall>): LiveCall => ({
    id: "a",
    tool: "bash",
    title: "npm test",
    state: "running",
    progress: "",
    tail: "",
    arguments: "",
    ...facts,
  });
  const live = (calls: readonly LiveCall[], columns = 80) =>
    liveLines({ ...emptyScreen, working: true, calls }, { paint: plain, frame: 0, columns }).text;

  test("queued, running with progress and being proposed, all at once", () => {
    expect(
      live([
        call({ id: "a", progress: "12 of 40 files" }),
        call({ id: "b", title: "Read a.ts", state: "queued" }),
        call({ id: "c", tool: "write", state: "proposing", arguments: '{"path":"b.ts","content":"one\\ntw' }),
      ]),
    ).toBe("⠋ npm test\n  12 of 40 files\n○ Read a.ts\n⠋ write b.ts\n  │ one\n  │ tw\n");
  });

  test("the last lines that it printed, fewer where several run, and none that drives the terminal", () => {
    const tail = Array.from({ length: 9 }, (_, row) => `\u001b[32mrow ${row}\u001b[39m\u0007`).join("\n");
    const printing = call({ tail, progress: "running for 3 s" });
    expect(live([printing])).toBe(
      `⠋ npm test\n${[3, 4, 5, 6, 7, 8].map((row) => `  │ row ${row}\\u{7}\n`).join("")}  running for 3 s\n`,
    );
    expect(live([printing, call({ id: "b" })])).toBe(
      "⠋ npm test\n  │ row 7\\u{7}\n  │ row 8\\u{7}\n  running for 3 s\n⠋ npm test\n",
    );
  });

  test("many are counted, and rows are cut where the window ends", () => {
    const many = Array.from({ length: 12 }, (_, index) => call({ id: String(index), title: "x".repeat(200) }));
    const rows = live(many, 40).trimEnd().split("\n");
    expect(rows.at(-1)).toBe("… 4 more calls");
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(40);
  });

  test("nothing but waiting says why", () => {
    const options = { paint: plain, frame: 3, columns: 80 };
    expect(liveLines({ ...emptyScreen, working: true }, options).text).toBe("⠸ thinking\n");
    expect(liveLines({ ...emptyScreen, working: true, thought: "one\ntwo things" }, options).text).toBe(
      "⠸ two things\n",
    );
    expect(liveLines({ ...emptyScreen, working: true, waiting: "attempt 2 in 1.0 s" }, options).text).toBe(
      "⠸ attempt 2 in 1.0 s\n",
    );
    const queue = ["a", "b", "c", "d", "e"];
    expect(liveLines({ ...emptyScreen, queue }, options).text).toBe(
      "  queued: a\n  queued: b\n  queued: c\n  … 2 more queued\n",
    );
  });

  test("of a line that is long, the end is seen", () => {
    const line = `${"x".repeat(1_000)} the end`;
    const seen = writtenLine({ ...emptyScreen, line }, { paint: plain, columns: 40 }).text;
    expect(seen).toMatch(/^…[x\n]+ ?the end$/);
    expect(seen.length).toBeLessThanOrEqual(165);
  });
});

describe("what the log says below an answer", () => {
  test("an empty answer is not left without a word", () => {
    expect(shown({ kind: "report", report: runReport({ answer: "" }) })).toBe("The model ended without an answer.\n");
  });

  test("a claim that is contradicted or not supported is not left to stand alone", () => {
    const claim = { kind: "tests" as const, phrase: "All tests pass.", evidence: [] };
    const report = runReport({
      changed: [{ path: "a.ts", change: "modified" }],
      lastChange: 3,
      verifications: [check("tests", false, 3)],
      claims: [
        { ...claim, verdict: "contradicted", reason: "`npm test` failed." },
        { ...claim, phrase: "Fixed.", verdict: "unsupported", reason: "Nothing checked the work." },
      ],
      unanswered: ["i", "j"].map((intentId) => ({ intentId, tool: "bash", title: "npm publish", rules: [] })),
    });
    expect(shown({ kind: "report", report })).toBe(
      [
        "✗ contradicted: “All tests pass.” `npm test` failed.",
        "? unsupported: “Fixed.” Nothing checked the work.",
        "1 file changed, last check failed · /undo previews reverting the last call",
        "needs approval: npm publish",
        "",
      ].join("\n"),
    );
  });

  test("a check that passed before the last change is not shown as a check of it", () => {
    const changed = [{ path: "a.ts", change: "modified" }] as const;
    const summary = (afterChange: number) =>
      shown({
        kind: "report",
        report: runReport({ changed, lastChange: 9, verifications: [check("tests", true, afterChange)] }),
      });
    expect([summary(7).includes("before the last change"), summary(9).includes("before the last change")]).toEqual([
      true,
      false,
    ]);
  });

  test("nothing, when nothing happened", () => {
    expect(shown({ kind: "report", report: runReport() })).toBe("");
  });

  test("why it stopped, when it did not come to its own end", () => {
    const report = runReport({ stop: "max_turns", detail: "It had 2 turns." });
    expect(shown({ kind: "report", report })).toBe("■ max turns: It had 2 turns.\n");
  });
});
