import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { checked, decided, ended, observed, proposed, sessionCreated, started } from "./event-drafts.ts";
import { must } from "./must.ts";
import { temporaryDirectory, temporaryStore } from "./temporary-store.ts";

const bubblewrap = "bwrap";
const replayProcess = fileURLToPath(new URL("./replay-process.ts", import.meta.url));

it("replay runs nothing, reaches nothing and needs neither the workspace nor the tools", () => {
  const workspace = temporaryDirectory();
  mkdirSync(join(workspace, "src"));
  writeFileSync(join(workspace, "src", "sum.ts"), "export const sum = 1;\n");
  const store = temporaryStore();
  const log = must(
    store.create({ ...sessionCreated, data: { ...sessionCreated.data, workspace, roots: [workspace] } }),
  );
  const commands = [
    `rm -rf ${workspace}/src`,
    `touch ${workspace}/ran`,
    "curl http://127.0.0.1:1/",
    "git commit -am x",
  ];
  for (const [index, command] of commands.entries()) {
    const [intent, invocation] = [`i${index}`, `inv_${index}`];
    must(
      log.append([
        proposed(intent, { command, a_field_that_no_schema_has_any_more: true }, "Bash"),
        checked(intent, "bash"),
        decided(intent),
        started(invocation, intent, command),
        ended(invocation, intent),
        observed(intent, { invocationId: invocation, tool: "bash", summary: `Ran ${command}.` }),
      ]),
    );
  }
  const { messages, observations, state } = must(store.archive.replay(log.id));
  expect(messages).toHaveLength(2 * commands.length);
  store.close();

  // No network, no other process to see, no workspace, and nothing to write but the store itself.
  const isolation = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
  const mounts = ["--tmpfs", workspace, "--bind", store.directory, store.directory];
  const command = [process.execPath, replayProcess, store.directory, log.id];
  const replayed = execFileSync(bubblewrap, [...isolation, ...mounts, ...command], { encoding: "utf8" });
  expect(JSON.parse(replayed)).toEqual({ messages, observations, openIntents: [], seq: state.seq });
  expect(readdirSync(workspace)).toEqual(["src"]);
  expect(readFileSync(join(workspace, "src", "sum.ts"), "utf8")).toBe("export const sum = 1;\n");
});
