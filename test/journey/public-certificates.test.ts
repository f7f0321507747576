import { expect, test } from "vitest";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const packages = ".venv/lib/python3.12/site-packages";
const files = {
  [`${packages}/certifi/cacert.pem`]: "list one\n",
  [`${packages}/pip/_vendor/certifi/cacert.pem`]: "list two\n",
  "vendor/ca-bundle/res/cacert.pem": "list three\n",
  "vendor/server.pem": "key one\n",
  "server.pem": "key two\n",
  ".venv/key.pem": "key three\n",
};

test("programs read the lists of public certificates that packages bring, and no key of the project", async () => {
  const gauntlet = await openGauntlet(makeWorkspace(files), { mode: "bypass" });
  const command =
    "find . -name '*.pem' -exec node -p 'require(\"node:fs\").readFileSync(process.argv[1], \"utf8\")' {} \\;";
  const { model } = await gauntlet.call({ tool: "bash", input: { command } });
  const text = JSON.stringify(model);
  const shown = ["list one", "list two", "list three", "key one", "key two", "key three"].filter((one) =>
    text.includes(one),
  );
  expect(shown).toEqual(["list one", "list two", "list three"]);
});

test.each(Object.keys(files))("%s: read says the same", async (path) => {
  const gauntlet = await openGauntlet(makeWorkspace(files));
  const { decision } = await gauntlet.session.explain({ tool: "read", input: { path } });
  expect(decision).toBe(path.includes("cacert") ? "allow" : "deny");
});
