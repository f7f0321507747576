import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

/** Nobody answers: whatever would ask is refused. */
const unasked = (workspace: Workspace) => openGauntlet(workspace);

const scratchOf = ({ state }: Workspace) => path.join(state, "scratch");

test("what one command leaves in /tmp the next one and the file tools find, without a question", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await unasked(workspace);
  expect(
    await gauntlet.call(bash("cat a.txt > /tmp/log; mkdir -p /tmp/deep && cp a.txt /tmp/deep/b.txt")),
  ).toMatchObject({ ok: true });
  expect(await gauntlet.call(bash("cat /tmp/log /tmp/deep/b.txt; ls /tmp"))).toMatchObject({ ok: true });
  const read = await gauntlet.call({ tool: "read", input: { path: "/tmp/log" } });
  expect(read).toMatchObject({ ok: true });
  expect(JSON.stringify(read.model)).toContain("one");
  const found = await gauntlet.call({ tool: "grep", input: { pattern: "one", path: "/tmp" } });
  expect(JSON.stringify(found.model)).toContain("/tmp/deep/b.txt");
  const listed = await gauntlet.call({ tool: "glob", input: { pattern: "**/*.txt", path: "/tmp/deep" } });
  expect(JSON.stringify(listed.model)).toContain("b.txt");
});

test("a file tool writes what a command then runs or reads, and edits it", async () => {
  const workspace = makeWorkspace();
  const asked = agreeable();
  const gauntlet = await openGauntlet(workspace, { onAsk: asked });
  expect(await gauntlet.call({ tool: "write", input: { path: "/tmp/s.sh", content: "echo first\n" } })).toMatchObject({
    ok: true,
  });
  expect(
    await gauntlet.call({ tool: "edit", input: { path: "/tmp/s.sh", old_string: "first", new_string: "second" } }),
  ).toMatchObject({ ok: true });
  expect(asked.asked).toEqual([]);
  const ran = await gauntlet.call(bash("bash /tmp/s.sh"));
  expect(ran).toMatchObject({ ok: true });
  expect(JSON.stringify(ran.model)).toContain("second");
});

test("a command that only writes there cannot write in the workspace", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await unasked(workspace);
  expect(await gauntlet.call(bash("cp a.txt /var/tmp/b; rm -f /tmp/none; cat /var/tmp/b"))).toMatchObject({ ok: true });
  expect(await gauntlet.call(bash("echo two > a.txt"))).toMatchObject({ ok: false, code: "approval_unavailable" });
});

test("what the host has in /tmp is not found there, and nothing of the session's is left on the host", async () => {
  const host = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-host-")));
  onTestFinished(() => rmSync(host, { recursive: true, force: true }));
  writeFileSync(path.join(host, "private.txt"), "private\n");
  const workspace = makeWorkspace();
  const gauntlet = await unasked(workspace);
  expect(await gauntlet.call({ tool: "read", input: { path: `${host}/private.txt` } })).toMatchObject({
    ok: false,
    code: "file_not_found",
  });
  expect(await gauntlet.call(bash(`cat ${host}/private.txt`))).toMatchObject({ ok: false, code: "command_failed" });
  expect(await gauntlet.call({ tool: "grep", input: { pattern: "private", path: host } })).toMatchObject({ ok: false });
  expect(await gauntlet.call(bash(`mkdir -p ${host}; echo mine > ${host}/private.txt`))).toMatchObject({ ok: true });
  expect(readdirSync(host)).toEqual(["private.txt"]);
  const name = path.basename(host);
  await gauntlet.close();
  expect(existsSync(path.join(scratchOf(workspace), name))).toBe(false);
  expect(readdirSync(scratchOf(workspace))).toEqual([]);
});

