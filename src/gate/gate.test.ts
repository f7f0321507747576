import { describe, expect, test } from "vitest";
import { gateFor, questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { Permit, Verdict } from "../contract/verdict.ts";

const yes = { request: "req_1", answer: "allow" } as const;

describe("permits", () => {
  test("hold exactly what was judged", async () => {
    const fixture = makeFixture({ "a.txt": "x", ".env": "x" });
    const gate = gateFor(fixture);
    const question = await questionOf(fixture, "read a.txt");
    const permit = gate.permit(question, await gate.judge(question));
    expect(permit).toEqual({
      intentId: "int_1",
      digest: question.checked.digest,
      effects: question.report.effects,
      exceptions: [],
      sandbox: { readable: [fixture.root], writable: [], protected: [], masked: [], network: "none" },
      expiresAt: 61_000,
    });
    expect(Object.isFrozen(permit)).toBe(true);
  });

  test("are good once, for a time, and only from this gate", async () => {
    const fixture = makeFixture({ "a.txt": "x" });
    const time = { now: 1_000 };
    const gate = gateFor(fixture, {}, { time });
    const question = await questionOf(fixture, "read a.txt");
    const verdict = await gate.judge(question);

    const permit = gate.permit(question, verdict);
    expect([gate.redeem(permit), gate.redeem(permit)]).toEqual([true, false]);
    expect(gate.redeem({ ...gate.permit(question, verdict) })).toBe(false);
    expect(gateFor(fixture).redeem(gate.permit(question, verdict))).toBe(false);

    const late = gate.permit(question, verdict);
    time.now = late.expiresAt;
    expect(gate.redeem(late)).toBe(false);
    time.now = 1_000;
    // Once refused it does not come back.
    expect(gate.redeem(late)).toBe(false);
  });

  test("need a verdict of this gate that allows this very call", async () => {
    const fixture = makeFixture({ "a.txt": "x", "b.txt": "x", ".env": "x" });
    const gate = gateFor(fixture);
    const read = await questionOf(fixture, "read a.txt");
    const other = await questionOf(fixture, "read b.txt");
    const edit = await questionOf(fixture, "edit a.txt");
    const secret = await questionOf(fixture, "read .env");
    const explained = { ...read, explainOnly: true };
    const allowed = await gate.judge(read);
    const asked = await gate.judge(edit);
    const denied = await gate.judge(secret);
    const forged: Verdict = { ...denied, decision: "allow" };

    const attempts: (() => Permit)[] = [
      () => gate.permit(edit, asked),
      () => gate.permit(secret, denied),
      () => gate.permit(secret, forged),
      () => gate.permit(other, allowed),
      () => gate.permit(edit, allowed),
      () => gate.permit(read, { ...allowed }),
      () => gateFor(fixture).permit(read, allowed),
      () => gate.permitAnswered(read, allowed, yes),
      () => gate.permitAnswered(secret, denied, yes),
      () => gate.permitAnswered(read, asked, yes),
      () => gate.permitAnswered(edit, asked, { ...yes, answer: "deny" }),
      () => gate.permit(explained, allowed),
    ];
    for (const attempt of attempts) expect(attempt).toThrow();
    const explanation = await gate.judge(explained);
    expect(() => gate.permit(read, explanation)).toThrow("An explanation cannot be turned into a permit");
    expect(gate.permitAnswered(edit, asked, yes)).toMatchObject({ digest: edit.checked.digest });
  });

  test("an answer covers the call as it was shown: the same effects, looked up again", async () => {
    const fixture = makeFixture({ "src/a.txt": "x" });
    fixture.link("link", "src");
    const gate = gateFor(fixture);
    const question = await questionOf(fixture, "bash npm test; cat link/a.txt; ls -R .");
    const verdict = await gate.judge(question);
    expect(verdict).toMatchObject({ decision: "ask", exceptions: [] });
    fixture.write(".env", "x");
    const again = await questionOf(fixture, "bash npm test; cat link/a.txt; ls -R .");
    expect(gate.permitAnswered(again, verdict, yes).exceptions).toEqual([
      { path: fixture.path(".env"), scope: "tree", reason: "a secret" },
    ]);

    const moved = { ...again, report: { ...again.report, effects: again.report.effects.slice(1) } };
    expect(() => gate.permitAnswered(moved, verdict, yes)).toThrow("another call");
  });
});

test("whatever fails inside is a deny, and no permit follows from it", async () => {
  const fixture = makeFixture({ "a.txt": "x" });
  const gate = gateFor(
    fixture,
    {},
    {
      classify: () => {
        throw new Error("no such table");
      },
    },
  );
  const question = await questionOf(fixture, "edit a.txt");
  const verdict = await gate.judge(question);
  expect(verdict).toEqual({
    decision: "deny",
    reason: "the decision failed, so the call is denied: no such table",
    source: "tool_limit",
    code: "policy_denied",
    risk: "R2",
    firm: true,
    exceptions: [],
  });
  expect(() => gate.permit(question, verdict)).toThrow("cannot be turned into a permit");
});

describe("the profile of a command", () => {
  const files = {
    "a.txt": "x",
    ".env": "x",
    "src/b.ts": "x",
    "locked/c.ts": "x",
    "node_modules/x/.npmrc": "x",
    ".git/config": "x",
    ".vscode/settings.json": "x",
    ".github/workflows/ci.yml": "x",
  };

  async function profile(call: string, deny: readonly string[] = []) {
    const fixture = makeFixture(files);
    const gate = gateFor(fixture, { user: { deny } });
    const question = await questionOf(fixture, call);
    const verdict = await gate.judge(question);
    const permit =
      verdict.decision === "allow" ? gate.permit(question, verdict) : gate.permitAnswered(question, verdict, yes);
    const short = (path: string) => path.replace(`${fixture.root}/`, "").replace(fixture.root, ".");
    const { readable, writable, protected: closed, masked, network } = permit.sandbox;
    return {
      readable: readable.map(short),
      writable: writable.map(short),
      protected: closed.map(short),
      masked: masked.map((entry) => short(entry.path)),
      network,
    };
  }

  const everything = {
    protected: [".git", ".github/workflows", ".vscode"],
    masked: [".env", "node_modules/x/.npmrc"],
  };
  const common = { readable: ["."], writable: ["."], network: "none", ...everything };

  test("reads are read-only, with secrets hidden", async () => {
    expect(await profile("bash cat a.txt")).toEqual({ ...common, writable: [], protected: [] });
  });

  test("what runs may write, except where writing would run something", async () => {
    expect(await profile("bash npm test")).toEqual(common);
    expect(await profile("bash frobnicate")).toEqual(common);
    expect(await profile("bash touch x")).toEqual(common);
  });

  test("deny rules reach into the sandbox", async () => {
    expect(await profile("bash npm test", ["Edit(/locked/**)", "Read(/src/**)"])).toEqual({
      ...common,
      protected: [".git", ".github/workflows", ".vscode", "locked"],
      masked: [".env", "node_modules/x/.npmrc", "src"],
    });
    expect(await profile("bash npm test", ["Edit"])).toEqual({ ...common, writable: [], protected: [] });
  });

  test("an agreed read outside becomes visible, and nothing else does", async () => {
    expect(await profile("bash cat /etc/hosts")).toMatchObject({ readable: [".", "/etc/hosts"] });
  });

  test("git itself may write in .git, except where that would run or redirect something", async () => {
    expect(await profile("bash git commit -m x")).toMatchObject({
      protected: [".git/config", ".github/workflows", ".vscode"],
    });
  });

  test("an agreed change of a protected place can happen, as long as every part is understood", async () => {
    expect(await profile("bash touch .vscode/x.json")).toMatchObject({
      protected: [".git", ".github/workflows"],
    });
    expect(await profile("bash touch .vscode/x.json && npm test")).toMatchObject({ protected: everything.protected });
  });

  test.each(["touch .", "mkdir -p .", "chmod 755 .", "touch .github", "touch .; ln -s .git g; echo x > g/hooks/y"])(
    "%s changes a directory and opens nothing in it",
    async (command) => {
      expect(await profile(`bash ${command}`)).toMatchObject({ protected: everything.protected });
    },
  );

  test("a tree that is removed holds no masks, as long as every part is understood", async () => {
    expect(await profile("bash rm -rf node_modules")).toMatchObject({ masked: [".env"] });
    expect(await profile("bash rm -rf node_modules && npm test")).toMatchObject({ masked: everything.masked });
  });

  test("a search with a tool hides what is closed in its tree", async () => {
    expect(await profile("grep x .")).toEqual({
      ...common,
      writable: [],
      protected: [],
      masked: [".env", "node_modules/x/.npmrc"],
    });
  });
});

test("a bare deny takes tools off the menu", () => {
  const fixture = makeFixture();
  const names = [
    "bash",
    "Bash",
    "read",
    "grep",
    "glob",
    "list",
    "edit",
    "write",
    "multi_edit",
    "patch",
    "move",
    "delete",
    "web_fetch",
    "mcp__gh__issue",
    "mcp__x__y",
    "frob",
  ];
  const hidden = (deny: readonly string[]) => {
    const gate = gateFor(fixture, { user: { deny } });
    return names.filter((name) => gate.bareDenied(name) !== undefined);
  };
  expect(hidden([])).toEqual([]);
  expect(hidden(["Bash"])).toEqual(["bash", "Bash"]);
  expect(hidden(["Bash(*)"])).toEqual(["bash", "Bash"]);
  expect(hidden(["Bash(rm:*)"])).toEqual([]);
  expect(hidden(["Edit"])).toEqual(["edit", "write", "multi_edit", "patch", "move", "delete"]);
  expect(hidden(["Edit(/src/**)"])).toEqual([]);
  expect(hidden(["Read"])).toEqual(["read", "grep", "glob", "list"]);
  expect(hidden(["Write", "WebFetch"])).toEqual(["write", "web_fetch"]);
  expect(hidden(["mcp__gh"])).toEqual(["mcp__gh__issue"]);
  expect(hidden(["mcp__x__y", "frob"])).toEqual(["mcp__x__y", "frob"]);
  expect(gateFor(fixture, { user: { deny: ["Bash"] } }).bareDenied("bash")).toBe("Bash");
  expect(gateFor(fixture, { user: { ask: ["Bash"], allow: ["Read"] } }).bareDenied("bash")).toBeUndefined();
});
