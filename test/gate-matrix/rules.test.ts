import { describe, expect, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { compileRules } from "../../src/gate/rules/compile-rules.ts";
import { enforcing, gateFor, type Layered, missing, questionOf } from "./asking.ts";
import { makeRuleProject } from "./rule-project.ts";

async function decide(call: string, layers: Layered, mode: Mode = "default") {
  const fixture = makeRuleProject();
  const { decision, source, rule, firm } = await gateFor(fixture, layers).judge(
    await questionOf(fixture, call, { mode }),
  );
  return { decision, source, ...(rule === undefined ? {} : { rule }), ...(firm ? { firm } : {}) };
}

describe("every layer can speak, and deny wins", () => {
  const layers = ["managed", "command_line", "user_project", "user", "project", "session"] as const;
  const sources = {
    managed: "managed",
    command_line: "command_line",
    user_project: "user",
    user: "user",
    project: "project",
    session: "session",
  };

  test.each(layers)("%s", async (layer) => {
    const source = sources[layer];
    const rule = "Bash(npm test)";
    expect(await decide("bash npm test", { [layer]: { deny: [rule] } })).toEqual({ decision: "deny", source, rule });
    expect(await decide("bash npm test", { [layer]: { ask: [rule] } }, "bypass")).toEqual({
      decision: "ask",
      source,
      rule,
      firm: true,
    });
    const allowed = await decide("bash npm test", { [layer]: { allow: [rule] } });
    // A project file only narrows, and a grant counts only with the directory it was given in.
    expect(allowed).toEqual(
      layer === "project" || layer === "session"
        ? { decision: "ask", source: "mode" }
        : { decision: "allow", source, rule },
    );
  });

  test.each(layers.flatMap((denying) => layers.map((allowing) => [denying, allowing] as const)))(
    "deny of %s beats allow of %s in every mode",
    async (denying, allowing) => {
      const rules: Layered = { [denying]: { deny: ["Edit(/src/**)"] } };
      const layered: Layered = {
        ...rules,
        [allowing]: { ...rules[allowing], allow: ["Edit(/src/a.ts)", "Bash(touch:*)", "edit"] },
      };
      for (const mode of ["default", "acceptEdits", "bypass", "auto"] as const) {
        expect(await decide("edit src/a.ts", layered, mode)).toMatchObject({ decision: "deny", rule: "Edit(/src/**)" });
        expect(await decide("bash touch src/a.ts", layered, mode)).toMatchObject({ decision: "deny" });
      }
    },
  );

  test("ask beats allow", async () => {
    const layered: Layered = { user: { allow: ["Bash(npm:*)"] }, project: { ask: ["Bash(npm test)"] } };
    expect(await decide("bash npm test", layered)).toMatchObject({ decision: "ask", firm: true, source: "project" });
    expect(await decide("bash npm run build", layered)).toMatchObject({ decision: "allow" });
  });
});

describe("rules bind effects, not tools", () => {
  test.each<[string, Layered, string]>([
    // Denied writing is denied to every tool that would write.
    ["edit src/a.ts", { user: { deny: ["Edit(/src/**)"] } }, "deny"],
    ["write src/new.ts", { user: { deny: ["Edit(/src/**)"] } }, "deny"],
    ["delete src/a.ts", { user: { deny: ["Edit(/src/**)"] } }, "deny"],
    ["bash echo x > src/a.ts", { user: { deny: ["Edit(/src/**)"] } }, "deny"],
    ["bash rm -rf src", { user: { deny: ["Edit(/src/private/**)"] } }, "deny"],
    ["bash mv src lib", { user: { deny: ["Edit(/src/private/**)"] } }, "deny"],
    ["bash cp -r docs src/private", { user: { deny: ["Edit(/src/private/**)"] } }, "deny"],
    ["delete src", { user: { deny: ["Edit(key.txt)"] } }, "deny"],
    ["delete docs", { user: { deny: ["Edit(key.txt)"] } }, "ask"],
    ["edit src/a.ts", { user: { deny: ["Edit"] } }, "deny"],
    ["bash touch x", { user: { deny: ["Edit"] } }, "deny"],
    // Denied reading likewise, by either name of the file and in any letter case.
    ["read src/private/key.txt", { user: { deny: ["Read(/src/private/**)"] } }, "deny"],
    ["read SRC/Private/key.txt", { user: { deny: ["Read(/src/private/**)"] } }, "deny"],
    ["read alias", { user: { deny: ["Read(/src/private/**)"] } }, "deny"],
    ["read alias", { user: { deny: ["Read(alias)"] } }, "deny"],
    ["bash cat src/private/key.txt", { user: { deny: ["Read(/src/private/**)"] } }, "deny"],
    ["bash cd src/private && cat key.txt", { user: { deny: ["Read(key.txt)"] } }, "deny"],
    ["bash head -1 < alias", { user: { deny: ["Read(key.txt)"] } }, "deny"],
    ["list src/private", { user: { deny: ["Read(/src/private)"] } }, "deny"],
    ["read src/a.ts", { user: { deny: ["Read"] } }, "deny"],
    ["bash npm test", { user: { deny: ["Read"] } }, "deny"],
    ["read package.json", { user: { deny: ["Read(/src/**)"] } }, "allow"],
    // Commands, one by one.
    ["bash ls && npm publish", { user: { deny: ["Bash(npm publish:*)"] } }, "deny"],
    ["bash ls | npm publish", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash echo $(npm publish)", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash for i in a; do npm publish; done", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash sudo npm publish", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash bash -c 'npm publish'", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash /usr/bin/npm publish", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash X=1 npm publish", { user: { deny: ["Bash(npm publish)"] } }, "deny"],
    ["bash echo npm publish", { user: { deny: ["Bash(npm publish)"] } }, "allow"],
    ["bash ls", { user: { deny: ["Bash"] } }, "deny"],
    ["bash # nothing", { user: { deny: ["Bash"] } }, "deny"],
    ["bash curl https://a.evil.com/x", { user: { deny: ["WebFetch(domain:evil.com)"] } }, "deny"],
    ["grep x src", { user: { deny: ["Grep"] } }, "deny"],
  ])("%s with %j", async (call, layers, expected) => {
    expect((await decide(call, layers, "bypass")).decision).toBe(expected === "ask" ? "allow" : expected);
  });

  test.each<[string, readonly string[], string]>([
    ["bash npm test", ["Bash(npm test)"], "allow"],
    ["bash npm test -- --watch", ["Bash(npm test)"], "ask"],
    ["bash npm test -- --watch", ["Bash(npm test:*)"], "allow"],
    ["bash npm test", ["bash(npm test)"], "allow"],
    ["bash cd src && npm test | tail -5", ["Bash(npm test)"], "allow"],
    ["bash npm test && rm -rf dist", ["Bash(npm test)"], "ask"],
    ["bash npm test && git push", ["Bash(npm test)", "Bash(git push:*)"], "allow"],
    ["bash npm test || frob x; git push origin main", ["Bash(npm test)", "Bash(git * main)", "Bash(frob:*)"], "allow"],
    ["bash npm test & git push", ["Bash(npm test *)"], "ask"],
    ["bash git push x && frob main", ["Bash(git * main)"], "ask"],
    ["bash npm test; frobnicate", ["Bash(npm:*)"], "ask"],
    ["bash npm test $(frob)", ["Bash(npm:*)"], "ask"],
    ["bash X=1 npm test", ["Bash(npm:*)"], "ask"],
    ["bash npm test > out.txt", ["Bash(npm:*)"], "ask"],
    ["bash npm test > out.txt", ["Bash(npm:*)", "Edit(out.txt)"], "allow"],
    ["bash npm test > .github/workflows/x.yml", ["Bash(npm:*)", "Edit(/**)"], "ask"],
    ["bash rm -rf dist", ["Bash(rm:*)"], "allow"],
    ["bash rm -rf dist", ["Edit(/dist/**)"], "ask"],
    ["bash rm -rf dist", ["Delete(/dist/**)"], "allow"],
    ["bash rm -rf ../x", ["Bash(rm:*)"], "deny"],
    ["bash cat /etc/hosts", ["Bash(cat:*)"], "ask"],
    ["bash cat /etc/hosts", ["Bash(cat /etc/hosts)"], "allow"],
    ["bash cat /etc/hosts", ["Read(//etc/hosts)"], "allow"],
    ["read /etc/hosts", ["Read(//etc/**)"], "allow"],
    ["read /etc/hosts", ["Read"], "ask"],
    ["read .env", ["Read(.env)", "Read", "read"], "deny"],
    ["bash cat .env", ["Bash(cat .env)", "Bash"], "deny"],
    ["edit src/a.ts", ["Edit(/src/**)"], "allow"],
    ["edit src/a.ts", ["Edit(/src/A.ts)"], "ask"],
    ["edit src/a.ts", ["Edit"], "allow"],
    ["edit src/a.ts", ["edit"], "allow"],
    ["edit src/a.ts", ["Write"], "ask"],
    ["delete src/a.ts", ["Edit(/src/**)"], "ask"],
    ["delete src/a.ts", ["Delete(/src/**)"], "allow"],
    ["edit package-lock.json", ["Edit(package-lock.json)"], "ask"],
    ["bash git reset --hard", ["Bash(git reset --hard)"], "allow"],
    ["bash git reset --hard", ["Bash(git:*)"], "allow"],
    ["bash git reset --hard HEAD~1", ["Bash(git reset --hard)"], "deny"],
    ["bash git reset --hard && frob", ["Bash(git reset --hard)"], "ask"],
    ["bash ./run.sh", ["Bash(run.sh)"], "ask"],
    ["bash ./run.sh", ["Bash(./run.sh)"], "allow"],
    ["bash curl https://example.com", ["WebFetch(domain:example.com)"], "ask"],
    ["bash for f in *.ts; do echo $f; done", ["Bash(for f in \\*.ts; do echo $f; done)"], "allow"],
    ["grep AKIA src", ["Read(/src/**)"], "ask"],
    ["grep AKIA src", ["grep"], "allow"],
  ])("%s with allow %j: %s", async (call, allow, expected) => {
    expect((await decide(call, { user: { allow } })).decision).toBe(expected);
  });

  test("a rule that cannot be read refuses everything, and never allows", async () => {
    expect(await decide("read package.json", { user: { deny: ["Write(src/**)"] } })).toMatchObject({
      decision: "deny",
      source: "user",
    });
    expect(await decide("read package.json", { user: { ask: ["Bash("] } })).toMatchObject({
      decision: "ask",
      firm: true,
    });
    expect(await decide("bash npm test", { user: { allow: ["Bash(npm"] } })).toMatchObject({ decision: "ask" });
  });

  test("a denied path inside a tree that is read becomes an exception", async () => {
    const fixture = makeRuleProject();
    const gate = gateFor(fixture, { user: { deny: ["Read(/src/private/**)", "Read(*.md)"] } });
    const verdict = await gate.judge(await questionOf(fixture, "grep x ."));
    expect(verdict.decision).toBe("allow");
    expect(verdict.exceptions).toEqual([
      { path: fixture.path(".env"), scope: "tree", reason: "a secret" },
      { path: fixture.path("docs/x.md"), scope: "tree", reason: "denied by Read(*.md)", rule: "Read(*.md)" },
      {
        path: fixture.path("src/private"),
        scope: "tree",
        reason: "denied by Read(/src/private/**)",
        rule: "Read(/src/private/**)",
      },
    ]);
  });
});

describe("grants", () => {
  const grant = (rule: string, cwd: string, expiresAt?: string) => ({
    rule,
    cwd,
    request: "req_1",
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });

  test.each<[string, string, string, string | undefined]>([
    ["bash npm test", "Bash(npm test)", "allow", undefined],
    ["bash rm -rf dist", "Bash(npm test)", "ask", undefined],
    // Wherever the command stands among others, but not where it would run in another directory.
    ["bash npm test && git status | tail -1", "Bash(npm test)", "allow", undefined],
    ["bash npm test && rm -rf dist", "Bash(npm test)", "ask", undefined],
    ["bash npm test -- --watch", "Bash(npm test)", "ask", undefined],
    ["bash cd src && npm test", "Bash(npm test)", "ask", undefined],
    ["bash cd src; cd ..; npm test", "Bash(npm test)", "allow", undefined],
    ["bash npm test; cd src", "Bash(npm test)", "allow", undefined],
    ["bash frob && npm test", "Bash(npm test)", "ask", undefined],
    ["bash eval 'cd src'; npm test", "Bash(npm test)", "ask", undefined],
    ["bash . ./run.sh; npm test", "Bash(npm test)", "ask", undefined],
    ["bash for f in src; do rm -r $f; done", "Bash(rm -r $f)", "ask", undefined],
    ["bash for f in dist; do rm -r $f; done", "Bash(rm -r dist)", "allow", undefined],
    ["bash npm test", "Bash(npm test)", "allow", "2026-01-01T00:00:00.000Z"],
    ["bash npm test", "Bash(npm test)", "ask", "1970-01-01T00:00:00.000Z"],
    ["edit src/a.ts", "Edit(/src/a.ts)", "allow", undefined],
    ["edit src/b.ts", "Edit(/src/a.ts)", "ask", undefined],
    // What loses work needs a saved rule.
    ["bash git reset --hard", "Bash(git reset --hard)", "deny", undefined],
    ["bash curl x | sh", "Bash(curl x | sh)", "deny", undefined],
  ])("%s under %s: %s", async (call, rule, expected, expiresAt) => {
    const fixture = makeRuleProject();
    const question = await questionOf(fixture, call, { grants: [grant(rule, fixture.root, expiresAt)] });
    expect((await gateFor(fixture).judge(question)).decision).toBe(expected);
  });

  test("a command that was agreed to in one directory is not agreed to in another", async () => {
    const fixture = makeRuleProject();
    const elsewhere = `${fixture.root}/src`;
    const question = await questionOf(fixture, "bash npm test", { grants: [grant("Bash(npm test)", elsewhere)] });
    expect((await gateFor(fixture).judge(question)).decision).toBe("ask");
  });

  test("a policy's deny beats a grant", async () => {
    const fixture = makeRuleProject();
    const gate = gateFor(fixture, { managed: { deny: ["Bash(npm:*)"] } });
    const question = await questionOf(fixture, "bash npm test", { grants: [grant("Bash(npm test)", fixture.root)] });
    expect(await gate.judge(question)).toMatchObject({ decision: "deny", source: "managed" });
  });
});

describe("rules that end", () => {
  const until = Date.parse("2026-03-01T00:00:00Z");
  const rule = (text: string, action: "allow" | "ask" | "deny") => ({
    text,
    action,
    layer: "user" as const,
    origin: "user.json",
    match: [],
    noMatch: [],
    expires: "2026-02-28",
  });

  test.each([
    ["allow", "allow", "ask"],
    ["deny", "deny", "ask"],
  ] as const)("%s holds until its day is over", async (action, before, after) => {
    const fixture = makeRuleProject();
    const { rules } = compileRules([rule("Bash(npm test)", action)], { workspace: fixture.root, home: fixture.home });
    const time = { now: until - 1 };
    const gate = gateFor(fixture, {}, { rules, time });
    const decide = async () => (await gate.judge(await questionOf(fixture, "bash npm test"))).decision;
    expect(await decide()).toBe(before);
    time.now = until;
    expect(await decide()).toBe(after);
  });

  test("what it kept closed inside a tree is open again", async () => {
    const fixture = makeRuleProject();
    const places = { workspace: fixture.root, home: fixture.home };
    const { rules } = compileRules([rule("Read(/docs/**)", "deny")], places);
    const time = { now: until - 1 };
    const gate = gateFor(fixture, {}, { rules, time });
    const closed = async () =>
      (await gate.judge(await questionOf(fixture, "grep x ."))).exceptions.map(({ path }) => path);
    expect(await closed()).toEqual([fixture.path(".env"), fixture.path("docs")]);
    time.now = until;
    expect(await closed()).toEqual([fixture.path(".env")]);
  });
});

describe("mode, risk and sandbox together", () => {
  const calls = ["read package.json", "edit src/a.ts", "bash npm test", "bash rm -rf dist", "read .env"] as const;
  const external = { ...enforcing, backend: "external" as const };
  //                      R1       R2       R3       R4      R5
  const table: readonly (readonly [Mode, typeof enforcing, readonly string[]])[] = [
    ["default", enforcing, ["allow", "ask", "ask", "ask", "deny"]],
    ["default", external, ["allow", "ask", "ask", "ask", "deny"]],
    ["default", missing, ["allow", "ask", "ask", "deny", "deny"]],
    ["acceptEdits", enforcing, ["allow", "allow", "ask", "ask", "deny"]],
    ["acceptEdits", external, ["allow", "allow", "ask", "ask", "deny"]],
    ["acceptEdits", missing, ["allow", "ask", "ask", "deny", "deny"]],
    ["auto", enforcing, ["allow", "allow", "allow", "ask", "deny"]],
    ["auto", external, ["allow", "allow", "allow", "ask", "deny"]],
    ["auto", missing, ["allow", "ask", "ask", "deny", "deny"]],
    ["bypass", enforcing, ["allow", "allow", "allow", "allow", "deny"]],
    ["bypass", missing, ["allow", "allow", "allow", "deny", "deny"]],
    ["dontAsk", enforcing, ["allow", "deny", "deny", "deny", "deny"]],
    ["dontAsk", missing, ["allow", "deny", "deny", "deny", "deny"]],
    ["plan", enforcing, ["allow", "deny", "deny", "deny", "deny"]],
    ["plan", missing, ["allow", "deny", "deny", "deny", "deny"]],
  ];
  test.each(table)("%s %j", async (mode, sandbox, expected) => {
    const fixture = makeRuleProject();
    const gate = gateFor(fixture);
    const decisions: string[] = [];
    for (const call of calls) {
      decisions.push((await gate.judge(await questionOf(fixture, call, { mode, sandbox }))).decision);
    }
    expect(decisions).toEqual(expected);
  });
});
