/** A session of its own, whose process is killed while it applies what a command changed. */
import process from "node:process";
import { createGauntlet } from "../../src/index.ts";
import { interrupting } from "./failing-calls.ts";

const [workspace = "", store = "", home = "", command = "", steps = ""] = process.argv.slice(2);

const gauntlet = await createGauntlet({
  workspace,
  store,
  home,
  onAsk: async ({ id }) => ({ request: id, answer: "allow", by: "test" }),
});
process.stdout.write(gauntlet.session.sessionId);
let left = Number.POSITIVE_INFINITY;
const kill = (_count: number, name: string, [, to]: readonly unknown[]) => {
  left -= 1;
  if (left < 0) process.kill(process.pid, "SIGKILL");
  if (name === "renameSync" && String(to).endsWith("journal.json")) left = Number(steps);
  return undefined;
};
await interrupting(kill, () => gauntlet.call({ tool: "bash", input: { command } }));
await gauntlet.close();
