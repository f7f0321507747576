import { describe, expect, it } from "vitest";
import { appWithArchive } from "../../test/support/archive.ts";
import { run } from "../../test/support/surface.ts";
import { codeNames } from "../contract/codes.ts";
import { exitCodeOf } from "./report.ts";
import { OutputFailed } from "./surface.ts";

describe("the command line", () => {
  it("prints help that names every command, with examples and exit codes, and makes no App for it", async () => {
    const help = await run(["--help"]);
    expect({ code: help.code, stderr: help.stderr, apps: help.apps }).toEqual({ code: 0, stderr: "", apps: [] });
    for (const word of [
      "call",
      "pipe",
      "explain",
      "sessions",
      "audit",
      "tools",
      "doctor",
      "Examples:",
      "Exit codes:",
    ]) {
      expect(help.stdout).toContain(word);
    }
  });

  it("prints its version", async () => {
    for (const word of ["--version", "-V", "version"]) {
      expect(await run([word])).toMatchObject({ code: 0, stdout: "1.2.3\n", stderr: "" });
    }
  });

  it.each([
    ["call"],
    ["pipe"],
    ["explain"],
    ["doctor"],
    ["tools", "list"],
    ["tools", "show"],
    ["audit", "verify"],
    ["audit", "why"],
    ["sessions", "list"],
    ["sessions", "show"],
    ["sessions", "events"],
    ["sessions", "replay"],
    ["sessions", "export"],
    ["sessions", "import"],
    ["sessions", "prune"],
  ])("helps with %s %s and offers --json", async (...names) => {
    const words = names.filter((name) => name !== undefined);
    const help = await run([...words, "--help"]);
    expect({ code: help.code, stderr: help.stderr }).toEqual({ code: 0, stderr: "" });
    expect(help.stdout).toContain("Examples:");
    expect(help.stdout).toContain("--json");
    expect(await run(["help", ...words])).toEqual(help);
  });

  it.each([
    [["cal", "read"], "Did you mean call?"],
    [["call", "read", "{}", "--sesion", "x"], "Did you mean --session?"],
    [["sessions", "lst"], "Did you mean list?"],
    [["call"], "missing required argument 'tool'"],
    [["call", "read", "{}", "--mode", "yolo"], "Allowed choices are default, acceptEdits, plan, dontAsk, bypass, auto"],
    [["call", "read", "{}", "extra"], "too many arguments"],
    [["pipe", "--on-ask", "allow"], "Allowed choices are deny, wait"],
    [["sessions", "prune", "--older-than", "soon"], "Expected an age such as 30d"],
    [["sessions", "prune", "--max-size", "big"], "Expected a size such as 500MiB"],
    [["sessions", "events", "ses_1", "--from", "-1"], "Expected a whole number"],
    [["nosuch", "--help"], "unknown command 'nosuch'"],
    [["help", "nosuch"], "unknown command 'nosuch'"],
    [["help", "sessions", "nosuch"], "unknown command 'nosuch'"],
  ])("answers the mistake %j with exit code 2 on stderr", async (argv, words) => {
    const ran = await run(argv);
    expect({ code: ran.code, stdout: ran.stdout, apps: ran.apps }).toEqual({ code: 2, stdout: "", apps: [] });
    expect(ran.stderr).toContain(words);
  });

  it("says why it does nothing when it is told nothing and there is no terminal", async () => {
    const ran = await run([]);
    expect([ran.code, ran.stdout, ran.apps]).toEqual([2, "", []]);
    expect(ran.stderr).toBe(
      "gauntlet: a conversation needs a terminal.\nWithout a terminal, use `gauntlet run '<task>'`, which does not ask you. `gauntlet --help` lists all commands.\n",
    );
  });

  it("helps with the options that need no command, and with those of a command only there", async () => {
    const help = (await run(["--help"])).stdout;
    for (const option of ["-c, --continue", "--resume <id>", "--model <provider/id>", "--mode <mode>"]) {
      expect(help).toMatch(new RegExp(`^  ${option} `, "m"));
    }
    expect((await run(["doctor", "--help"])).stdout).not.toContain("--continue");
  });

  it.each([
    [["sessions", "list"], 0],
    [["sessions", "events", "ses_1"], 0],
    [["sessions", "export", "ses_1"], 130],
    [["audit", "verify"], 130],
  ])("ends %j with %i when its reader leaves", async (argv, code) => {
    expect(await run(argv, { app: appWithArchive(), closesAfter: 0 })).toMatchObject({ code, stdout: "", stderr: "" });
  });

  it("says that its output was lost, and fails", async () => {
    const loses = new OutputFailed("ENOSPC: no space left on device, write");
    const stderr = "gauntlet: standard output cannot be written: ENOSPC: no space left on device, write\n";
    for (const argv of [["sessions", "list"], ["--help"]]) {
      const ran = await run(argv, { app: appWithArchive(), closesAfter: 0, loses });
      expect(ran).toMatchObject({ code: 1, stdout: "", stderr });
    }
  });

  it("has an exit code for every code, and 0 for none but ok", () => {
    expect(Object.keys(exitCodeOf).sort()).toEqual([...codeNames].sort());
    expect(codeNames.filter((code) => exitCodeOf[code] === 0)).toEqual(["ok"]);
  });
});
