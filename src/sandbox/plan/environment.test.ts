import { describe, expect, test } from "vitest";
import { cleanEnvironment, isProtectedVariable, withAdditions } from "./environment.ts";

const base = { from: {}, pass: [], path: ["/usr/bin", "/bin"], toolchains: {}, home: "/run/home", user: "ada" };
const fixed = {
  HOME: "/run/home",
  LANG: "C.UTF-8",
  LOGNAME: "ada",
  PAGER: "cat",
  PATH: "/usr/bin:/bin",
  SHELL: "/bin/bash",
  TERM: "dumb",
  USER: "ada",
};

describe("the environment of a command", () => {
  test("is complete and the same on every machine when nothing is passed", () => {
    expect(cleanEnvironment(base)).toEqual(fixed);
  });

  test("takes language, time zone and what the user named, and nothing else", () => {
    const from = {
      AWS_SECRET_ACCESS_KEY: "secret",
      HOME: "/home/ada",
      LANG: "de_DE.UTF-8",
      LC_TIME: "C",
      LD_PRELOAD: "/tmp/evil.so",
      MY_TOKEN: "wanted",
      TERM: "xterm-256color",
      TZ: "Europe/Berlin",
    };
    expect(cleanEnvironment({ ...base, from, pass: ["MY_TOKEN", "LD_PRELOAD", "HOME", "ABSENT"] })).toEqual({
      ...fixed,
      LANG: "de_DE.UTF-8",
      LC_TIME: "C",
      MY_TOKEN: "wanted",
      TZ: "Europe/Berlin",
    });
  });

  test("cannot be widened for one command by a protected name", () => {
    const additions = { BASH_ENV: "/tmp/x", GIT_DIR: "/x", PATH: "/tmp", PORT: "8080", PYTHONPATH: "/tmp" };
    expect(withAdditions(fixed, additions)).toEqual({ ...fixed, PORT: "8080" });
  });

  test.each([
    ["BASH_ENV", true],
    ["BASH_FUNC_ls%%", true],
    ["DYLD_INSERT_LIBRARIES", true],
    ["ENV", true],
    ["GIT_SSH_COMMAND", true],
    ["LD_PRELOAD", true],
    ["LESSOPEN", true],
    ["NODE_OPTIONS", true],
    ["PATH", true],
    ["PERL5LIB", true],
    ["PYTHONSTARTUP", true],
    ["RUBYOPT", true],
    ["SSH_AUTH_SOCK", true],
    ["DATABASE_URL", false],
    ["NODE_ENV", false],
    ["PORT", false],
  ])("%s is protected: %s", (name, expected) => {
    expect(isProtectedVariable(name)).toBe(expected);
  });
});
