import { describe, expect, it } from "vitest";
import { paths, refused } from "../../test/support/settings.ts";
import { loadSettings } from "./load-settings.ts";

describe("settings that cannot be relied on", () => {
  const recovery = (path: string) => `Fix ${path} or move it aside. Nothing runs until the settings are valid.`;

  it.each([
    [
      "broken JSON",
      '{\n  "permissions": {,}\n}',
      "/ws/.gauntlet/settings.json:2:19: expected a key in double quotes",
      undefined,
    ],
    [
      "a misspelt key",
      '{"permissions":\n {"denny": []}}',
      "/ws/.gauntlet/settings.json:2:12: permissions.denny: unknown key; did you mean deny?",
      "permissions.denny",
    ],
    [
      "an endpoint",
      '{"baseUrl": "http://x"}',
      "/ws/.gauntlet/settings.json:1:13: baseUrl: unknown key: settings never set endpoints, credentials or environment",
      "baseUrl",
    ],
    [
      "a wrong type",
      '{"permissions":{"deny":"Bash"}}',
      "/ws/.gauntlet/settings.json:1:24: permissions.deny: Invalid input: expected array, received string",
      "permissions.deny",
    ],
    [
      "a rule that is none",
      '{"permissions":{"deny":["Bash", 5]}}',
      '/ws/.gauntlet/settings.json:1:33: permissions.deny[1]: expected a rule such as "Bash(npm test)", or {"rule", "match", "noMatch", "expires"}',
      "permissions.deny[1]",
    ],
    [
      "a limit below one",
      '{"limits":{"turnChars":0}}',
      "/ws/.gauntlet/settings.json:1:24: limits.turnChars: Too small: expected number to be >0",
      "limits.turnChars",
    ],
    [
      "a time that no timer can wait for",
      '{"limits":{"approvalMs":2592000000}}',
      "/ws/.gauntlet/settings.json:1:25: limits.approvalMs: expected at most 2073600000 milliseconds (24 days)",
      "limits.approvalMs",
    ],
    [
      "a private host without its port",
      '{"network":{"privateHosts":["localhost"]}}',
      '/ws/.gauntlet/settings.json:1:29: network.privateHosts[0]: expected host:port in small letters, such as "localhost:4873"',
      "network.privateHosts[0]",
    ],
    [
      "something that is no object",
      "[]",
      "/ws/.gauntlet/settings.json:1:1: Invalid input: expected object, received array",
      undefined,
    ],
    [
      "letters that are not UTF-8",
      '{"permissions":{"deny":["Read(./pr\uFFFDsent.txt)"]}}',
      "/ws/.gauntlet/settings.json: is not UTF-8 (or contains U+FFFD)",
      undefined,
    ],
    [
      "a giant",
      `{"$schema":"${"x".repeat(1_100_000)}"}`,
      "/ws/.gauntlet/settings.json: is larger than 1048576 characters",
      undefined,
    ],
  ])("%s", (_name, text, message, field) => {
    expect(refused({ files: { [paths.project]: text } })).toEqual({
      code: "bad_request",
      message,
      ...(field === undefined ? {} : { field }),
      recovery: recovery(paths.project),
    });
  });

  const policies = Object.entries(paths).filter(([layer]) => layer !== "mcp");
  it.each(policies)("fail closed in every layer that may hold rules: %s", (_layer, path) => {
    const text = '{"permissions":{"deny":[7]},"mcpServers":{"a":7}}';
    expect(refused({ files: { [path]: text } }).code).toBe("bad_request");
  });

  it("fail closed when a file is there and cannot be read", () => {
    const outcome = loadSettings({
      workspace: "/ws",
      home: "/home/ann",
      managedPath: "/etc/policy.json",
      commandLine: {},
      findFile: () => undefined,
      readText: () => {
        throw new Error("EACCES: permission denied");
      },
    });
    expect(outcome).toEqual({
      ok: false,
      failure: {
        code: "bad_request",
        message: "/etc/policy.json: cannot be read (EACCES: permission denied)",
        recovery: recovery("/etc/policy.json"),
      },
    });
  });

  it.each([
    ["permissions.denny", '{"permissions":{"denny":["Bash"]}}'],
    ["permissions.deny[1]", '{"permissions":{"deny":["Bash",7]}}'],
    ["permissions.allow", '{"permissions":{"allow":"Bash"}}'],
    ["permissions.defaultMode", '{"permissions":{"defaultMode":"everything"}}'],
    ["permissions", '{"permissions":7}'],
    ["permissions", '{"permissions":null}'],
    ["sandbx", '{"sandbx":{"backend":"none"},"permissions":{"deny":["Bash"]}}'],
  ])("hold an embedding program to the same schema: %s", (field, given) => {
    expect(refused({ commandLine: JSON.parse(given) })).toMatchObject({ code: "bad_request", field });
  });

  it("name at most five problems", () => {
    const message = refused({ files: { [paths.user]: '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}' } }).message;
    expect(message.split("\n")).toHaveLength(6);
    expect(message).toMatch(/… and 2 more$/);
  });
});
