import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

test("agreeing to list an outside directory does not open the secrets below it", async () => {
  const workspace = makeWorkspace();
  const outside = path.join(workspace.home, "other");
  mkdirSync(outside, { recursive: true });
  writeFileSync(path.join(outside, "notes.txt"), "heron\n");
  writeFileSync(path.join(outside, ".env"), `API_TOKEN=ghp_${"a1B2c3D4e5".repeat(4)}\n`);
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(workspace, { onAsk });
  const command = `ls ${outside} && python3 -c 'print(sum(len(open("${outside}/" + n).read()) for n in ["notes.txt", ".en" + "v"]))'`;
  const seen = await gauntlet.call({ tool: "bash", input: { command } });
  await gauntlet.close();
  expect(onAsk.asked).toHaveLength(1);
  expect(seen).toMatchObject({ code: "ok", data: { stdoutPreview: "notes.txt\n6\n" } });
});

test("agreeing to list an outside directory opens nothing below it but the workspace and what is named", async () => {
  const workspace = makeWorkspace({ "own.txt": "own\n" });
  const above = path.dirname(workspace.root);
  for (const name of ["sibling/deep.txt", "other/named.txt", "other/unnamed.txt"]) {
    mkdirSync(path.dirname(path.join(above, name)), { recursive: true });
    writeFileSync(path.join(above, name), "heron\n");
  }
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const look = `python3 -c 'import os; print(os.listdir("../sibling"), *[open(n).read() for n in ["own.txt", "../other/unnamed.txt"]])'`;
  const seen = await gauntlet.call({ tool: "bash", input: { command: `ls .. ../other/named.txt && ${look}` } });
  await gauntlet.close();
  const names = "../other/named.txt\n\n..:\nhome\nother\nproject\nsibling\nstate\n";
  expect(seen).toMatchObject({ code: "ok", data: { stdoutPreview: `${names}[] own\n \n` } });
});

test("where the sandbox has a directory of its own, a listing shows that one", async () => {
  const gauntlet = await openGauntlet(makeWorkspace(), { onAsk: agreeable() });
  const seen = await gauntlet.call({ tool: "bash", input: { command: "ls / /etc" } });
  await gauntlet.close();
  expect(seen).toMatchObject({
    data: { stdoutPreview: expect.stringMatching(/^\/:\n.*\busr\n.*\n\/etc:\n(?!.*shadow)/s) },
  });
});
