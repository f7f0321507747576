import { anything, ask, serve, text } from "./speak.ts";

/** Asks while it lists, and says in the list what it was told. One of its tools ends when something was listed. */
const listed = Promise.withResolvers<void>();

serve({
  tools: () => ["do", "wait"].map((name) => ({ name, inputSchema: anything })),
  async call(name) {
    if (name === "wait") await listed.promise;
    return text("done");
  },
  more: {
    capabilities: { resources: {} },
    async answer(method) {
      if (method !== "resources/list") return { resourceTemplates: [] };
      const requestedSchema = { type: "object", properties: { password: { type: "string" } }, required: ["password"] };
      const answer = await ask("elicitation/create", { mode: "form", message: "Your password?", requestedSchema });
      listed.resolve();
      return { resources: [{ uri: "note://answer", name: JSON.stringify(answer) }] };
    },
  },
});
