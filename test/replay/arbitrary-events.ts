import fc from "fast-check";
import type { EventDraft } from "../../src/contract/events/index.ts";
import {
  answered,
  checked,
  decided,
  draft,
  ended,
  fileChanged,
  fileRead,
  menuProjected,
  observed,
  proposed,
  requested,
  started,
} from "./event-drafts.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "\ud800",
    "\u0000",
    "__proto__",
    `ghp_${"a1B2".repeat(9)}`,
    "password = 'hunter2hunter2'",
    '…\n\t\\"',
  ),
);
const path = fc.constantFrom("/srv/app/a.ts", "/srv/app/b.ts", "/srv/app/deep/c.ts", "/srv/app/ü.ts");
const someHash = "0f".repeat(32);
const nth = fc.nat({ max: 6 });

/** One step of a session; `nth` picks among the intents that were proposed so far. */
type Step = (names: { readonly fresh: () => string; readonly pick: (nth: number) => string }) => readonly EventDraft[];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }).map(
      (input): Step =>
        ({ fresh }) => [proposed(fresh(), input)],
    ),
  },
  {
    weight: 2,
    arbitrary: text.map(
      (input): Step =>
        ({ fresh }) => [proposed(fresh(), { [input]: input }, "bash")],
    ),
  },
  {
    weight: 3,
    arbitrary: nth.map(
      (n): Step =>
        ({ pick }) => [started(`inv_${pick(n)}`, pick(n))],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(nth, fc.boolean()).map(
      ([n, ok]): Step =>
        ({ pick }) => [ended(`inv_${pick(n)}`, pick(n), ok)],
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(nth, text, fc.boolean()).map(
      ([n, summary, ok]): Step =>
        ({ pick, fresh }) => [
          observed(pick(n), { summary, ok, invocationId: `inv_${pick(n)}`, auditId: `evt_${fresh()}` }),
        ],
    ),
  },
  nth.map(
    (n): Step =>
      ({ pick }) => [checked(pick(n), "canonical"), decided(pick(n), "ask")],
  ),
  nth.map(
    (n): Step =>
      ({ pick }) => [requested(`req_${pick(n)}`, pick(n))],
  ),
  fc.tuple(nth, fc.option(fc.constantFrom("Bash(npm test)", "Edit(/src/**)"), { nil: undefined })).map(
    ([n, rule]): Step =>
      ({ pick }) => [answered(`req_${pick(n)}`, pick(n), rule)],
  ),
  nth.map(
    (n): Step =>
      ({ pick }) => [
        draft("tool_intent.refused", { intentId: pick(n), phase: "validate", code: "schema_invalid", message: "no" }),
      ],
  ),
  nth.map(
    (n): Step =>
      ({ pick }) => [
        draft("job.started", { jobId: `job_${n}`, invocationId: `inv_${pick(n)}`, command: "sleep 9", startedAt: "t" }),
      ],
  ),
  nth.map(
    (n): Step =>
      () => [draft("job.ended", { jobId: `job_${n}`, state: "interrupted" })],
  ),
  fc.tuple(path, text).map(
    ([file, hash]): Step =>
      () => [fileRead(file, hash)],
  ),
  fc.tuple(nth, path).map(
    ([n, file]): Step =>
      ({ pick }) => [
        draft("file.change_planned", {
          invocationId: `inv_${pick(n)}`,
          changes: [{ path: file, before: someHash, after: someHash }],
        }),
      ],
  ),
  path.map(
    (file): Step =>
      () => [fileChanged(file)],
  ),
  fc.tuple(path, fc.constantFrom("created", "deleted", "moved")).map(
    ([file, change]): Step =>
      () => [draft("file.changed", { invocationId: "inv_1", path: file, change, seenBy: "scan", to: `${file}.moved` })],
  ),
  path.map(
    (file): Step =>
      () => [draft("file.forgotten", { path: file })],
  ),
  path.map(
    (to): Step =>
      () => [draft("session.cwd_changed", { from: "/srv/app", to })],
  ),
  fc.constantFrom("idle", "running", "requires_action", "ended").map(
    (to): Step =>
      () => [draft("session.status_changed", { from: "idle", to, reason: "because" })],
  ),
  fc.constantFrom("plan", "acceptEdits", "default").map(
    (to): Step =>
      () => [draft("session.mode_changed", { from: "default", to, by: "ada" })],
  ),
  fc.constant<Step>(() => [menuProjected]),
  fc.constant<Step>(() => [draft("user.interrupt", {})]),
  fc.constant<Step>(() => [
    draft("session.definition_changed", { tool: "read", from: { version: "1", schemaHash: "a" } }),
  ]),
);

/** Appends that a session could make. Intent ids are fresh; everything else may come too early, late or twice. */
export const appends: fc.Arbitrary<readonly (readonly EventDraft[])[]> = fc
  .array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((batches) => {
    let count = 0;
    const names = {
      fresh: () => {
        count += 1;
        return `i${count}`;
      },
      pick: (n: number) => `i${count === 0 ? 0 : (n % count) + 1}`,
    };
    return batches.map((steps) => steps.flatMap((make) => make(names)));
  });
