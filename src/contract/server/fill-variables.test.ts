// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what this is about.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillVariables } from "./fill-variables.ts";
import type { ServerEntry, ServerSetting } from "./server.ts";

const entryOf = (setting: ServerSetting): ServerEntry => ({ name: "docs", setting, origin: "/ws/.mcp.json" });
const filled = (setting: ServerSetting, environment: Record<string, string | undefined> = {}) => {
  const outcome = fillVariables(entryOf(setting), environment);
  return outcome.ok ? outcome.value.setting : outcome.failure.message;
};

describe("fillVariables", () => {
  it("fills in everything that may name a variable, and leaves the rest", () => {
    const environment = { BIN: "/opt/bin", KEY: "k1", HOST: "example.com", EMPTY: "" };
    expect(
      filled(
        {
          command: "${BIN}/serve",
          args: ["--key=${KEY}", "${PORT:-3000}", "$KEY", "${EMPTY}", "${EMPTY:-full}"],
          env: { "${KEY}": "${KEY}${KEY}" },
          cwd: "${DIR:-sub}",
          sandbox: { write: ["${KEY}"] },
          timeout: 5,
        },
        environment,
      ),
    ).toEqual({
      command: "/opt/bin/serve",
      args: ["--key=k1", "3000", "$KEY", "", "full"],
      env: { "${KEY}": "k1k1" },
      cwd: "sub",
      sandbox: { write: ["${KEY}"] },
      timeout: 5,
    });
    expect(
      filled({ type: "http", url: "https://${HOST}/${PATH_:-a:b}", headers: { A: "Bearer ${KEY}" } }, environment),
    ).toEqual({ type: "http", url: "https://example.com/a:b", headers: { A: "Bearer k1" } });
  });

  it("does not look into what a variable holds", () => {
    expect(filled({ command: "${A}" }, { A: "${B}", B: "secret" })).toEqual({ command: "${B}" });
  });

  it("names every variable that is not set, the server and the file", () => {
    expect(fillVariables(entryOf({ command: "a", args: ["${ONE}", "${TWO}", "${ONE}"] }), { TWO: undefined })).toEqual({
      ok: false,
      failure: {
        code: "bad_request",
        message: "MCP server docs (/ws/.mcp.json): ONE, TWO are not set in the environment.",
        recovery: "Set ONE, TWO, or write ${ONE:-default} in /ws/.mcp.json.",
      },
    });
  });

  it.each([
    ["${input:token}", "${input:token} is not a valid variable"],
    ["${}", "${} is not a valid variable"],
    ["${1A}", "${1A} is not a valid variable"],
    ["${OPEN", "${OPEN is not a valid variable"],
    ["${constructor}", "constructor is not set"],
    ["${__proto__}", "__proto__ is not set"],
  ])("refuses %s", (word, why) => {
    expect(filled({ command: "a", args: [word] })).toContain(why);
  });

  it("says nothing of an address that a variable made useless", () => {
    expect(filled({ type: "http", url: "${URL}" }, { URL: "s3cret" })).toBe(
      "MCP server docs (/ws/.mcp.json): its url does not start with http, https, ws or wss.",
    );
    expect(filled({ type: "http", url: "${URL}" }, { URL: "file:///etc/passwd" })).toContain("its url");
  });

  it("reads no variable that is not named", () => {
    const read: PropertyKey[] = [];
    const environment = new Proxy<Record<string, string>>(
      { A: "1", SECRET: "2" },
      {
        get: (target, key) => {
          read.push(key);
          return Reflect.get(target, key);
        },
      },
    );
    expect(filled({ command: "${A}", args: ["$SECRET"] }, environment)).toEqual({ command: "1", args: ["$SECRET"] });
    expect(read).toEqual(["A"]);
  });

  it("leaves every text without a variable as it is", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("${")),
        (text) => void expect(filled({ command: "a", args: [text] })).toEqual({ command: "a", args: [text] }),
      ),
    );
  });
});
