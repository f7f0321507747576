import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";
import { observation as observationSchema } from "../contract/observation.ts";

/** The whole program, built from the sources as they are, in a process of its own, on a project of its own. */
const root = path.resolve(import.meta.dirname, "../..");
let built = "";
beforeAll(async () => {
  built = mkdtempSync(path.join(os.tmpdir(), "gauntlet-built-"));
  symlinkSync(path.join(root, "node_modules"), path.join(built, "node_modules"));
  writeFileSync(path.join(built, "package.json"), '{"type":"module"}');
  await bundle({ entries: { main: path.join(root, "src/main.ts") }, outDir: path.join(built, "dist"), features: {} });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

let place = "";
let project = "";
beforeEach(() => {
  place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-cli-"));
  project = path.join(place, "project");
  mkdirSync(project);
  mkdirSync(path.join(place, "home"));
  writeFileSync(path.join(project, "package.json"), '{"name":"sample"}\n');
  writeFileSync(path.join(project, "a.txt"), "one\ntwo\n");
  writeFileSync(path.join(project, ".env"), "TOKEN=hush-hush\n");
  writeFileSync(path.join(project, "check.sh"), "echo checked > checked.txt\n");
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function gauntlet(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(built, "dist/main.js"), ...args], {
    cwd: project,
    input,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: path.join(place, "home") },
  });
  return { status, stdout, stderr };
}

const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const sessionOf = (stderr: string) => /session (ses_\S+)/.exec(stderr)?.[1] ?? "";

describe("gauntlet in a process of its own", () => {
  it("pipe answers one intent with one Observation", () => {
    const ran = gauntlet(["pipe"], '{"id":"a","tool":"read","input":{"path":"package.json"}}\n');
    const [observation, ...others] = jsonLines(ran.stdout);
    expect([ran.status, others]).toEqual([0, []]);
    expect(observationSchema().parse(observation)).toMatchObject({ intentId: "a", ok: true, tool: "read" });
  });

  it("pipe answers batches in order, bad lines in their place, and refuses a repeated id", () => {
    const ran = gauntlet(
      ["pipe"],
      [
        '[{"id":"a","tool":"read","input":{"path":"a.txt"}},{"id":"b","tool":"read","input":{"path":"package.json"}}]',
        "nonsense",
        '{"id":"a","tool":"read","input":{"path":"a.txt"}}',
        '{"id":"c","tool":"list","input":{"path":"."}}',
      ].join("\n"),
    );
    expect(ran.status).toBe(0);
    expect(jsonLines(ran.stdout)).toMatchObject([
      { intentId: "a", ok: true },
      { intentId: "b", ok: true },
      { ok: false, code: "bad_request", line: 2 },
      { intentId: "a", ok: false, code: "bad_request" },
      { intentId: "c", ok: true },
    ]);
  });

  it("pipe --on-ask wait asks and goes on with the answer", () => {
    const asked = gauntlet(
      ["pipe", "--on-ask", "wait"],
      '{"id":"a","tool":"bash","input":{"command":"sh check.sh"}}\n',
    );
    expect(jsonLines(asked.stdout)).toMatchObject([
      { type: "permission_request", request: { intentId: "a", tool: "bash", prompt: { risk: expect.any(String) } } },
      { intentId: "a", ok: false, code: "approval_unavailable" },
    ]);
  });

  it.each([
    ["done", ["call", "read", '{"path":"a.txt"}'], 0],
    ["a tool that failed", ["call", "bash", '{"command":"sh absent.sh"}', "--allow", "Bash(sh absent.sh)"], 1],
    ["a tool that does not exist", ["call", "raed", "{}"], 2],
    ["input that does not wrap", ["call", "read", '{"path":5}'], 2],
    ["a rule that cannot be read", ["call", "read", "{}", "--allow", "Bash("], 2],
    ["a directory that does not exist", ["call", "read", "{}", "--cwd", "nowhere"], 2],
    ["a directory beside it that does not exist", ["call", "read", "{}", "--add-dir", "nowhere"], 2],
    ["a secret", ["call", "read", '{"path":".env"}'], 3],
    ["a deny rule", ["call", "read", '{"path":"a.txt"}', "--deny", "Read(./a.txt)"], 3],
    ["project code that nobody can agree to", ["call", "bash", '{"command":"sh check.sh"}'], 4],
    [
      "project code that was agreed to before",
      ["call", "bash", '{"command":"sh check.sh"}', "--allow", "Bash(sh check.sh)"],
      0,
    ],
  ] as const)("ends with the right exit code: %s", (_name, args, expected) => {
    const ran = gauntlet(args);
    expect({ status: ran.status, stderr: ran.stderr }).toMatchObject({ status: expected });
  });

  it("prints what came out, also of a command that failed, and nothing about permission then", () => {
    writeFileSync(path.join(project, "fail.sh"), "echo out; echo err >&2; exit 3\n");
    expect(gauntlet(["call", "read", '{"path":"a.txt"}']).stdout).toBe("lines 1-2 of 2\n1\tone\n2\ttwo\n");
    const failed = gauntlet(["call", "bash", '{"command":"sh fail.sh"}', "--allow", "Bash(sh fail.sh)"]);
    const hidden = "── hidden from the command\n.env: a secret\n";
    expect(failed.stdout).toBe(`sh fail.sh failed with exit code 3.\n── stdout\nout\n── stderr\nerr\n${hidden}`);
    expect(failed.stderr).not.toContain("--allow");
    const refused = gauntlet(["call", "read", '{"path":".env"}']);
    expect([refused.stdout, refused.stderr.match(/a secret/g)?.length]).toEqual(["", 1]);
  });

  it("fails when what was put into the background ends with it", () => {
    const ran = gauntlet([
      "call",
      "bash",
      '{"command":"sleep 30","run_in_background":true}',
      "--allow",
      "Bash(sleep 30)",
    ]);
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringMatching(/job_\S+ was ended with this command/) });
  });

  it("waits for a command that pipe would have put into the background, up to its deadline", () => {
    const state = path.join(place, "home", ".gauntlet");
    mkdirSync(state, { mode: 0o700 });
    const limited = (limits: object) => writeFileSync(path.join(state, "settings.json"), JSON.stringify({ limits }));
    const call = (command: string) =>
      gauntlet(["call", "bash", JSON.stringify({ command }), "--allow", `Bash(${command})`]);
    limited({ foregroundMs: 1 });
    expect(call("sleep 0.3")).toMatchObject({ status: 0, stdout: expect.stringContaining("exit code 0") });
    limited({ foregroundMs: 1, commandTimeoutMs: 300 });
    expect(call("sleep 30")).toMatchObject({ status: 1, stderr: expect.stringContaining("timeout") });
  });

  it("says which rule would have allowed what nobody could be asked about", () => {
    const ran = gauntlet(["call", "bash", '{"command":"sh check.sh"}']);
    const rule = /--allow '([^']+)'/.exec(ran.stderr)?.[1] ?? "";
    expect(gauntlet(["call", "bash", '{"command":"sh check.sh"}', "--allow", rule])).toMatchObject({ status: 0 });
  });

  it("goes on in a session: what was read there may be edited", () => {
    const edit = JSON.stringify({ path: "a.txt", old_string: "one", new_string: "1" });
    expect(gauntlet(["call", "edit", edit, "--mode", "acceptEdits"]).status).toBe(1);
    const session = sessionOf(gauntlet(["call", "read", '{"path":"a.txt"}']).stderr);
    expect(gauntlet(["call", "list", "{}", "--session", session.slice(0, -1)]).stderr).toContain(`session ${session}`);
    expect(gauntlet(["call", "edit", edit, "--mode", "acceptEdits", "--session", "latest"]).status).toBe(0);
    expect(readFileSync(path.join(project, "a.txt"), "utf8")).toBe("1\ntwo\n");
  });

  it("explains without doing", () => {
    const ran = gauntlet(["explain", "--shell", "rm a.txt", "--json"]);
    expect([ran.status, readdirSync(project).includes("a.txt")]).toEqual([0, true]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      decision: "allow",
      apply: "after_run",
      risk: "R4",
      reason: expect.any(String),
      source: expect.any(String),
      effects: expect.any(Array),
    });
    const many = gauntlet(["explain", "--shell", "--stdin"], '"ls"\n"cat .env"\n7\n');
    expect([many.status, jsonLines(many.stdout).map((reply) => reply.decision)]).toEqual([
      0,
      ["allow", "deny", undefined],
    ]);
  });

  it("keeps a log that can be read, checked, taken away and brought back", () => {
    const called = gauntlet(["call", "read", '{"path":"a.txt"}', "--json"]);
    const session = sessionOf(called.stderr);
    const { auditId } = JSON.parse(called.stdout);
    expect(JSON.parse(gauntlet(["sessions", "list", "--json"]).stdout)).toMatchObject([{ id: session, intents: 1 }]);
    expect(gauntlet(["sessions", "show", session]).stdout).toContain(auditId);
    expect(jsonLines(gauntlet(["sessions", "events", session, "--json"]).stdout).at(0)).toMatchObject({
      type: "session.created",
      seq: 1,
    });
    expect(gauntlet(["sessions", "events", session]).stdout).toContain("tool.observed");
    expect(gauntlet(["sessions", "replay", session]).stdout).toContain("Lines 1-2 of 2 of a.txt.");
    expect(gauntlet(["audit", "why", auditId]).stdout).toContain(session);
    expect(gauntlet(["audit", "verify"])).toMatchObject({ status: 0 });
    const exported = gauntlet(["sessions", "export", session]).stdout;
    rmSync(path.join(place, "home/.gauntlet"), { recursive: true });
    const imported = gauntlet(["sessions", "import"], exported);
    expect(imported.status).toBe(0);
    const replayed = jsonLines(gauntlet(["sessions", "replay", imported.stdout.trim(), "--json"]).stdout);
    expect(replayed).toMatchObject([{ kind: "call", auditId }]);
    expect(gauntlet(["sessions", "prune", "--max-size", "0"]).stdout).toContain("1 session removed");
    expect(JSON.parse(gauntlet(["sessions", "list", "--json"]).stdout)).toEqual([]);
  });

  it("shows the tools and the machine", () => {
    const tools = JSON.parse(gauntlet(["tools", "list", "--json"]).stdout);
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(expect.arrayContaining(["bash", "edit", "read"]));
    expect(gauntlet(["tools", "show", "read"]).stdout).toContain("path");
    expect(JSON.parse(gauntlet(["doctor", "--json"]).stdout).length).toBeGreaterThan(2);
  });

  it("does not run on settings that cannot be relied on, and drops what a project file may not say", () => {
    mkdirSync(path.join(project, ".gauntlet"));
    const file = path.join(project, ".gauntlet/settings.json");
    writeFileSync(file, '{"permissions":{"allow":["Bash(sh check.sh)"],"defaultMode":"bypass"}}');
    const ran = gauntlet(["call", "bash", '{"command":"sh check.sh"}']);
    expect([ran.status, ran.stderr.includes("permissions.defaultMode")]).toEqual([4, true]);
    writeFileSync(file, '{"permissions":{"denny":[]}}');
    expect(gauntlet(["call", "read", '{"path":"a.txt"}'])).toMatchObject({ status: 2, stdout: "" });
  });
});
