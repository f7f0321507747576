import { Buffer } from "node:buffer";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Outcome } from "../../contract/codes.ts";
import { createMetadata } from "../../host/files/metadata.ts";
import { createScan } from "../../host/files/scan.ts";
import { Pipes } from "../../host/process/pipes.ts";
import { seccompFilter } from "../plan/seccomp.ts";
import { prepareShell, type ShellPlan } from "../plan/shell-plan.ts";
import { readIdentity, readSystemLayout } from "../plan/system-layout.ts";
import { findProgram } from "../plan/toolchains.ts";
import type { BubblewrapOptions } from "./backend.ts";
import { findLimits } from "./limits.ts";
import { Placeholders } from "./placeholders.ts";
import { shellWord } from "./shell-prelude.ts";
import { ShellProcess } from "./shell-process.ts";

const home = "/run/home";
let base: string;
let root: string;
let options: BubblewrapOptions;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "confinement-")));
  root = realpathSync(mkdtempSync(join(base, "workspace-")));
  options = {
    bash: required("bash"),
    environment: { PATH: "/usr/bin:/bin" },
    workspaceRoots: [root],
    closedInHistory: "",
    coverOf: () => undefined,
    pipes: new Pipes({ directory: base, mkfifo: required("mkfifo") }),
    bwrap: required("bwrap"),
    system: readSystemLayout(),
    toolchains: [],
    toolchainSecrets: [],
    caches: [],
    identity: readIdentity(home),
    personHome: base,
    ownGit: { text: "", excludes: "" },
    ownNpm: [],
    limits: findLimits({}),
    scratch: base,
    cache: undefined,
    menu: undefined,
    resolve: () => Promise.reject(new Error("There is no network here")),
  };
});

afterEach(() => {
  options.pipes?.rest();
  options.limits.rest();
  rmSync(base, { recursive: true, force: true });
});

function required(program: string): string {
  const found = findProgram(program, ["/usr/bin", "/bin"]);
  if (found === undefined) throw new Error(`${program} is not installed`);
  return found;
}

/**
 * A bubblewrap that leaves out what it was told: options by their names, with as many words as each takes. Not in
 * bash, which would take the prelude for its own.
 */
function forgetful(forgotten: Readonly<Record<string, number>>, instead: readonly string[]): string {
  const path = join(base, "bwrap");
  const cases = Object.entries(forgotten).map(([name, words]) => `yes,${name}) skipped=${words}; continue ;;`);
  const script = `#!/bin/sh
left=$# skipped=0 options=yes
set -- "$@" ${instead.join(" ")}
while [ $left -gt 0 ]; do
  word=$1 left=$((left - 1))
  shift
  if [ $skipped -gt 0 ]; then skipped=$((skipped - 1)); continue; fi
  case $options,$word in
    yes,--) options=no ;;
    ${cases.join("\n    ")}
  esac
  set -- "$@" "$word"
done
exec ${options.bwrap} "$@"
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

const text = "echo ran; echo ran > marker";

/** Both ways to start a shell, told to begin and followed to the end. */
const ways = {
  "started for one command": (plan: ShellPlan, bwrap: string) =>
    begin("g", ShellProcess.start(plan, { ...start(bwrap), command: { text, cwd: root } })),
  "started ahead": (plan: ShellPlan, bwrap: string) =>
    begin(shellWord(text, root), ShellProcess.start(plan, start(bwrap))),
};

function start(bwrap: string) {
  return { options: { ...options, bwrap }, filter: seccompFilter(arch(), { sockets: "all" }) };
}

async function begin(word: string, started: Outcome<ShellProcess>) {
  if (!started.ok) throw new Error(started.failure.message);
  let said = "";
  const listen = (chunk: Uint8Array) => {
    said += Buffer.from(chunk).toString();
  };
  const { failure } = await started.value.begin(word, { onStdout: listen, onStderr: listen }, () => {}).exited;
  return {
    said,
    failure: failure && { code: failure.code, message: failure.message },
    ran: existsSync(join(root, "marker")),
  };
}

function plan() {
  const prepared = prepareShell(
    { profile: { readable: [], writable: [root], protected: [], masked: [], network: "none" } },
    {
      ...options,
      looks: { metadata: createMetadata(), scan: createScan() },
      placeholders: new Placeholders(),
      online: undefined,
      ownPrograms: [],
    },
  );
  if (!prepared.ok) throw new Error(prepared.failure.message);
  return prepared.value.plan;
}

const allBut = (kept: string) =>
  ["pid", "ipc", "net", "uts"].filter((one) => one !== kept).map((one) => `--unshare-${one}`);
/** A user cannot have a sandbox without a namespace of users, and is left no capabilities by bubblewrap itself. */
const onlyAsRoot: readonly Forgetting[] = [
  ["it has capabilities", { "--cap-drop": 1 }, []],
  ["it could gain capabilities", { "--unshare-all": 0, "--unshare-user": 0, "--disable-userns": 0 }, allBut("user")],
];
const forgettings: readonly Forgetting[] = [
  ["its system calls are not filtered", { "--seccomp": 1 }, []],
  ["it shares the host's network", { "--unshare-all": 0 }, allBut("net")],
  ["it shares the host's memory segments", { "--unshare-all": 0 }, allBut("ipc")],
  ["it cannot be found", { "--unshare-all": 0 }, allBut("pid")],
  ...(process.getuid?.() === 0 ? onlyAsRoot : []),
];

type Forgetting = readonly [meaning: string, forgotten: Readonly<Record<string, number>>, instead: readonly string[]];

describe.each(Object.entries(ways))("a shell that was %s", (_way, run) => {
  test("begins when everything that was asked for holds", async () => {
    expect(await run(plan(), forgetful({}, []))).toEqual({ said: "ran\n", failure: undefined, ran: true });
  });

  test.each(forgettings)("runs nothing when %s", async (meaning, forgotten, instead) => {
    const message = `The shell is not confined: ${meaning}. Nothing was run.`;
    expect(await run(plan(), forgetful(forgotten, instead))).toEqual({
      said: "",
      failure: { code: "sandbox_unavailable", message },
      ran: false,
    });
  });
});
