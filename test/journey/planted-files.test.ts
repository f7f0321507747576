import { execFileSync } from "node:child_process";
import { existsSync, linkSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { agreeable, direct, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const planted = [
  { file: ".npmrc", what: "protected: credentials" },
  { file: ".yarnrc.yml", what: "protected: package-manager or tool-chain configuration" },
  { file: "CLAUDE.md", what: "protected: agent or MCP configuration" },
  { file: ".devcontainer/devcontainer.json", what: "protected: editor configuration" },
  { file: ".github/workflows/x.yml", what: "protected: CI workflow" },
];

const plant = [
  "mkdir -p 0 .github/workflows .devcontainer",
  "for i in $(seq 1 60); do echo junk > 0/$i; done",
  ...planted.map(({ file }) => `echo x > ${file} || true`),
].join("\n");

describe("what a script leaves behind for others to believe", () => {
  test("is told first, to the model and to the person, whatever else it made", async () => {
    const workspace = makeWorkspace({ "plant.sh": plant });
    const gauntlet = await openGauntlet(workspace, { mode: "auto", settings: direct, onAsk: agreeable() });
    const { user, model, effects } = await gauntlet.call({ tool: "bash", input: { command: "bash ./plant.sh" } });
    const list = model.content.find(({ label }) => label === "files that changed while it ran")?.text.split("\n") ?? [];
    // What the sandbox keeps from being made at all need not be told.
    const left = planted.filter(({ file }) => existsSync(workspace.path(file)));
    expect(left.map(({ file }) => file)).toContain("CLAUDE.md");
    const lines = left.map(({ file, what }) => `created ${file} (${what})`);
    expect(list.slice(0, 10).filter((line) => lines.includes(line))).toEqual(lines);
    expect(lines.filter((line) => !user.text.includes(line))).toEqual([]);
    expect(effects.seen).toEqual(
      expect.arrayContaining(
        left.map(({ file, what }) => ({
          op: "write",
          target: workspace.path(file),
          change: "created",
          note: what,
        })),
      ),
    );
  });

  test("is told when it comes from the background", async () => {
    const workspace = makeWorkspace({ "plant.sh": plant });
    const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk: agreeable() });
    const input = { command: "bash ./plant.sh", run_in_background: true };
    const started = await gauntlet.call({ tool: "bash", input });
    const id = started.model.next?.input.id;
    const { user } = await gauntlet.call({ tool: "task_output", input: { id, wait_ms: 20_000 } });
    expect(user.text).toMatch(/ It also created .*CLAUDE\.md \(protected: /);
  });

  test.each([
    ["off", agreeable()],
    ["auto", unwilling()],
  ] as const)("a link among git's own files does not stay, with transactions %s", async (use, onAsk) => {
    const names = ["COMMIT_EDITMSG", "logs/HEAD", "MERGE_MSG"];
    const workspace = makeWorkspace({
      "plant.sh": `for name in ${names.join(" ")}; do ln -sf ~+/../home/rc .git/$name; done\n`,
    });
    const rc = path.join(workspace.home, "rc");
    writeFileSync(rc, "mine\n");
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: workspace.root });
    git("init", "--quiet");
    git("config", "user.name", "a");
    git("config", "user.email", "a@b");
    const gauntlet = await openGauntlet(workspace, { mode: "auto", settings: { transactions: { use } }, onAsk });
    const command = "git add plant.sh && git commit -qm evil; bash ./plant.sh";
    await gauntlet.call({ tool: "bash", input: { command } });
    expect(onAsk.asked.length).toBeGreaterThan(0);
    const kinds = names.map((name) => lstatSync(workspace.path(`.git/${name}`), { throwIfNoEntry: false }));
    expect(kinds.filter((stat) => stat?.isSymbolicLink())).toEqual([]);
    git("commit", "--quiet", "--allow-empty", "--message", "mine");
    expect(readFileSync(rc, "utf8")).toBe("mine\n");
  });

  test("a change that reached further than its name", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    linkSync(workspace.path("a.txt"), path.join(workspace.home, "b.txt"));
    const gauntlet = await openGauntlet(workspace, { mode: "auto", settings: direct, onAsk: agreeable() });
    const { user } = await gauntlet.call({ tool: "bash", input: { command: "echo two >> a.txt" } });
    expect(user.text).toBe(
      "echo two >> a.txt finished with exit code 0. It also modified a.txt (it has other hard links, which changed too).",
    );
  });

  test.each([
    ["sub", ' The working directory is now "sub".'],
    ["none", ""],
    ["link", ""],
    ["file.txt", ""],
  ])("a command that claims to have ended in %s", async (place, told) => {
    const workspace = makeWorkspace({ "sub/a.txt": "one\n", "file.txt": "x\n" });
    symlinkSync("/etc", workspace.path("link"));
    const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk: agreeable() });
    const command = `trap '' EXIT; printf '%s\\n' "$PWD/${place}" >&219`;
    const { summary, data } = await gauntlet.call({ tool: "bash", input: { command } });
    const cwd = told === "" ? workspace.root : workspace.path(place);
    expect([summary, data?.cwdAfter, gauntlet.session.state.cwd]).toEqual([
      `${command} finished with exit code 0.${told}`,
      told === "" ? undefined : place,
      cwd,
    ]);
  });
});
