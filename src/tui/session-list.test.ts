import { describe, expect, test } from "vitest";
import type { Archive } from "../contract/app/archive.ts";
import { fail, ok } from "../contract/codes.ts";
import type { SessionSummary } from "../contract/store.ts";
import { findMeant, listSessions } from "./session-list.ts";

const id = (number: number) => `ses_0${String(number).padStart(31, "0")}`;

function session(number: number, facts: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id: id(number),
    workspace: "/ws",
    status: "idle",
    imported: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: new Date(Date.UTC(2026, 0, number)).toISOString(),
    task: `task ${number}`,
    intents: 1,
    changed: 0,
    events: 1,
    bytes: 1,
    head: "",
    ...facts,
  };
}

function appWith(...sessions: readonly SessionSummary[]) {
  return { workspace: "/ws", archive: () => ok({ list: () => sessions } as Partial<Archive> as Archive) };
}

describe("the sessions of a project", () => {
  test("stand there as `gauntlet sessions list` has them, the latest last and number 1", () => {
    const sessions = [
      session(3, { task: "", intents: 2 }),
      session(1),
      session(2, { workspace: "/other" }),
      session(4),
    ];
    expect(listSessions(appWith(...sessions), id(4))).toEqual({
      ids: [id(4), id(3), id(1)],
      text: [
        ` 3  ${id(1)}  2026-01-01 00:00:00  task 1`,
        ` 2  ${id(3)}  2026-01-03 00:00:00  (2 calls, no task)`,
        ` 1  ${id(4)}  2026-01-04 00:00:00  task 4  (current)`,
        "To resume one: /resume with its number",
      ].join("\n"),
    });
  });

  test("only the latest, and what is left out is counted", () => {
    const empty = { task: "", intents: 0 };
    const sessions = Array.from({ length: 14 }, (_, at) => session(at + 1, at === 13 ? empty : {}));
    const { ids, text } = listSessions(appWith(...sessions), undefined);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([10, id(13), id(4)]);
    expect(text.split("\n").slice(-3, -1)).toEqual([
      "3 earlier sessions not shown: gauntlet sessions list --limit 13",
      "1 session without a task or a call hidden: gauntlet sessions list --all --limit 14",
    ]);
  });

  test("there may be none, or none but this one", () => {
    expect(listSessions(appWith(), undefined)).toEqual({ ids: [], text: "No sessions yet." });
    expect(listSessions(appWith(session(1)), id(1)).text).not.toContain("/resume");
  });
});

describe("the session that is meant", () => {
  const list = () => ({ ids: [id(9), id(1)], text: "" });
  const app = appWith(session(1), session(2), session(9));

  test.each([
    ["a number", "2", ok(id(1))],
    ["the number of this one", "1", ok(id(9))],
    ["an id", id(2), ok(id(2))],
    ["its beginning, of zeros and digits", id(2).slice(4), ok(id(2))],
    ["the latest but this one", "latest", ok(id(2))],
    ["a number that none has", "12", fail("bad_request", "No session has the number 12. To list them: /sessions")],
  ])("by %s", (_, reference, expected) => {
    expect(findMeant(app, reference, { current: id(9), list })).toEqual(expected);
  });
});
