import path from "node:path";
import { expect, test } from "vitest";
import { agreeable, direct, type OpenOptions, openGauntlet } from "../support/gauntlet.ts";
import { bash, hello, privately, shown } from "../support/network.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

/** What the observation says about the sandbox after this script failed, or did not. */
async function hintsOf(
  script: string,
  workspace: Workspace = makeWorkspace(),
  options: OpenOptions = {},
): Promise<string | undefined> {
  workspace.write("run.sh", script);
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable(), ...options });
  const { model } = await gauntlet.call({ tool: "bash", input: { command: "bash run.sh" } });
  return model.content.find(({ label }) => label === "sandbox")?.text;
}

test.each([
  [
    "curl -sS https://registry.npmjs.org/",
    /no network .*registry\.npmjs\.org.* No rule gives one to a script: run the part that connects by itself\.$/,
  ],
  ['node -e \'require("dns").lookup("example.com", (e) => { throw e; })\'', /could not reach example\.com\./],
  ["python3 -c 'import socket; socket.getaddrinfo(\"example.com\", 80)'", /^This command had no network\. /],
  ["node -e 'fetch(\"http://192.0.2.1:81\").catch((e) => { throw e; })'", /could not reach 192\.0\.2\.1\./],
  ["echo 'ssh: Could not resolve hostname example.com: x'; exit 255", /could not reach example\.com\./],
  ["echo 'ERROR: No matching distribution found for x'; exit 1", /^This command had no network\. /],
  ["echo x > /usr/made", /^\/usr\/made is outside the workspace .* below \/usr with --add-dir/],
  ["echo x > /usr/local/made", /^\/usr\/local\/made is outside the workspace .* --add-dir \/usr\/local or/],
  ['node -e \'require("fs").writeFileSync("/opt/a/b", "")\'', /^\/opt\/a\/b is outside .* --add-dir \/opt\/a or/],
  ["python3 -c 'open(\"/opt/a/b\")'", /^\/opt\/a\/b is outside .* --add-dir \/opt\/a or/],
  ["echo 1 > /proc/sys/kernel/hostname", /^\/proc\/sys\/kernel\/hostname .* No rule /],
  ["cat /opt/a/../b/c", /^\/opt\/b\/c is outside .* --add-dir \/opt\/b or/],
  ["curl -sS http://localhost:9/", /^localhost port 9: commands have a loopback of their own/],
  [
    "node -e 'fetch(\"http://127.0.0.1:5432\").catch((e) => { throw e; })'",
    /^127\.0\.0\.1:5432: .* network\.privateHosts\. /,
  ],
  ["python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'", /onnection refused: .* loopback/],
  ["cat /tmp/absent.log", /^\/tmp\/absent\.log: \/tmp .* this session/],
  ["mkdir -p m; mount -t tmpfs none m", /^mount: .*m: .*: .* no privileges, and no rule /],
  ["unshare --user id", /^unshare: .*: .* no privileges/],
  ["echo 'connect to unix:///var/run/docker.sock'; exit 1", /^\/var\/run\/docker\.sock: .* no rule /],
])("%s: what was missing is named, with what gives it", async (script, said) => {
  expect(await hintsOf(`${script}\n`)).toMatch(said);
});

test("what the hint names gives the script's command its network", async () => {
  const { port, requests } = await hello();
  const part = `curl -sS http://localhost:${port}/`;
  const workspace = makeWorkspace({ "run.sh": `${part}\n` });
  const settings = { ...privately(port), permissions: { allow: ["WebFetch(domain:localhost)", "Bash(bash run.sh)"] } };
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable(), settings });
  const failed = await gauntlet.call(bash("bash run.sh"));
  expect([failed.ok, requests]).toEqual([false, []]);
  expect(shown(failed, "sandbox")).toMatch(/ No rule gives one to a script: run the part that connects by itself\.$/);
  expect(await gauntlet.call(bash(part))).toMatchObject({ ok: true });
  expect(requests).toEqual(["GET /"]);
});

test.each<[string, string, RegExp | undefined]>([
  ["bash run.sh 2>&1 | tail -1", "curl -sS https://example.org/", /could not reach example\.org\./],
  ["bash run.sh |& tail -1", "curl -sS http://localhost:9/", /^localhost port 9: /],
  ["bash run.sh 2>&1 | tail -1", "echo x > /usr/local/made", /^\/usr\/local\/made is outside/],
  ["bash run.sh 2>&1 | tail -1", "cat /opt/a/b", undefined],
  ["cat run.sh | tail -1", "getaddrinfo ENOTFOUND example.com", undefined],
])("a pipeline whose last part succeeds: %s, %s", async (command, script, said) => {
  const gauntlet = await openGauntlet(makeWorkspace({ "run.sh": `${script}\n` }), { onAsk: agreeable() });
  const ran = await gauntlet.call(bash(command));
  expect(ran.ok).toBe(true);
  expect(shown(ran, "sandbox")).toEqual(said === undefined ? "" : expect.stringMatching(said));
});

