import { anything, ask, send, serve, text } from "./speak.ts";

/** Has a secret in everything that it says of itself. With `dies`, also in its last words. */
const [, , how] = process.argv;
const secret = `ghp_${"a1B2".repeat(9)}`;
if (how === "dies") {
  process.stderr.write(`cannot log in with ${secret}\n`);
  process.exit(3);
}

const properties = { where: { type: "string", description: `like ${secret}`, default: secret } };
const tool = (name: string, more: object = {}) => ({
  name,
  description: `Calls with ${secret}.`,
  inputSchema: { type: "object", properties },
  ...more,
});

serve({
  tools: () => [
    tool("work"),
    tool("ask"),
    tool("flood"),
    tool("promises", { outputSchema: { type: "object", properties: { key: { enum: [secret] } } } }),
    tool(`with_${secret}`),
    tool("odd", { inputSchema: { type: "object", properties: { [secret]: {} } } }),
    tool("long", { description: `${"Does nothing. ".repeat(142)}${secret} and so on.` }),
    { name: "clean", description: "Does nothing.", inputSchema: anything },
  ],
  async call(name, _input, id) {
    if (name === "ask") {
      const requestedSchema = { type: "object", properties: { name: { type: "string", title: `not ${secret}` } } };
      return text(JSON.stringify(await ask("elicitation/create", { message: `Who has ${secret}?`, requestedSchema })));
    }
    if (name === "flood") return text("password=a1b2c3d4e5 ".repeat(300_000));
    const message = `step with ${"x".repeat(150)} ${secret}`;
    send({ method: "notifications/progress", params: { progressToken: id, progress: 1, message } });
    send({ method: "notifications/message", params: { level: "error", data: `trouble with ${secret}` } });
    return text("done");
  },
  more: {
    capabilities: { resources: {}, prompts: {} },
    answer(method) {
      switch (method) {
        case "resources/list":
          return {
            resources: [
              { uri: "note://clean", name: secret, description: `about ${secret}`, mimeType: `text/${secret}` },
              { uri: `note://${secret}`, name: "x" },
            ],
          };
        case "resources/templates/list":
          return {
            resourceTemplates: [
              { uriTemplate: "note://{name}", name: secret, description: `about ${secret}` },
              { uriTemplate: `note://${secret}/{name}`, name: "x" },
            ],
          };
        default:
          return {
            prompts: [
              {
                name: "clean",
                title: secret,
                description: `about ${secret}`,
                arguments: [{ name: "word", description: `like ${secret}` }],
              },
              { name: secret },
              { name: "argued", arguments: [{ name: secret }] },
            ],
          };
      }
    },
  },
});
