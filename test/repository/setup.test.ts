import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const scripts = path.resolve(import.meta.dirname, "../../scripts");
let clone = "";
beforeEach(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), "gauntlet-setup-"));
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

interface Machine {
  /** Programs that are there, each telling what it was called with; the text is what else it does. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly absent?: readonly string[];
  readonly user?: number;
  /** Files of the clone by age in seconds; undefined takes one away. */
  readonly ages?: Readonly<Record<string, number | undefined>>;
}

const ready = {
  "package-lock.json": 100,
  "src/main.ts": 100,
  "node_modules/.package-lock.json": 50,
  "dist/index.js": 10,
};

/** Runs the real script in a clone and on a machine that are made of stubs. */
function setup(machine: Machine) {
  const bin = path.join(clone, "machine");
  mkdirSync(bin);
  for (const tool of ["/bin/sh", "/usr/bin/dirname", "/usr/bin/find"])
    symlinkSync(tool, path.join(bin, path.basename(tool)));
  const programs = {
    ...{ bwrap: "", git: "", bash: "", script: "", tmux: "", npm: "", "apt-get": "" },
    ...{ uname: "echo Linux; exit", id: `echo ${machine.user ?? 0}; exit` },
    ...machine.programs,
  };
  for (const [name, does] of Object.entries(programs)) {
    if (machine.absent?.includes(name) === true) continue;
    const quiet = name === "uname" || name === "id";
    const tell = quiet ? "" : `echo "${name} $*" >> "${clone}/calls"\n`;
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${tell}${does}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  for (const file of [
    "package.json",
    "tsconfig.json",
    "scripts/build.mjs",
    "scripts/bundle.mjs",
    "scripts/features.mjs",
    "scripts/plain-headers.mjs",
    "scripts/compile-ahead.ts",
    "scripts/tool-schemas.ts",
    "scripts/keep-compiled.cjs",
    "bin/load-program.cjs",
  ]) {
    place(file, 100);
  }
  for (const name of ["setup.sh", "is-built.sh"])
    place(`scripts/${name}`, 100, readFileSync(path.join(scripts, name), "utf8"));
  for (const [file, age] of Object.entries({ ...ready, ...machine.ages })) if (age !== undefined) place(file, age);
  const ran = spawnSync("/bin/sh", [path.join(clone, "scripts/setup.sh")], {
    encoding: "utf8",
    env: { PATH: bin },
  });
  const calls = path.join(clone, "calls");
  return {
    status: ran.status,
    stdout: ran.stdout,
    stderr: ran.stderr.trimEnd().split("\n"),
    calls: existsSync(calls) ? readFileSync(calls, "utf8").trimEnd().split("\n") : [],
  };
}

function place(file: string, age: number, text = ""): void {
  const at = path.join(clone, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
  const time = Date.now() / 1000 - age;
  utimesSync(at, time, time);
}

const install = "apt-get install -y --no-install-recommends bubblewrap";

describe("scripts/setup.sh", () => {
  it("does nothing when everything is there", () => {
    expect(setup({})).toEqual({ status: 0, stdout: "", stderr: [""], calls: [] });
  });

  it.each([
    [
      "installs when nothing is installed",
      { "node_modules/.package-lock.json": undefined },
      ["npm ci --no-audit --no-fund --loglevel=error"],
    ],
    [
      "installs when the lockfile is newer",
      { "package-lock.json": 20, "dist/index.js": 10 },
      ["npm ci --no-audit --no-fund --loglevel=error"],
    ],
    ["builds when nothing is built", { "dist/index.js": undefined }, ["npm run --silent build"]],
    ["builds when a source is newer", { "src/gate/rule.ts": 5 }, ["npm run --silent build"]],
    [
      "leaves the build alone when only a test is newer",
      { "src/gate/rule.test.ts": 5, "src/gate/rule.fixture.ts": 5 },
      [],
    ],
  ])("%s", (_name, ages, calls) => {
    expect(setup({ ages })).toMatchObject({ status: 0, calls });
  });

  it("installs what the system lacks, as root", () => {
    expect(setup({ absent: ["bwrap"] })).toEqual({
      status: 0,
      stdout: "",
      stderr: ["setup: missing: bubblewrap"],
      calls: [install],
    });
  });

  it("installs the terminal that the tests draw on", () => {
    expect(setup({ absent: ["tmux"], user: 1000 })).toMatchObject({
      status: 1,
      stderr: [
        "setup: missing: tmux",
        "setup: run `sudo apt-get install -y --no-install-recommends tmux`, then run this again.",
      ],
    });
  });

  it("asks for a fresh package list when the first try fails", () => {
    const aptGet = 'case "$1" in update) : > "$0.fresh" ;; *) [ -f "$0.fresh" ] ;; esac';
    const ran = setup({ absent: ["bwrap"], programs: { "apt-get": aptGet } });
    expect([ran.status, ran.calls]).toEqual([0, [install, "apt-get update", install]]);
  });

  it("uses sudo when it needs no password", () => {
    const ran = setup({ absent: ["bwrap"], user: 1000, programs: { sudo: "" } });
    expect([ran.status, ran.calls]).toEqual([0, ["sudo -n true", `sudo -n ${install}`]]);
  });

  it.each([
    ["no sudo", {}],
    ["a sudo that wants a password", { sudo: "exit 1" }],
  ])("gives the exact command and stops with %s", (_name, programs) => {
    const ran = setup({ absent: ["bwrap"], user: 1000, programs });
    expect([ran.status, ran.stderr]).toEqual([
      1,
      ["setup: missing: bubblewrap", `setup: run \`sudo ${install}\`, then run this again.`],
    ]);
  });

  it("stops where there is no apt", () => {
    const ran = setup({ absent: ["bwrap", "git", "apt-get"] });
    expect([ran.status, ran.stderr]).toEqual([
      1,
      [
        "setup: missing: bubblewrap git",
        "setup: install it with the package manager of this system, then run this again.",
      ],
    ]);
  });

  it.each([
    ["the installation fails", { "node_modules/.package-lock.json": undefined }, "setup: `npm ci` failed."],
    ["the build fails", { "dist/index.js": undefined }, "setup: the build failed."],
  ])("stops when %s", (_name, ages, words) => {
    const ran = setup({ ages, programs: { npm: "exit 1" } });
    expect([ran.status, ran.stderr.at(-1)]).toEqual([1, words]);
  });
});