test("beside a workspace that lies in /tmp everything stays outside", async () => {
  const workspace = makeWorkspace();
  const beside = path.join(path.dirname(workspace.root), "beside");
  mkdirSync(beside);
  const gauntlet = await unasked(workspace);
  expect(await gauntlet.call(bash(`echo x > ${beside}/x`))).toMatchObject({ code: "approval_unavailable" });
  for (const command of [`rm -rf ${path.dirname(workspace.root)}`, "rm -rf /tmp"])
    expect(await gauntlet.call(bash(command))).toMatchObject({ ok: false, code: "policy_denied" });
  expect(await gauntlet.call({ tool: "write", input: { path: `${beside}/x`, content: "x" } })).toMatchObject({
    ok: false,
    code: "policy_denied",
  });
});

test("a link in /tmp leads where a command would get by it, and no further", async () => {
  const workspace = makeWorkspace({ ".env": "KEY=hidden\n", "a.txt": "one\n" });
  const gauntlet = await unasked(workspace);
  const { root } = workspace;
  const [own = ""] = readdirSync(scratchOf(workspace));
  const at = (name: string) => path.join(scratchOf(workspace), own, "tmp", name);
  writeFileSync(at("own.txt"), "own\n");
  symlinkSync("/tmp/own.txt", at("inner"));
  symlinkSync("/etc/shadow", at("out"));
  symlinkSync(`${root}/.env`, at("env"));
  symlinkSync(root, at("tree"));
  symlinkSync("../../../../../..", at("up"));
  const read = (file: string) => gauntlet.call({ tool: "read", input: { path: file } });
  expect(JSON.stringify((await read("/tmp/inner")).model)).toContain("own");
  for (const file of ["/tmp/out", "/tmp/env", "/tmp/tree/.env", "/tmp/up/etc/shadow"])
    expect(await read(file)).toMatchObject({ ok: false, code: "policy_denied" });
  // Under another name it is the workspace: reading is free, writing asks.
  expect(await read("/tmp/tree/a.txt")).toMatchObject({ ok: true });
  expect(
    await gauntlet.call({ tool: "edit", input: { path: "/tmp/tree/a.txt", old_string: "one", new_string: "two" } }),
  ).toMatchObject({ ok: false, code: "approval_unavailable" });
  expect(await gauntlet.call(bash("echo two > /tmp/tree/a.txt"))).toMatchObject({ code: "approval_unavailable" });
});

test("no file tool gets out through a link that the host puts into the session's own directory", async () => {
  const workspace = makeWorkspace();
  const gauntlet = await unasked(workspace);
  const [own = ""] = readdirSync(scratchOf(workspace));
  symlinkSync(workspace.home, path.join(scratchOf(workspace), own, "tmp/home"));
  writeFileSync(path.join(workspace.home, "mail.txt"), "private\n");
  expect(await gauntlet.call({ tool: "read", input: { path: "/tmp/home/mail.txt" } })).toMatchObject({ ok: false });
});

test("what is copied out of /tmp into the workspace is looked at for what programs believe", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits" });
  expect(
    await gauntlet.call({ tool: "write", input: { path: "/tmp/x/.vscode/tasks.json", content: "{}\n" } }),
  ).toMatchObject({ ok: true });
  for (const command of ["cp -r /tmp/x y", "cp -r /tmp/x/. .", "mv /tmp/x y"])
    expect(await gauntlet.call(bash(command))).toMatchObject({ ok: false, code: "approval_unavailable" });
});

test("a full /tmp is emptied before the next command, which is told", async () => {
  const workspace = makeWorkspace();
  const gauntlet = await unasked(workspace);
  const [own = ""] = readdirSync(scratchOf(workspace));
  const big = path.join(scratchOf(workspace), own, "tmp/big");
  writeFileSync(big, "");
  truncateSync(big, 3 * 1024 ** 3);
  const ran = await gauntlet.call(bash("ls -A /tmp"));
  expect(ran).toMatchObject({ ok: true });
  expect(JSON.stringify(ran.model)).toContain("emptied");
  expect(JSON.stringify(await gauntlet.call(bash("ls -A /tmp"))).includes("emptied")).toBe(false);
});
