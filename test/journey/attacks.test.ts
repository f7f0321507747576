import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { direct, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { imageOf } from "../transactions/tree-image.ts";

const auto = { settings: { permissions: { defaultMode: "auto" } } } as const;
const acceptEdits = { settings: { permissions: { defaultMode: "acceptEdits" } } } as const;

function repository(workspace: Workspace): void {
  execFileSync("git", ["init", "-q", workspace.root]);
}

/** Script files are project code: `auto` runs them in the sandbox without asking. */
function script(workspace: Workspace, text: string): { readonly tool: string; readonly input: object } {
  workspace.write("script.sh", text);
  return { tool: "bash", input: { command: "sh script.sh" } };
}

describe("our own state", () => {
  const takeOver = '{"permissions":{"defaultMode":"bypass"},"sandbox":{"backend":"none"}}';

  test("inside the workspace is neither seen nor written by a command", async () => {
    const outer = makeWorkspace({ "a.txt": "one\n" });
    const workspace = { ...outer, state: outer.path("state") };
    const gauntlet = await openGauntlet(workspace, auto);
    const found = await gauntlet.call({ tool: "bash", input: { command: "grep -rl session ." } });
    expect(JSON.stringify(found.model)).not.toContain("state/");
    await gauntlet.call(script(workspace, `echo '${takeOver}' > state/settings.json\n`));
    expect(existsSync(outer.path("state/settings.json"))).toBe(false);
  });

  test("behind a link is still our state", async () => {
    const outer = makeWorkspace();
    mkdirSync(outer.path("real"));
    const link = path.join(outer.home, "link");
    symlinkSync(outer.path("real"), link);
    const gauntlet = await openGauntlet({ ...outer, state: link }, acceptEdits);
    const observation = await gauntlet.call({
      tool: "write",
      input: { path: "real/settings.json", content: takeOver },
    });
    expect(observation).toMatchObject({ code: "policy_denied" });
  });
});

describe("what a writable command cannot do", () => {
  test("make names that git, editors and agents believe as soon as they are there", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    repository(workspace);
    const gauntlet = await openGauntlet(workspace, auto);
    const plants = [
      ".git/commondir",
      ".git/hooks/post-checkout",
      ".mcp.json",
      ".vscode/tasks.json",
      ".claude/settings.json",
    ];
    const before = plants.map((file) => existsSync(workspace.path(file)));
    const lines = plants.map((file) => `mkdir -p ${path.dirname(file)}; echo evil > ${file}`);
    await gauntlet.call(script(workspace, `${lines.join("\n")}\n`));
    expect(plants.map((file) => existsSync(workspace.path(file)))).toEqual(before);
  });

  test("rename the directory of a closed file away and read it under another name", async () => {
    const workspace = makeWorkspace({ "config/.env": "TOKEN=tuna-fish\n", "config/a.txt": "one\n" });
    const gauntlet = await openGauntlet(workspace, auto);
    const text = "mv config other; mv config/.env copy.txt; cat other/.env copy.txt config/.env\n";
    const observation = await gauntlet.call(script(workspace, text));
    expect(JSON.stringify(observation)).not.toContain("tuna-fish");
    expect({ kept: workspace.read("config/.env"), renamed: existsSync(workspace.path("other")) }).toEqual({
      kept: "TOKEN=tuna-fish\n",
      renamed: false,
    });
  });
});

describe("without a view", () => {
  const settings = { ...direct, permissions: { defaultMode: "auto" } } as const;

  test.each([
    "npm test",
    "npx vitest run",
    "node run.js",
    "python3 -c 1",
    "python3 -m pytest",
    "make",
    "cargo test --offline",
    "go test ./...",
    "./run.sh",
    "sh run.sh",
    ". ./run.sh",
    "env A=1 timeout 5 ./run.sh",
    "find . -exec ./run.sh {} +",
    "xargs -n1 ./run.sh < names",
    "echo $(./run.sh)",
    "git tag x; python3 wreck.py",
    "git add src; npm test",
    "git bisect run ./run.sh",
    "git commit -m x && ./run.sh",
    "awk -f run.awk names",
    "some-program",
  ])("auto asks before it runs code of the project: %s", async (command) => {
    const gauntlet = await openGauntlet(makeWorkspace({ names: "x\n", "run.sh": "true\n", "src/a.ts": "a\n" }), {
      settings,
    });
    expect((await gauntlet.explain({ tool: "bash", input: { command } })).decision).toBe("ask");
  });

  test("a script that nobody agreed to neither deletes history nor plants configuration", async () => {
    const workspace = makeWorkspace({ "package-lock.json": "{}\n", ".hg/hgrc": "[ui]\n" });
    repository(workspace);
    workspace.write(
      "wreck.sh",
      "rm -rf .git/objects; mkdir -p .github/workflows sub/.git; echo evil | tee package-lock.json .hg/hgrc .github/workflows/x.yml sub/.git/config\n",
    );
    const before = imageOf(workspace.root);
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(workspace, { settings, onAsk });
    const observation = await gauntlet.call({ tool: "bash", input: { command: "git tag x; sh wreck.sh" } });
    expect([observation.code, onAsk.asked.length]).toEqual(["user_denied", 1]);
    expect(imageOf(workspace.root)).toEqual(before);
  });
});

describe("texts that bash reads otherwise than they look", () => {
  test.each([
    ["find -- a.txt -exec id \\;", "ask"],
    ["echo hi >&'$(id >&2; echo out)'", "ask"],
    ["cd .github; false && cd ../src; echo evil > f", "ask"],
    ["cd .github && { cd ../src; echo evil; } > g", "ask"],
    ["cd src && echo fine > f", "allow"],
  ])("%s", async (command, decision) => {
    const workspace = makeWorkspace({ "a.txt": "one\n", ".github/f": "", "src/b.txt": "two\n" });
    const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits", settings: direct });
    expect((await gauntlet.explain({ tool: "bash", input: { command } })).decision).toBe(decision);
  });

  test.each(["cd .github; false && cd ../src; echo evil > f", "cd .github && { cd ../src; echo evil; } > g"])(
    "in a view what they wrote is asked about: %s",
    async (command) => {
      const workspace = makeWorkspace({ ".github/f": "", "src/b.txt": "two\n" });
      const onAsk = unwilling();
      const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits", onAsk });
      expect(await gauntlet.call({ tool: "bash", input: { command } })).toMatchObject({ code: "user_denied" });
      expect(onAsk.asked).toHaveLength(1);
      expect([workspace.read(".github/f"), existsSync(workspace.path(".github/g"))]).toEqual(["", false]);
    },
  );
});

test("a file that is closed to reading is not moved to where it could be read", async () => {
  const workspace = makeWorkspace({ "private/notes.txt": "mine\n" });
  const gauntlet = await openGauntlet(workspace, {
    settings: { permissions: { defaultMode: "auto", deny: ["Read(./private/**)"] } },
  });
  const moved = await gauntlet.call({ tool: "move", input: { from: "private/notes.txt", to: "n.txt" } });
  expect(moved).toMatchObject({ code: "policy_denied" });
  expect(existsSync(workspace.path("n.txt"))).toBe(false);
});
