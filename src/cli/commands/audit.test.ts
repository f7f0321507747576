import { describe, expect, it } from "vitest";
import { appWithArchive } from "../../../test/support/archive.ts";
import { run } from "../../../test/support/surface.ts";
import { ok } from "../../contract/codes.ts";

describe("gauntlet audit", () => {
  it("verify says that everything holds", async () => {
    const ran = await run(["audit", "verify"], { app: appWithArchive() });
    expect([ran.code, ran.stdout]).toEqual([0, "✓ ses_1  3 events  abc\n1 session checked, 0 broken\n"]);
  });

  it("verify names what does not hold and exits 1", async () => {
    let asked: string | undefined;
    const report = {
      session: "ses_1",
      imported: false,
      ok: false,
      events: 3,
      head: "abc",
      problems: [{ seq: 2, problem: "hash differs" }],
    };
    const app = appWithArchive({
      verify: (id) => {
        asked = id;
        return ok([report]);
      },
    });
    const ran = await run(["audit", "verify", "ses_1"], { app });
    expect([ran.code, asked]).toEqual([1, "ses_1"]);
    expect(ran.stdout).toContain("    event 2: hash differs\n");
    const json = await run(["audit", "verify", "ses_1", "--json"], { app });
    expect([json.code, JSON.parse(json.stdout)]).toEqual([1, [report]]);
  });

  it("verify tells in one line what could not be checked, and the exit code stays", async () => {
    const facts = { imported: false, ok: true, events: 3, head: "abc", problems: [], notice: "unseen" };
    const report = (session: string) => ({ session, ...facts });
    const app = appWithArchive({ verify: () => ok([report("ses_1"), report("ses_2")]) });
    const ran = await run(["audit", "verify"], { app });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      "✓ ses_1  3 events  abc\n✓ ses_2  3 events  abc\n2 sessions checked, 0 broken\nnotice: 2 sessions: unseen\n",
    ]);
    const json = await run(["audit", "verify", "--json"], { app });
    expect([json.code, JSON.parse(json.stdout)]).toEqual([0, [report("ses_1"), report("ses_2")]]);
  });

  it("why warns and exits 1 when the log that answers does not hold", async () => {
    const problems = [{ seq: 2, problem: "changed" }];
    const broken = { session: "ses_1", imported: false, ok: false, events: 3, head: "abc", problems };
    const ran = await run(["audit", "why", "evt_3"], { app: appWithArchive({ verify: () => ok([broken]) }) });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      "The log is damaged: event 2: changed. Do not rely on it. Run gauntlet audit verify ses_1.",
    );
  });

  it("says of what was imported that it was, and who else has a call of that name", async () => {
    const others = Array.from({ length: 6 }, (_, index) => ({ session: `ses_${index + 2}`, imported: index === 0 }));
    const plain = appWithArchive().archive?.();
    const answer = plain?.ok ? plain.value.why("evt_3") : undefined;
    if (answer?.ok !== true) throw new Error("The call must be known.");
    const app = appWithArchive({
      verify: () => ok([{ session: "ses_1", imported: true, ok: true, events: 3, head: "abc", problems: [] }]),
      why: () => ok({ ...answer.value, imported: true, alsoIn: others }),
    });
    const why = await run(["audit", "why", "evt_3"], { app });
    expect(why.stdout.split("\n").slice(1, 5)).toEqual([
      "session ses_1, intent a",
      "notice: this session was imported: all of this is as its author wrote it.",
      "notice: a call with this id is also in ses_2 (imported), ses_3, ses_4, ses_5, ses_6 and 1 more.",
      "",
    ]);
    expect((await run(["audit", "verify"], { app })).stdout).toContain("✓ ses_1  3 events  abc  imported\n");
  });

  it("why prints questions, answers and the chain", async () => {
    const ran = await run(["audit", "why", "evt_3"], { app: appWithArchive() });
    expect(ran.stdout.split("\n")).toEqual([
      "bash done  ok",
      "session ses_1, intent a",
      "",
      "Who proposed it?",
      "  A program.",
      "  evt_2",
      "What changed?",
      "  Nothing.",
      "What was on the menu?",
      "  1 tool. `--json` shows all of it.",
      "",
      "1  08:00:01.000  session.created       evt_1",
      "2  08:00:02.000  tool_intent.proposed  evt_2",
      "3  08:00:03.000  tool.observed         evt_3",
      "",
    ]);
  });

  it("why does not guess", async () => {
    const ran = await run(["audit", "why", "evt_9", "--json"], { app: appWithArchive() });
    expect([ran.code, JSON.parse(ran.stdout).code]).toEqual([2, "bad_request"]);
  });
});
