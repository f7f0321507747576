import { existsSync, readFileSync } from "node:fs";
import { anything, send, serve, text } from "./speak.ts";

/** Describes its tool in the words that a file has. */
const [, , file = ""] = process.argv;

serve({
  tools: () => [
    { name: "stable", description: existsSync(file) ? readFileSync(file, "utf8") : "Adds.", inputSchema: anything },
    { name: "announce", inputSchema: anything },
    ...(existsSync(`${file}.more`) ? [{ name: "newcomer", inputSchema: anything }] : []),
  ],
  call(name) {
    if (name === "announce") send({ method: "notifications/tools/list_changed" });
    return text(name);
  },
});
