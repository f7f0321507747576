import { expect, test } from "vitest";
import { observationOf } from "../../test/support/surface.ts";
import { painter } from "../cli/render/shown.ts";
import type { Observation } from "../contract/observation.ts";
import { renderItem } from "./render-item.ts";
import { emptyScreen, reduceScreen, type ScreenItem } from "./screen.ts";

const paint = painter({ colour: false });
const metrics = { startedAt: "", endedAt: "", durationMs: 10_876, outputBytes: 0 };

interface Printed {
  readonly label?: string;
  readonly text: string;
}

function ended(printed: readonly Printed[], facts: Partial<Observation> = {}): Observation {
  const content = printed.map((one) => ({ trust: "tool_output_untrusted", format: "text", ...one }) as const);
  const model = { content, truncated: false, omittedBytes: 0 };
  const user = { text: "npm test finished with exit code 0." };
  return observationOf({ tool: "bash", input: {} }, { title: "npm test", summary: "", user, metrics, model, ...facts });
}

function rows(item: ScreenItem, columns = 40): readonly string[] {
  return renderItem(item, paint, { columns }).text.trimEnd().split("\n");
}

const numbered = (count: number, name = "row") =>
  Array.from({ length: count }, (_, row) => `${name} ${row}`).join("\n");
const failure = { ok: false, status: "error", code: "command_failed" } as const;

test("the end of what a command printed, and no sentence that says it again", () => {
  const observation = ended([{ label: "stdout", text: numbered(9) }]);
  expect(rows({ kind: "call", observation })).toEqual([
    "● npm test 10.9 s",
    "  … 3 more rows before this: Ctrl+O",
    ...[3, 4, 5, 6, 7, 8].map((row) => `  row ${row}`),
  ]);
});

test.each([
  [
    "more than a model is shown",
    "stdout: excerpts of 25,893 bytes in 3,000 lines",
    ["  stdout: excerpts of 25,893 bytes in 3,000 lines"],
  ],
  ["a job", "stdout, last lines", []],
])("the end of what %s printed", (_name, label, name) => {
  const observation = ended([{ label, text: numbered(9) }]);
  expect(rows({ kind: "call", observation }, 80)).toEqual([
    "● npm test 10.9 s",
    ...name,
    "  … 3 more rows before this: Ctrl+O",
    ...[3, 4, 5, 6, 7, 8].map((row) => `  row ${row}`),
  ]);
});

test("nothing printed is said", () => {
  expect(rows({ kind: "call", observation: ended([{ text: "(no output)" }]) })).toEqual([
    "● npm test 10.9 s",
    "  (no output)",
  ]);
});

test("a part without a name stands without a heading", () => {
  const printed = [{ text: "(no output)" }, { label: "files changed by the command", text: "created a.txt" }];
  expect(rows({ kind: "call", observation: ended(printed) })).toEqual([
    "● npm test 10.9 s",
    "  (no output)",
    "  files changed by the command:",
    "  created a.txt",
  ]);
});

test("of a failure both streams are seen, however long the first", () => {
  const printed = [
    { label: "stdout", text: numbered(400) },
    { label: "stderr", text: numbered(60, "cause") },
  ];
  const user = { text: "npm test failed with exit code 1." };
  expect(rows({ kind: "call", observation: ended(printed, { ...failure, user }) })).toEqual([
    "✗ npm test command_failed 10.9 s",
    "  failed with exit code 1.",
    "  stdout:",
    "  … 393 more rows before this: Ctrl+O",
    ...[393, 394, 395, 396, 397, 398, 399].map((row) => `  row ${row}`),
    "  stderr:",
    "  … 53 more rows before this: Ctrl+O",
    ...[53, 54, 55, 56, 57, 58, 59].map((row) => `  cause ${row}`),
  ]);
});

test("of what a server answered the beginning, in rows of the window", () => {
  const long = "word ".repeat(40).trim();
  const user = { text: "The server every answered echo." };
  const observation = ended([{ label: "server every", text: long }], { title: "echo of every", user });
  const shown = rows({ kind: "call", observation });
  expect(shown[0]).toBe("● echo of every 10.9 s");
  expect(shown[1]).toMatch(/^ {2}word word/);
  expect(shown).toHaveLength(7);
  expect(Math.max(...shown.map((row) => row.length))).toBeLessThanOrEqual(40);
});

test("all of it when it is asked for, the last call first, and each once", () => {
  const [one, two] = [ended([{ label: "stdout", text: numbered(100) }]), ended([{ label: "stderr", text: "two" }])];
  let screen = emptyScreen;
  for (const observation of [one, two]) {
    screen = reduceScreen(screen, { kind: "notice", notice: { kind: "observed", observation } });
  }
  const wanted = () => {
    screen = reduceScreen(screen, { kind: "output_wanted" });
    return screen.items.flatMap((item) => rows(item));
  };
  expect(wanted()).toEqual(["", "● npm test 10.9 s", "  two"]);
  expect(wanted()).toHaveLength(102);
  expect(wanted()).toEqual(["  No call has more output to show."]);
});
