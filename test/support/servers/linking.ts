import { anything, ask, send, serve, text } from "./speak.ts";

/** Gives all kinds of content, tells of changes, and asks in the middle of things. */
const secret = `ghp_${"a1B2".repeat(9)}`;
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]).toString("base64");
const sound = Buffer.from([0x52, 0x49, 0x46, 0x46, 0x00, 0xfe]).toString("base64");
const link = (uri: string, more: object = {}) => ({ type: "resource_link", uri, name: "a note", ...more });
const embedded = (resource: object) => ({ type: "resource", resource });
const watched = new Set<string>();

const results: Readonly<Record<string, readonly object[]>> = {
  all: [
    { type: "text", text: "first" },
    link("note://one", { description: "the first one", mimeType: "text/plain", name: "one" }),
    { type: "text", text: "" },
    embedded({ uri: "note://two", mimeType: "text/markdown", text: "# two" }),
    embedded({ uri: "note://bytes", mimeType: "application/x-bytes", blob: picture }),
    { type: "image", data: picture, mimeType: "image/png" },
    { type: "audio", data: sound, mimeType: "audio/wav" },
    { type: "text", text: "last" },
  ],
  odd: [
    link("note://\u202ehidden"),
    link("note://line\nbreak"),
    link(`note://${"long".repeat(2_000)}`),
    link(`note://key/${secret}`),
    link("gauntlet://session/events", { name: "\u001b[31mred", description: `the key ${secret}` }),
    embedded({ uri: "note://\u0007bell", text: "rung" }),
    embedded({ uri: "note://key", text: `the key is ${secret}` }),
    { type: "image", data: Buffer.from(`the key is ${secret}`).toString("base64"), mimeType: "image/png" },
    { type: "image", data: Buffer.alloc(1_500_000, "\0").toString("base64"), mimeType: "image/png" },
  ],
  many: Array.from({ length: 250 }, (_, at) => link(`note://many/${at}`, { description: "x".repeat(400) })),
  huge: [
    embedded({ uri: "note://huge", mimeType: "text/plain", text: "a line of a long note\n".repeat(20_000) }),
    link("note://one"),
  ],
  failing: [{ type: "text", text: "no luck" }, link("note://why")],
};

serve({
  tools: () => [...Object.keys(results), "watched", "change"].map((name) => ({ name, inputSchema: anything })),
  call(name, { uri = "" }) {
    if (name === "watched") return text(JSON.stringify([...watched]));
    if (name === "change") {
      send({ method: "notifications/resources/updated", params: { uri } });
      return text("changed");
    }
    if (name === "dies") process.exit(3);
    return { content: results[name] ?? [], ...(name === "failing" ? { isError: true } : {}) };
  },
  more: {
    capabilities: { resources: { subscribe: true }, prompts: {} },
    async answer(method, params) {
      const uri = String(params?.uri);
      switch (method) {
        case "resources/list":
          return { resources: [{ uri: "note://one", name: "one" }] };
        case "resources/templates/list":
          return { resourceTemplates: [] };
        case "resources/subscribe":
          watched.add(uri);
          return {};
        case "resources/unsubscribe":
          watched.delete(uri);
          return {};
        case "resources/read":
          if (uri === "note://dies") process.exit(3);
          if (uri === "note://elsewhere") return { contents: [{ uri: "note://line\nbreak", text: "from elsewhere" }] };
          return { contents: [{ uri, text: uri === "note://asks" ? await whoIsThere() : `read ${uri}` }] };
        case "prompts/list":
          return { prompts: [{ name: "asks" }, { name: "links" }] };
        case "prompts/get": {
          const asks = params.name === "asks";
          const content = asks ? { type: "text", text: await whoIsThere() } : link("note://one", { name: "one" });
          return { messages: [{ role: "user", content }] };
        }
        default:
          return {};
      }
    },
  },
});

async function whoIsThere(): Promise<string> {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  return JSON.stringify(await ask("elicitation/create", { message: "Who is there?", requestedSchema }));
}
