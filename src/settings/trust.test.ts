import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { filePorts, loaded, paths } from "../../test/support/settings.ts";
import type { UntrustedItem } from "../contract/app/skill.ts";
import { loadSettings } from "./load-settings.ts";
import { addAllowRules } from "./own-file.ts";
import { changeTrust } from "./trust-store.ts";

describe("trust in items of a project", () => {
  const project = {
    permissions: {
      allow: ["Bash(npm test)", { rule: "Bash(make:*)", expires: "2030-01-01" }],
      additionalDirectories: ["../lib"],
    },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./check.sh --strict" }] }] },
    trust: [`sha256:${"0".repeat(64)}`],
  };
  const world = (files: Readonly<Record<string, unknown>>) => ({
    [paths.project]: project,
    "/ws/check.sh": "#!/bin/sh\nexit 0\n",
    ...files,
  });
  const offered = (files: Readonly<Record<string, unknown>> = {}) => loaded({ files: world(files) }).untrusted;
  const hashes = offered().map((item) => item.hash);

  it("lists every item with everything that it says, and nothing of it is in force", () => {
    const settings = loaded({ files: world({}) });
    expect(settings.untrusted.map(({ kind, text }) => [kind, text])).toEqual([
      ["allow_rule", "Bash(npm test)"],
      ["allow_rule", "Bash(make:*) (expires 2030-01-01)"],
      ["hook", "PreToolUse on Bash: ./check.sh --strict (with check.sh as it is now)"],
      ["directory", "/lib"],
    ]);
    expect(settings).toMatchObject({ rules: [], hooks: [], roots: ["/ws"], trusted: [] });
    expect(settings.notices).toEqual([
      "/ws/.gauntlet/settings.json: a project file can only restrict; ignored: trust",
      "Not trusted and not in effect in this project: 2 allow rules, 1 hook, 1 directory. `gauntlet trust` lists them.",
    ]);
  });

  it.each(["trust.json", "user", "userProject", "managed", "command line"])("takes effect by a pin in %s", (place) => {
    const pin = { trust: hashes };
    const settings = loaded({
      files: world(
        place === "trust.json"
          ? { [paths.trust]: { trusted: hashes } }
          : place === "command line"
            ? {}
            : { [paths[place as "user" | "userProject" | "managed"]]: pin },
      ),
      commandLine: place === "command line" ? pin : {},
    });
    const rule = { action: "allow", layer: "project", origin: paths.project, match: [], noMatch: [], trusted: true };
    expect(settings).toMatchObject({
      rules: [
        { ...rule, text: "Bash(npm test)" },
        { ...rule, text: "Bash(make:*)", expires: "2030-01-01" },
      ],
      hooks: [
        {
          event: "PreToolUse",
          matcher: "Bash",
          handler: { type: "command", command: "./check.sh --strict" },
          layer: "project",
          origin: paths.project,
        },
      ],
      roots: ["/ws", "/lib"],
      untrusted: [],
      trusted: hashes.map((hash) => ({ hash })),
    });
    expect(settings.mode).toBe("default");
  });

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    [
      "the rule",
      { [paths.project]: { ...project, permissions: { ...project.permissions, allow: ["Bash(npm test )"] } } },
      0,
    ],
    ["the script that a hook runs", { "/ws/check.sh": "#!/bin/sh\ncurl evil\n" }, 2],
    [
      "an option of a hook",
      { [paths.project]: { hooks: { PreToolUse: [{ hooks: project.hooks.PreToolUse[0]?.hooks ?? [] }] } } },
      2,
    ],
  ])("ends with any change of %s", (_what, files, index) => {
    const settings = loaded({ files: world({ ...files, [paths.trust]: { trusted: hashes } }) });
    expect(settings.trusted.map((item) => item.hash)).not.toContain(hashes[index]);
    expect(settings.untrusted.map((item) => item.hash)).not.toContain(hashes[index]);
    expect(settings.untrusted).toHaveLength(1);
  });

  it.each(["CLAUDE_PROJECT_DIR", "{CLAUDE_PROJECT_DIR}", "GAUNTLET_PROJECT_DIR", "{GAUNTLET_PROJECT_DIR}"])(
    "covers a script that is named by $%s",
    (variable) => {
      const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: `"$${variable}"/check.sh` }] }] };
      const [before, after] = ["exit 0\n", "curl evil\n"].map((script) =>
        offered({ [paths.project]: { hooks }, "/ws/check.sh": script }),
      );
      expect(before?.[0]?.text).toContain("(with check.sh as it is now)");
      expect(after?.[0]?.hash).not.toBe(before?.[0]?.hash);
    },
  );

  it.each([
    ["npm run check", []],
    ["cd sub; ./other.sh", ["sub/other.sh"]],
    ["node -e 'require(`./check.sh`)'", ["check.sh"]],
    ["cat /dev/null | ./check.sh > out", ["check.sh"]],
  ])("can be had for any hook, and says that other files are not covered: %s", (command, covered) => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] };
    const files = { [paths.project]: { hooks }, "/ws/check.sh": "exit 0", "/ws/sub/other.sh": "" };
    const [item] = loaded({ files }).untrusted;
    expect(item).toMatchObject({ kind: "hook", notCovered: expect.any(String) });
    expect(item?.refused).toBeUndefined();
    expect(item?.bound?.map(([file]) => file)).toEqual(covered);
    expect(loaded({ files, commandLine: { trust: [item?.hash ?? ""] } }).hooks).toHaveLength(1);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
    ["a file", { "/ws/check.sh": "#!/bin/sh\ncurl evil\n" }, "check.sh"],
    ["a file that came", { "/ws/--strict": "" }, "--strict"],
    [
      "an option",
      {
        [paths.project]: {
          hooks: {
            PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./check.sh --strict", timeout: 9 }] }],
          },
        },
      },
      "its entry",
    ],
    [
      "other words",
      { [paths.project]: { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "./check.sh" }] }] } } },
      undefined,
    ],
  ])("says what of a hook changed since: %s", (_what, change, expected) => {
    const [hook] = offered().filter(({ kind }) => kind === "hook");
    const { hash = "", text = "", bound = [] } = hook ?? {};
    expect(bound.map(([file]) => file)).toEqual(["check.sh"]);
    const trust = { trusted: [hash], names: { [hash]: `hook ${text}` }, files: { [hash]: bound } };
    const settings = loaded({ files: world({ [paths.trust]: trust, ...change }) });
    const now = settings.untrusted.find(({ kind }) => kind === "hook")?.hash;
    const detail = `it changed since it was trusted (${expected})`;
    expect(settings.changedHooks).toEqual(expected && [{ hash: now, formerly: [hash], detail }]);
    expect(loaded({ files: world({ [paths.trust]: trust }) }).changedHooks).toBeUndefined();
  });

  it("is another matter in another file", () => {
    const files = { [paths.claudeProject]: { permissions: { allow: ["Bash(npm test)"] } } };
    expect(loaded({ files: { ...files, [paths.trust]: { trusted: hashes } } }).trusted).toEqual([]);
  });

  it("never covers what a project may not have at all", () => {
    const outcome = loadSettings({
      workspace: "/ws",
      home: "/home/ann",
      managedPath: "/etc/policy.json",
      commandLine: { trust: hashes },
      ...filePorts(world({})),
      checkRule: ({ text }) => (text.startsWith("Bash(make") ? "too broad" : undefined),
    });
    expect(outcome.ok && outcome.value.untrusted).toEqual([
      {
        kind: "allow_rule",
        origin: paths.project,
        text: "Bash(make:*) (expires 2030-01-01)",
        hash: hashes[1],
        refused: "too broad",
      },
    ]);
    expect(outcome.ok && outcome.value.rules.map((rule) => rule.text)).toEqual(["Bash(npm test)"]);
  });

  it("reads the hooks of another program, and names the ones that it does not support", () => {
    const command = { type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh' };
    const hooks = {
      PreToolUse: [
        {
          matcher: "Write|Edit",
          hooks: [
            { ...command, timeout: 900, shell: "bash" },
            { ...command, async: true },
            { type: "http", url: "https://x" },
            { type: "prompt", prompt: "$ARGUMENTS" },
          ],
        },
      ],
      Setup: [{ hooks: [command] }],
      Stop: "nothing",
    };
    const settings = loaded({ files: { [paths.claudeLocal]: { hooks }, "/ws/.claude/hooks/x.sh": "true" } });
    expect(settings.untrusted.map(({ origin, text }) => [origin, text])).toEqual([
      [
        paths.claudeLocal,
        `PreToolUse on Write|Edit: ${command.command} (timeout=600, with .claude/hooks/x.sh as it is now)`,
      ],
    ]);
    expect(settings.notices[0]).toBe(
      "/ws/.claude/settings.local.json: a project file can only restrict; ignored: " +
        "hooks.PreToolUse (a detached handler is not supported), " +
        'hooks.PreToolUse (a handler of type "http" is not supported), ' +
        'hooks.PreToolUse (a handler of type "prompt" is not supported), ' +
        "hooks.Setup (unsupported event), hooks.Stop (not a list of matchers and hooks)",
    );
  });

  it("takes a person's own hooks as they are, strongest layer first", () => {
    const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    const settings = loaded({ files: { [paths.user]: hook("user"), [paths.managed]: hook("managed") } });
    expect(settings.hooks.map(({ layer, handler }) => [layer, handler.command])).toEqual([
      ["managed", "managed"],
      ["user", "user"],
    ]);
  });

  const item = (at: number, more: Partial<UntrustedItem> = {}): UntrustedItem => {
    return { kind: "hook", origin: "x", text: "x", hash: `sha256:${String(at).padStart(64, "0")}`, ...more };
  };
  const store = (items: readonly UntrustedItem[]) => {
    const directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-trust-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = path.join(directory, "trust.json");
    return {
      file,
      read: () => JSON.parse(readFileSync(file, "utf8")),
      change: (accept: readonly number[], revoke: readonly number[] = []) =>
        changeTrust(file, items, {
          accept: accept.map((at) => item(at).hash),
          revoke: revoke.map((at) => item(at).hash),
        }),
    };
  };

  it("changes the file of trusted hashes and nothing else", () => {
    const [a, b, c] = [1, 2, 3].map((at) => item(at).hash);
    const { change, file, read } = store([
      item(1),
      item(2, { kind: "mcp_server", lines: ["docs: y"], bound: [["y.sh", "1"]] }),
      item(3),
      item(4, { refused: "too broad" }),
    ]);
    expect(change([1, 2]).ok).toBe(true);
    expect(read()).toEqual({
      trusted: [a, b],
      names: { [a ?? ""]: "hook x", [b ?? ""]: "mcp server docs: y" },
      files: { [b ?? ""]: [["y.sh", "1"]] },
    });
    expect(change([3], [2]).ok).toBe(true);
    expect(read()).toEqual({ trusted: [a, c], names: { [a ?? ""]: "hook x", [c ?? ""]: "hook x" } });
    expect(change([4])).toMatchObject({ ok: false, failure: { code: "policy_denied" } });
    expect(change([5])).toMatchObject({ ok: false, failure: { code: "bad_request" } });
    writeFileSync(file, "{}");
    expect(change([1])).toMatchObject({ ok: false });
  });

  it("remembers the files of what was trusted lately, and not of all that ever was", () => {
    const all = Array.from({ length: 120 }, (_, at) => at);
    const { change, read } = store(all.map((at) => item(at, { bound: [["x.sh", "1"]] })));
    expect(change(all).ok).toBe(true);
    const hashesOf = (from: number) => all.slice(from).map((at) => item(at).hash);
    expect([read().trusted, Object.keys(read().files)]).toEqual([hashesOf(0), hashesOf(20)]);
  });
});

describe("rules that a person saves", () => {
  it("join the file, and the rest of it stays", () => {
    const before = { permissions: { deny: ["Read(./x)"], allow: ["Bash(a)"] }, features: { b: true } };
    const text = addAllowRules("settings.json", JSON.stringify(before), ["Bash(a)", "Bash(b)"]);
    expect(text.ok && JSON.parse(text.value)).toEqual({
      ...before,
      permissions: { ...before.permissions, allow: ["Bash(a)", "Bash(b)"] },
    });
    expect(addAllowRules("settings.json", undefined, ["Bash(a)"])).toEqual({
      ok: true,
      value: '{\n  "permissions": {\n    "allow": [\n      "Bash(a)"\n    ]\n  }\n}\n',
    });
    expect(addAllowRules("settings.json", "{ broken", ["Bash(a)"])).toMatchObject({ ok: false });
  });
});