test("a directory from before, renamed in one step", async () => {
  const workspace = makeWorkspace();
  workspace.write("before/file", "");
  expect(await hintsOf('python3 -c \'import os; os.rename("before", "after")\'\n', workspace)).toMatch(/\bmv\b/);
});

test("a file that stays as it is, where no view holds changes back", async () => {
  const script = "mkdir -p .git; touch .git/config\n";
  expect(await hintsOf(script, makeWorkspace(), { settings: direct })).toMatch(/protected|read-only/);
});

test.each(["cat HOME/.netrc", "cat ~/.netrc", "cat ../home/.netrc"])(
  "a file of the home directory by its own name: %s",
  async (script) => {
    const workspace = makeWorkspace();
    const said = await hintsOf(`${script.replace("HOME", workspace.home)}\n`, workspace);
    expect(said?.startsWith(`${path.join(workspace.home, ".netrc")} is outside`)).toBe(true);
    expect(said).toContain(`--add-dir ${workspace.home} or`);
  },
);

test("a host that the command names and only its program asks for", async () => {
  const said = await hintsOf("python3 -c 'import socket; socket.getaddrinfo(\"a.b\", 80)' # https://example.org/\n");
  expect(said).toMatch(/^This command had no network\. /);
  const gauntlet = await openGauntlet(makeWorkspace());
  const command = "python3 -c 'import urllib.request as u; u.urlopen(\"https://example.org/\")'";
  const { model } = await gauntlet.call({ tool: "bash", input: { command } });
  expect(model.content.find(({ label }) => label === "sandbox")?.text).toContain("could not reach example.org.");
});

test.each([
  ["git config --global user.name Ada", "~/.gitconfig"],
  ["npm config set fund false", "~/.npmrc"],
  ["mkdir -p ~/.config/foo; echo x >~/.config/foo/a; echo x >~/b", "~/b, ~/.config/foo"],
  ["mkdir -p ~/.cache/foo ~/.npm/_logs; ln -s x ~/y; echo x >~/.python_history", ""],
  ["set -euf; trap : USR1; true", ""],
])("what stays in the home of commands is named: %s", async (command, names) => {
  const gauntlet = await openGauntlet(makeWorkspace({ "run.sh": `${command}\n` }), { onAsk: agreeable() });
  const said = names === "" ? "" : expect.stringContaining(`Not kept: ${names}. `);
  for (const text of ["bash run.sh", "bash run.sh", command]) {
    const ran = await gauntlet.call(bash(text));
    if (text !== command || !/~\//.test(command)) expect([ran.ok, shown(ran, "sandbox")]).toEqual([true, said]);
  }
});

test("a program that does not use the proxy, where the host was agreed to", async () => {
  const gauntlet = await openGauntlet(makeWorkspace(), { onAsk: agreeable() });
  const { model } = await gauntlet.call({
    tool: "bash",
    // ssh need not be installed here.
    input: { command: "ssh -T git@example.com || { echo 'Temporary failure in name resolution'; exit 1; }" },
  });
  expect(model.content.find(({ label }) => label === "sandbox")?.text).toMatch(/through an HTTP proxy/);
});

test.each<[string, object, OpenOptions, boolean]>([
  ["git commit -qm x", {}, { settings: direct }, true],
  ["git commit -qm x", { run_in_background: true }, {}, true],
  ["git commit -qm x", {}, {}, false],
  ["git status", {}, { settings: direct }, false],
])("hooks that do not run are told of: %s %j %j", async (command, more, options, isTold) => {
  const repository = asRepository(makeWorkspace({ "a.txt": "" }));
  repository.git("init", "--quiet");
  repository.git("add", "--all");
  const gauntlet = await openGauntlet(repository, { onAsk: agreeable(), ...options });
  const { model } = await gauntlet.call({ tool: "bash", input: { command, ...more } });
  const said = model.content.find(({ label }) => label === "sandbox")?.text ?? "";
  expect(said.startsWith("Hooks of the repository do not run")).toBe(isTold);
});

test.each(["echo 'Read-only file system'; echo 'getaddrinfo ENOTFOUND example.com'", "exit 3", "cat absent.txt"])(
  "%s: the sandbox has nothing to do with it",
  async (script) => {
    expect(await hintsOf(`${script}\n`)).toBeUndefined();
  },
);
