import { serve, text } from "./speak.ts";

const words = {
  type: "object",
  properties: { word: { type: "string" }, count: { type: "number" } },
  required: ["word"],
};
const key = { type: "object", properties: { key: { type: "string", minLength: 40 } }, required: ["key"] };
const content = { type: "object", properties: { content: { type: "string" } }, required: ["content"] };
const secret = `ghp_${"a1B2".repeat(9)}`;

/** Gives structure, some of which nobody may be given. */
serve({
  tools: () => [
    { name: "plain", inputSchema: { type: "object" }, outputSchema: words },
    { name: "free", inputSchema: { type: "object" } },
    { name: "wrapped", inputSchema: { type: "object" }, outputSchema: content },
    { name: "free-long", inputSchema: { type: "object" } },
    { name: "long", inputSchema: { type: "object" }, outputSchema: words },
    { name: "hidden", inputSchema: { type: "object" }, outputSchema: words },
    { name: "spoilt", inputSchema: { type: "object" }, outputSchema: key },
    { name: "driving", inputSchema: { type: "object" } },
    { name: "failing", inputSchema: { type: "object" }, outputSchema: words },
  ],
  call(name) {
    const give = (structuredContent: object) => text(JSON.stringify(structuredContent), { structuredContent });
    if (name === "wrapped") return text("as it is", { structuredContent: { content: "as it is" } });
    if (name === "long" || name === "free-long") return give({ word: "x".repeat(300_000) });
    if (name === "hidden") return give({ word: `the key is ${secret}`, count: 1 });
    if (name === "spoilt") return give({ key: secret });
    if (name === "driving") return give({ "\u001b[31mred": ["\u001b]0;title\u0007", "a\nb"] });
    if (name === "failing") return text("no luck", { isError: true });
    return give({ word: "one", count: 1 });
  },
});
