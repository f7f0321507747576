import { describe, expect, it } from "vitest";
import { changeTrust } from "./change-trust.ts";
import { loadSettings } from "./load-settings.ts";
import { addAllowRules } from "./save-rules.ts";
import { changeTrusted, readTrustRecord } from "./trust-file.ts";
import { filePorts, hashShape, loaded, paths } from "./world.fixture.ts";

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
      "/ws/.gauntlet/settings.json: a project file can only narrow; not used: trust",
      "Not trusted, so without effect in this project: 2 allow rules, 1 hook, 1 directory. `gauntlet trust` lists them.",
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

  it("cannot be had for a hook whose files cannot be told, whoever pins it", () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "cd sub; ./check.sh" }] }] };
    const files = { [paths.project]: { hooks } };
    const [item] = loaded({ files }).untrusted;
    expect(item).toEqual({
      kind: "hook",
      origin: paths.project,
      text: "PreToolUse: cd sub; ./check.sh",
      hash: expect.stringMatching(hashShape),
      refused:
        "what it would run cannot be held to what it is now: " +
        'it is more than a program with its words (";"); a script of the project can',
    });
    const pinned = loaded({ files, commandLine: { trust: [item?.hash ?? ""] } });
    expect(pinned).toMatchObject({ hooks: [], trusted: [], untrusted: [item] });
    expect(
      changeTrust("/nowhere/trust.json", [...pinned.trusted, ...pinned.untrusted], {
        accept: [item?.hash ?? ""],
        revoke: [],
      }),
    ).toEqual({
      ok: false,
      failure: {
        code: "policy_denied",
        message: `${item?.text} can never be trusted: ${item?.refused}.`,
        recovery: `Ask for less in ${paths.project}.`,
      },
    });
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
    const trust = { trusted: [hash], names: { [hash]: `hook ${text}` }, bound: { [hash]: bound } };
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
      "/ws/.claude/settings.local.json: a project file can only narrow; not used: " +
        "hooks.PreToolUse (a detached handler is not supported), " +
        'hooks.PreToolUse (a handler of type "http" is not supported), ' +
        'hooks.PreToolUse (a handler of type "prompt" is not supported), ' +
        "hooks.Setup (an event that is not supported), hooks.Stop (not a list of matchers and hooks)",
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

  it("changes the file of trusted hashes and nothing else", () => {
    const [a = "", b = "", c = ""] = hashes;
    const text = changeTrusted("trust.json", undefined, { accept: [a, b], revoke: [] });
    expect(text).toEqual({ ok: true, value: `${JSON.stringify({ trusted: [a, b] }, null, 2)}\n` });
    const again = changeTrusted("trust.json", text.ok ? text.value : "", { accept: [b, c], revoke: [a] });
    expect(again.ok && JSON.parse(again.value)).toEqual({ trusted: [b, c] });
    expect(changeTrusted("trust.json", "{}", { accept: [a], revoke: [] })).toMatchObject({ ok: false });
    const known = { names: { [a]: "hook x" }, bound: { [a]: [["x.sh", "1"]] as const } };
    const named = changeTrusted("trust.json", again.ok ? again.value : "", { accept: [a], revoke: [b], ...known });
    const read = named.ok ? named.value : "";
    expect(JSON.parse(read)).toEqual({ trusted: [c, a], ...known });
    expect(readTrustRecord("trust.json", () => read)).toEqual(known);
    const without = changeTrusted("trust.json", read, { accept: [], revoke: [a] });
    expect(without.ok && JSON.parse(without.value)).toEqual({ trusted: [c] });
  });

  it("remembers the files of what was trusted lately, and not of all that ever was", () => {
    const many = Array.from({ length: 120 }, (_, at) => `sha256:${String(at).padStart(64, "0")}`);
    const bound = Object.fromEntries(many.map((hash) => [hash, [["x.sh", "1"]] as const]));
    const text = changeTrusted("trust.json", undefined, { accept: many, revoke: [], bound });
    const read = text.ok ? JSON.parse(text.value) : undefined;
    expect([read.trusted, Object.keys(read.bound)]).toEqual([many, many.slice(20)]);
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
