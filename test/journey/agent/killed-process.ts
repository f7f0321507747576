import process from "node:process";
import { createAgent } from "../../../src/index.ts";
import { type Answer, modelsOf, scripted } from "./scripted-model.ts";

/** Runs an agent until the moment that its argument names, says so, and then waits to be killed. */
const [workspace = "", store = "", home = "", moment = ""] = process.argv.slice(2);

const reads: Answer = { text: "I read.", calls: [{ id: "r", tool: "read", input: { path: "a.txt" } }] };
const moments: Readonly<Record<string, readonly Answer[]>> = {
  "the model speaks": [reads, { text: "And now I think about", hangs: true }],
  "a call runs": [
    reads,
    {
      calls: [
        { id: "s", tool: "bash", input: { command: "sleep 600" } },
        { id: "r2", tool: "read", input: { path: "a.txt" } },
      ],
    },
  ],
  "a person is asked": [reads, { calls: [{ id: "w", tool: "write", input: { path: "new.txt", content: "x\n" } }] }],
};

// A model that is silent would not keep the process.
setInterval(() => {}, 60_000);

const ready = () => process.stdout.write("ready\n");
const agent = await createAgent({
  workspace,
  store,
  home,
  settings: { permissions: { allow: ["Bash(sleep:*)"] } },
  models: modelsOf(scripted(moments[moment] ?? [])),
  onAsk: () => {
    ready();
    return new Promise(() => {});
  },
  onNotice(notice) {
    if (notice.kind === "text" && notice.text.includes("bout")) ready();
    if (notice.kind === "started" && notice.tool === "bash") ready();
  },
});
process.stdout.write(`${agent.sessionId}\n`);
await agent.send("Do it.");
