// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import { describe, expect, it } from "vitest";
import type { StdioServer } from "../../contract/server/server.ts";
import { portableServer } from "./server-admin.ts";

const here = ["/ws", "/ws/serve.js", "/ws/notes", "/ws/sub/x", "/ws/@scope/pkg"];
const portable = (setting: StdioServer) =>
  portableServer(setting, { workspace: "/ws", exists: (file) => here.includes(file) });

describe("an entry for all projects", () => {
  it.each<[string, StdioServer, StdioServer]>([
    ["its program", { command: "./serve.js" }, { command: "/ws/serve.js" }],
    ["an argument", { command: "node", args: ["./serve.js"] }, { command: "node", args: ["/ws/serve.js"] }],
    ["an option's value", { command: "x", args: ["--dir=sub/x"] }, { command: "x", args: ["--dir=/ws/sub/x"] }],
    ["where it works", { command: "x", cwd: "notes" }, { command: "x", cwd: "/ws/notes" }],
  ])("is written with whole paths: %s", (_what, setting, written) => {
    expect(portable(setting)).toEqual({
      setting: written,
      notes: [expect.stringMatching(/ is saved as \/ws\//)],
    });
  });

  it.each<[string, StdioServer]>([
    ["a program of the path, whatever lies here", { command: "notes" }],
    ["the workspace, wherever it is", { command: "x", args: [".", "./"] }],
    ["what does not lie here", { command: "x", args: ["@scope/other", "other", "https://x.example/notes"] }],
    ["whole paths and variables", { command: "/ws/serve.js", args: ["${HOME}/x", "~/notes", "-v"] }],
    ["what the sandbox opens wherever it is", { command: "x", sandbox: { write: [".", "/data"], read: ["~/x"] } }],
  ])("stays as it is: %s", (_what, setting) => {
    expect(portable(setting)).toEqual({ setting, notes: [] });
  });
});
