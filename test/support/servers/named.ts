import { readFileSync } from "node:fs";
import { anything, send, serve, text } from "./speak.ts";

/** Has the tools whose names stand in a file, a line each, and one that says that they changed. */
const [, , file = ""] = process.argv;

serve({
  tools: () => [
    { name: "announce", inputSchema: anything },
    ...readFileSync(file, "utf8")
      .split("\n")
      .filter((name) => name !== "")
      .map((name) => ({ name, inputSchema: anything })),
  ],
  call(name) {
    if (name === "announce") send({ method: "notifications/tools/list_changed" });
    return text(name);
  },
});
