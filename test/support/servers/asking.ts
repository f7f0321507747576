import { anything, ask, serve, text } from "./speak.ts";

/** Asks what it is called with, and answers with what it was told. */
serve({
  tools: () => [{ name: "ask", inputSchema: anything }],
  call: async (_name, input) => text(JSON.stringify(await ask("elicitation/create", input))),
});
