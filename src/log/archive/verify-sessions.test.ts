import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fileChanged, sessionCreated, wholeCall } from "../../../test/replay/event-drafts.ts";
import { failureOf, must } from "../../../test/replay/must.ts";
import { countingIds, temporaryDirectory, temporaryStore } from "../../../test/replay/temporary-store.ts";

interface Target {
  readonly directory: string;
  readonly path: string;
  readonly artifact: string;
}

describe("verify", () => {
  it("finds nothing wrong with what the store wrote", () => {
    const { directory, id, head } = stored();
    expect(must(reopened(directory).archive.verify())).toEqual([
      { session: id, ok: true, events: 8, head, problems: [] },
    ]);
  });

  it("does not know a session that never was", () => {
    expect(failureOf(temporaryStore().archive.verify("ses_none")).code).toBe("bad_request");
  });

  const changed = "UPDATE events SET body = replace(body, '/srv/app', '/srv/evil') WHERE seq = 1";
  const damages: readonly [string, (target: Target) => void, readonly { seq: number; problem: string | RegExp }[]][] = [
    ["a changed event", sql(changed), [{ seq: 1, problem: /its bytes do not match its hash/ }]],
    [
      "a changed event with a new hash of its own",
      sql(`${changed}; UPDATE events SET hash = x'${"e".repeat(64)}' WHERE seq = 1`),
      [
        { seq: 1, problem: /do not match its hash/ },
        { seq: 2, problem: /does not continue the event before it/ },
      ],
    ],
    ["a removed event", sql("DELETE FROM events WHERE seq = 4"), [{ seq: 5, problem: "event 4 is missing" }]],
    [
      "removed events",
      sql("DELETE FROM events WHERE seq IN (3, 4, 5)"),
      [{ seq: 6, problem: "events 3 to 5 are missing" }],
    ],
    [
      "a removed tail",
      sql("DELETE FROM events WHERE seq > 6"),
      [{ seq: 6, problem: /the index has seen event 8, but the session ends at 6/ }],
    ],
    ["everything removed", sql("DELETE FROM events"), [{ seq: 0, problem: /ends at 0/ }]],
    [
      "an event filed as another",
      sql("UPDATE events SET type = 'x' WHERE seq = 2"),
      [{ seq: 2, problem: /its bytes do not match its hash/ }],
    ],
    [
      "an intent that the names forgot",
      sql("DELETE FROM names WHERE role = 'intent'"),
      [{ seq: 2, problem: "the intent cannot be found by its id" }],
    ],
    [
      "an event that was emptied",
      sql("UPDATE events SET body = '{}' WHERE seq = 7"),
      [
        { seq: 7, problem: /does not continue/ },
        { seq: 7, problem: /do not match its hash/ },
        { seq: 7, problem: "it calls itself event undefined" },
        { seq: 7, problem: /filed as tool.observed/ },
        { seq: 7, problem: "it belongs to session undefined" },
        { seq: 7, problem: "its data is not that of undefined" },
      ],
    ],
    [
      "bytes that are no event",
      sql("UPDATE events SET body = 'x' WHERE seq = 2"),
      [{ seq: 2, problem: "its bytes are not an event" }],
    ],
    [
      "bytes that cannot be inflated",
      sql("UPDATE events SET body = x'ffff' WHERE seq = 2"),
      [{ seq: 2, problem: "its bytes are not an event" }],
    ],
    ["a lost artifact", ({ artifact }) => rmSync(artifact), [{ seq: 8, problem: /^artifact sha256-\w+ is missing$/ }]],
    ["an altered artifact", ({ artifact }) => writeFileSync(artifact, "!"), [{ seq: 8, problem: /is altered$/ }]],
    [
      "a file that is no database",
      ({ path }) => writeFileSync(path, "x".repeat(9_000)),
      [{ seq: 0, problem: /is damaged/ }],
    ],
  ];
  it.each(damages)("finds %s", (_name, damage, problems) => {
    const target = stored();
    damage(target);
    const [report] = must(reopened(target.directory).archive.verify(target.id));
    expect(report?.ok).toBe(false);
    expect(report?.problems).toEqual(
      problems.map(({ seq, problem }) => ({
        seq,
        problem: problem instanceof RegExp ? expect.stringMatching(problem) : problem,
      })),
    );
  });

  it("reads as far as it can when pages of the file are destroyed", () => {
    const directory = temporaryDirectory();
    const store = temporaryStore({ directory });
    const log = must(store.create(sessionCreated));
    for (let call = 0; call < 100; call += 1) must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
    store.close();
    const path = join(directory, "sessions", `${log.id}.db`);
    const bytes = readFileSync(path);
    bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20_000);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
    const [report] = must(reopened(directory).archive.verify(log.id));
    expect(report?.ok).toBe(false);
    expect(report?.problems[0]?.problem).toMatch(/damaged|match its hash/);
  });
});

function stored(): Target & { readonly id: string; readonly head: string } {
  const directory = temporaryDirectory();
  const store = temporaryStore({ directory });
  const log = must(store.create(sessionCreated));
  const ref = must(store.artifacts.put("diff", "- a\n+ b"));
  must(log.append([...wholeCall("a", "inv_1"), fileChanged("/srv/app/a.ts", [ref])]));
  const { id, state } = log;
  store.close();
  return {
    directory,
    id,
    head: state.head,
    path: join(directory, "sessions", `${id}.db`),
    artifact: join(directory, "artifacts", ref.id.slice(7, 9), ref.id),
  };
}

/** As someone would who can write the file: the triggers and the checkpoint go first. */
function sql(statements: string): (target: Target) => void {
  return ({ path }) => {
    const database = new DatabaseSync(path);
    database.exec(
      "DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; DELETE FROM checkpoint",
    );
    database.exec(statements);
    database.close();
  };
}

function reopened(directory: string) {
  return temporaryStore({ directory, ids: countingIds("b") });
}
