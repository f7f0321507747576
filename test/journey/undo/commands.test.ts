import { execSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { must } from "./must.ts";
import { treeOf } from "./tree.ts";

const wish = { dryRun: false, force: false };

function project(): Workspace {
  const workspace = makeWorkspace({
    "src/a.txt": "one\ntwo\n",
    "src/b.txt": "bee\n",
    "src/deep/c.txt": "sea\n",
    "run.sh": "#!/bin/sh\necho hi\n",
    "dist/out.js": "built\n",
  });
  chmodSync(workspace.path("run.sh"), 0o755);
  symlinkSync("src/a.txt", workspace.path("link"));
  return workspace;
}

const changing: readonly (readonly [name: string, command: string])[] = [
  ["sed -i", "sed -i s/one/ONE/ src/a.txt"],
  ["an edit in place", "printf three >> src/a.txt"],
  ["rm -rf of a tree", "rm -rf src"],
  ["mv of a file", "mv src/a.txt moved.txt"],
  ["mv of a directory", "mv src lib"],
  ["mv over another file", "mv src/a.txt src/b.txt"],
  ["mkdir and new files", "mkdir -p new/deep && echo x > new/deep/x && echo y > y"],
  ["chmod alone", "chmod 700 run.sh src/deep"],
  ["a new link, and one that points elsewhere", "ln -s run.sh other && ln -sfn run.sh link"],
  ["a link in the place of a file", "rm run.sh && ln -s link run.sh"],
  ["a file in the place of a directory", "rm -rf src && echo file > src"],
  ["a directory in the place of a file", "rm run.sh && mkdir run.sh && echo x > run.sh/x"],
  ["a file that moves into a directory of its name", "mv run.sh t && mkdir run.sh && mv t run.sh/x"],
  ["a file that takes its directory's name", "mv src/deep/c.txt t && rmdir src/deep && mv t src/deep"],
  ["two files that change places", "mv src/a.txt t && mv src/b.txt src/a.txt && mv t src/b.txt"],
  ["build output", "rm -rf dist && mkdir -p dist/x && echo new > dist/x/out.js && echo v2 > dist/out.js"],
  ["a directory made anew", "rm -rf dist && mkdir h i && mkdir -p dist/x && echo v2 > dist/out.js && rmdir h i"],
  ["an empty file and an emptied one", ": > empty && : > src/a.txt"],
  ["names with spaces and more", "echo x > 'a b' && echo y > $'new\\nline' && mv src 'Ümläut dir'"],
];

describe("what a command changed is put back", () => {
  test.each(changing)("%s", async (_, command) => {
    const workspace = project();
    const before = treeOf(workspace.root);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    expect(await gauntlet.call({ tool: "bash", input: { command } })).toMatchObject({ ok: true });
    const after = treeOf(workspace.root);
    expect(after).not.toEqual(before);

    const planned = must(await gauntlet.undo({ dryRun: true, force: false }));
    expect([planned.outcome, planned.extent, planned.conflicts]).toEqual(["planned", "complete", []]);
    expect(treeOf(workspace.root)).toEqual(after);

    const done = must(await gauntlet.undo(wish));
    expect([done.outcome, done.failure, done.steps]).toEqual(["done", undefined, planned.steps]);
    expect(treeOf(workspace.root)).toEqual(before);

    const redone = must(await gauntlet.undo({ ...wish, call: done.undoId ?? "" }));
    expect(redone.steps.filter(({ action }) => action === "nothing")).toEqual([]);
    expect([redone.outcome, redone.extent, redone.failure, redone.conflicts]).toEqual([
      "done",
      "complete",
      undefined,
      [],
    ]);
    expect(treeOf(workspace.root)).toEqual(after);
  });

  test("read-only commands leave no copy of anything", async () => {
    const workspace = project();
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    expect(await gauntlet.call({ tool: "bash", input: { command: "cat src/a.txt" } })).toMatchObject({ ok: true });
    expect(existsSync(`${workspace.state}/trash`)).toBe(false);
  });

  test("only what was replaced is kept, where its owner alone can read it", async () => {
    const workspace = project();
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    expect(await gauntlet.call({ tool: "bash", input: { command: "echo x > src/a.txt" } })).toMatchObject({ ok: true });
    const [transaction = ""] = readdirSync(`${workspace.state}/trash`);
    const kept = `${workspace.state}/trash/${transaction}`;
    expect((statSync(kept).mode & 0o777).toString(8)).toBe("700");
    expect(readdirSync(kept).map((name) => readFileSync(`${kept}/${name}`, "utf8"))).toEqual(["one\ntwo\n"]);
  });

  test("git checkout, with what git remembers of it", async () => {
    const workspace = makeWorkspace({ "a.txt": "main\n", "only-main.txt": "here\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const git = "git -c user.name=T -c user.email=t@example.com";
    const setUp = `git init -q -b main . && git add -A && ${git} commit -qm one && git branch other && git rm -q only-main.txt && echo changed > a.txt && ${git} commit -qam two`;
    execSync(setUp, { cwd: workspace.root, env: { PATH: process.env.PATH, HOME: workspace.home } });
    const status = () =>
      execSync("git status --porcelain=v1 --branch && git log --oneline -1", {
        cwd: workspace.root,
        env: { PATH: process.env.PATH, HOME: workspace.home },
      }).toString();
    const before = { tree: treeOf(workspace.root, [".git"]), status: status() };
    const switched = await gauntlet.call({ tool: "bash", input: { command: "git checkout -q other" } });
    expect(switched).toMatchObject({ ok: true });
    expect(status()).toContain("## other");
    const done = must(await gauntlet.undo(wish));
    expect([done.outcome, done.extent]).toEqual(["done", "complete"]);
    expect({ tree: treeOf(workspace.root, [".git"]), status: status() }).toEqual(before);
  });

  test("dependencies and large files go back as well", async () => {
    const workspace = project();
    workspace.write("node_modules/dep/index.js", "dep\n");
    workspace.write("big.bin", new Uint8Array(9 * 1024 * 1024));
    workspace.write("log.bin", new Uint8Array(2 * 1024 * 1024));
    const before = treeOf(workspace.root);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const command = "rm -rf node_modules big.bin && echo more >> log.bin && echo changed > src/a.txt";
    expect(await gauntlet.call({ tool: "bash", input: { command } })).toMatchObject({ ok: true });
    const after = treeOf(workspace.root);
    const done = must(await gauntlet.undo(wish));
    expect([done.outcome, done.extent]).toEqual(["done", "complete"]);
    expect(treeOf(workspace.root)).toEqual(before);
    expect(must(await gauntlet.undo({ ...wish, call: done.undoId ?? "" })).outcome).toBe("done");
    expect(treeOf(workspace.root)).toEqual(after);
  });

  test("a directory with more files than are recorded goes as a whole, unless somebody works in it since", async () => {
    const workspace = project();
    const before = treeOf(workspace.root);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const make = { tool: "bash", input: { command: "mkdir many; for i in $(seq 2500); do : > many/$i; done" } };
    expect(await gauntlet.call(make)).toMatchObject({ ok: true });
    await setTimeout(20);
    workspace.write("many/mine.txt", "mine\n");
    const refused = must(await gauntlet.undo(wish));
    expect([refused.outcome, refused.steps.map(({ action }) => action)]).toEqual(["refused", ["nothing"]]);
    rmSync(workspace.path("many/mine.txt"));
    // The directory itself was changed since.
    utimesSync(workspace.path("many"), 1, 1);
    expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", extent: "complete" });
    expect(treeOf(workspace.root)).toEqual(before);
  });
});
