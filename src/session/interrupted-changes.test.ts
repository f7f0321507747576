import { expect, onTestFinished, test } from "vitest";
import { abandonedSession } from "../../test/support/abandoned-session.ts";
import { makeWorkspace } from "../../test/support/workspace.ts";
import type { ChangedFile } from "../contract/ports.ts";
import { openStore } from "../log/open-store.ts";
import { changesUntilThen } from "./interrupted-changes.ts";

test("what was touched long after the last sign of life, or not named at all, may be anybody's", () => {
  const workspace = makeWorkspace();
  const session = abandonedSession(workspace, { tool: "bash" });
  const ids = { next: (prefix: string) => `${prefix}_1` };
  const store = openStore({ directory: workspace.state, sync: "normal", clock: { now: () => Date.now() }, ids });
  if (!store.ok) throw new Error(store.failure.message);
  onTestFinished(() => store.value.close());
  const log = store.value.open(session);
  if (!log.ok) throw new Error(log.failure.message);
  const now = Date.now();
  const named = (name: string) =>
    ({
      op: "write",
      scope: "file",
      path: { written: name, resolved: workspace.path(name), kind: "file" },
    }) as const;
  const modified = (name: string, touchedMs: number): ChangedFile => ({
    path: workspace.path(name),
    change: "modified",
    touchedMs,
  });
  const deleted = (name: string, touched: Pick<ChangedFile, "touchedMs"> = {}): ChangedFile => ({
    path: workspace.path(name),
    change: "deleted",
    ...touched,
  });
  const changedSince = () => [
    modified("soon", now + 1_000),
    modified("late", now + 60_000),
    modified("other", now),
    deleted("gone", { touchedMs: now + 1_000 }),
    deleted("gone-late", { touchedMs: now + 60_000 }),
    deleted("gone-sometime"),
  ];
  const gone = ["gone", "gone-late", "gone-sometime"].map((name) => ({ ...named(name), op: "delete" }) as const);
  const call = { invocationId: "inv_1", effects: [named("soon"), named("late"), ...gone] };
  const fact = (name: string, change: string, attribution: string) => ({
    type: "file.changed",
    data: { invocationId: "inv_1", path: workspace.path(name), change, seenBy: "scan", attribution },
  });
  expect(changesUntilThen({ log: log.value, changedSince }, call)).toEqual([
    fact("soon", "modified", "call"),
    fact("late", "modified", "while_running"),
    fact("other", "modified", "while_running"),
    fact("gone", "deleted", "call"),
    fact("gone-late", "deleted", "while_running"),
    fact("gone-sometime", "deleted", "while_running"),
  ]);
});
