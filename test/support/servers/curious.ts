import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { anything, serve, text } from "./speak.ts";

/** Tells what it can see, and tries what it is told to try. */
serve({
  tools: () => ["environment", "read", "write", "connect", "fetch"].map((name) => ({ name, inputSchema: anything })),
  async call(name, { path = "", port = 0, url = "" }) {
    try {
      if (name === "environment") {
        const others = readFileSync("/proc/1/environ", "utf8").split("\0");
        return text(JSON.stringify({ own: process.env, others }));
      }
      if (name === "read") return text(readFileSync(String(path), "utf8").replaceAll("\0", "\n"));
      if (name === "write") writeFileSync(String(path), "written");
      if (name === "fetch") return text(await (await fetch(String(url))).text());
      if (name === "connect") await reach(Number(port));
      return text("done");
    } catch (error) {
      return text(String(error), { isError: true });
    }
  },
});

function reach(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    connect({ port, host: "127.0.0.1" }).on("connect", resolve).on("error", reject);
  });
}
