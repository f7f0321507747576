import { writeSync } from "node:fs";
import { anything, send, serve, text } from "./speak.ts";

/** Dies, hangs and floods, with `at-start` and `silent` right from the beginning. */
const [, , how] = process.argv;
if (how === "at-start") {
  process.stderr.write(`the database is missing; key ${process.env.KEY}, argument ${process.argv[3]}\n`);
  process.exit(3);
}

serve({
  greet: () => how !== "silent",
  tools: () => ["die", "hang", "flood", "large", "fine"].map((name) => ({ name, inputSchema: anything })),
  call(name) {
    switch (name) {
      case "die":
        process.stderr.write("\u001b[31mpanic\u001b[0m: out of luck\n");
        return process.exit(9);
      case "hang":
        return undefined;
      case "flood": {
        const noise = ["notifications/tools/list_changed", "notifications/message"].map((method) =>
          JSON.stringify({ jsonrpc: "2.0", method, params: { level: "error", data: "noise" } }),
        );
        const lines = Buffer.from(`${noise.join("\n")}\n`.repeat(500));
        for (let times = 0; times < 40; times++) writeAll(lines);
        return text("flooded");
      }
      case "large":
        return text("x".repeat(4 * 1024 * 1024));
      default:
        send({ method: "notifications/message", params: { level: "info", data: "all is fine" } });
        return text("fine");
    }
  },
});

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}
