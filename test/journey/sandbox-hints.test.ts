import path from "node:path";
import { expect, test } from "vitest";
import { agreeable, direct, type OpenOptions, openGauntlet } from "../support/gauntlet.ts";
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
    /no network .*registry\.npmjs\.org.* 'WebFetch\(domain:registry\.npmjs\.org\)'/,
  ],
  ['node -e \'require("dns").lookup("example.com", (e) => { throw e; })\'', /'WebFetch\(domain:example\.com\)'/],
  ["python3 -c 'import socket; socket.getaddrinfo(\"example.com\", 80)'", /^This command had no network\. /],
  ["echo x > /usr/made", /^\/usr\/made is outside the workspace .* --add-dir/],
  ['node -e \'require("fs").writeFileSync("/opt/made", "")\'', /^\/opt\/made is outside the workspace.* --add-dir/],
  ["cat /tmp/absent.log", /^\/tmp\/absent\.log: \/tmp belongs to this session/],
])("%s: what was missing is named, with what gives it", async (script, said) => {
  expect(await hintsOf(`${script}\n`)).toMatch(said);
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

test("a file of the home directory", async () => {
  const workspace = makeWorkspace();
  const file = path.join(workspace.home, ".netrc");
  expect(await hintsOf(`cat ${file}\n`, workspace)).toBe(
    `${file} is outside the workspace, and commands see little of the machine. A user can open its directory with --add-dir or permissions.additionalDirectories.`,
  );
});

test.each(["echo 'Read-only file system'; echo 'getaddrinfo ENOTFOUND example.com'", "exit 3", "cat absent.txt"])(
  "%s: the sandbox has nothing to do with it",
  async (script) => {
    expect(await hintsOf(`${script}\n`)).toBeUndefined();
  },
);
