import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { messageOf } from "../base/text.ts";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { Failure, Outcome } from "../contract/codes.ts";
import type { SandboxDescription } from "../contract/ports.ts";
import type { Settings } from "../contract/settings.ts";

interface Examination {
  readonly fix: boolean;
  readonly gauntletHome: string;
  /** Called only when the directory exists, because it would create it. */
  readonly openState: () => Outcome<unknown>;
  readonly ripgrepPath: string;
  readonly policy:
    | {
        readonly ok: true;
        readonly backend: Settings["sandbox"]["backend"];
        readonly sandbox: SandboxDescription;
        readonly notices: readonly string[];
      }
    | { readonly ok: false; readonly failure: Failure };
}

export function examineMachine(examination: Examination): readonly DoctorCheck[] {
  const { ripgrepPath } = examination;
  return [
    checkNode(),
    checkSandbox(examination),
    checkProgram("bash", "apt-get install -y bash"),
    checkProgram("git", "apt-get install -y git"),
    checkProgram("ripgrep", "npm install", { file: ripgrepPath, absent: `${ripgrepPath} does not run` }),
    checkState(examination),
    checkSettings(examination),
  ];
}

function checkNode(): DoctorCheck {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= 24
    ? { name: "node", state: "ok", detail: process.version }
    : { name: "node", state: "missing", detail: `${process.version}; 24 or newer is needed`, fix: "install Node 24" };
}

const installSandbox = "apt-get install -y bubblewrap";

function checkSandbox({ fix, policy }: Examination): DoctorCheck {
  const name = "sandbox";
  if (!policy.ok && policy.failure.code !== "sandbox_unavailable") {
    return { name, state: "warning", detail: "not checked: the settings are invalid" };
  }
  if (policy.ok && policy.sandbox.enforces) return { name, state: "ok", detail: policy.sandbox.detail };
  const detail = policy.ok ? policy.sandbox.detail : policy.failure.message;
  if (policy.ok && policy.backend === "none") {
    const said = 'sandbox.backend is "none" in the settings, so nothing confines commands';
    return {
      name,
      state: "missing",
      detail: said,
      fix: 'remove sandbox.backend from the settings, or set it to "auto"',
    };
  }
  if (!fix || versionOf("bwrap") !== undefined) return { name, state: "missing", detail, fix: installSandbox };
  return runInstaller(["install", "-y", "bubblewrap"])
    ? { name, state: "ok", detail: "bubblewrap was installed; restart to use it" }
    : { name, state: "missing", detail: `${detail} Installing it failed.`, fix: installSandbox };
}

function checkProgram(name: string, fix: string, { file = name, absent = "not found on PATH" } = {}): DoctorCheck {
  const version = versionOf(file);
  return version === undefined
    ? { name, state: "missing", detail: absent, fix }
    : { name, state: "ok", detail: version };
}

function checkState({ fix, gauntletHome, openState }: Examination): DoctorCheck {
  const name = "state";
  try {
    if (fix && !existsSync(gauntletHome)) mkdirSync(gauntletHome, { recursive: true, mode: 0o700 });
    const isThere = existsSync(gauntletHome);
    if (isThere && !statSync(gauntletHome).isDirectory()) return unusableState(`${gauntletHome} is not a directory`);
    for (const directory of isThere ? stateDirectories(gauntletHome) : [deepestThere(gauntletHome)]) {
      rmSync(mkdtempSync(path.join(directory, ".gauntlet-doctor-")), { recursive: true });
    }
    const opened = isThere ? openState() : undefined;
    if (opened?.ok === false) return unusableState(opened.failure.message);
    return { name, state: "ok", detail: isThere ? gauntletHome : `${gauntletHome} will be created on first use` };
  } catch (error) {
    return unusableState(`${gauntletHome} cannot be written (${messageOf(error)})`);
  }
}

function unusableState(detail: string): DoctorCheck {
  const fix = "set GAUNTLET_HOME to a writable directory, or make your user the owner of this one";
  return { name: "state", state: "missing", detail: `nothing can be recorded, so no call can run: ${detail}`, fix };
}

function stateDirectories(gauntletHome: string): readonly string[] {
  const below = ["sessions", "artifacts"].map((directory) => path.join(gauntletHome, directory));
  return [gauntletHome, ...below.filter((directory) => existsSync(directory))];
}

function deepestThere(place: string): string {
  const above = path.dirname(place);
  return above === place || existsSync(above) ? above : deepestThere(above);
}

function checkSettings({ policy }: Examination): DoctorCheck {
  const name = "settings";
  if (!policy.ok) return { name, state: "missing", detail: policy.failure.message, fix: "correct the named file" };
  return policy.notices.length === 0
    ? { name, state: "ok", detail: "all files are valid" }
    : { name, state: "warning", detail: policy.notices.join(" ") };
}

function versionOf(program: string): string | undefined {
  try {
    const answer = execFileSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return answer.split("\n")[0];
  } catch {
    return undefined;
  }
}

function runInstaller(args: readonly string[]): boolean {
  const asRoot = process.getuid?.() === 0;
  const [program, ...before] = asRoot ? ["apt-get"] : ["sudo", "-n", "apt-get"];
  try {
    execFileSync(program ?? "apt-get", [...before, ...args], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
