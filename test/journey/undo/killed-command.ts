import process from "node:process";
import { createGauntlet } from "../../../src/index.ts";

/** Runs one command in a session of its own and waits to be killed in the middle of it. */
const [workspace = "", store = "", home = "", command = "", background = ""] = process.argv.slice(2);

const gauntlet = await createGauntlet({
  workspace,
  store,
  home,
  onAsk: async ({ id }) => ({ request: id, answer: "allow", by: "test" }),
});
process.stdout.write(`${gauntlet.session.sessionId}\n`);
const input = { command, ...(background === "" ? {} : { background: true }) };
await gauntlet.call({ tool: "bash", input });
// A job does not keep the process.
setInterval(() => {}, 60_000);
