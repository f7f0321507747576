import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import process from "node:process";
import type { DoctorCheck } from "../contract/app.ts";
import type { Failure } from "../contract/codes.ts";
import type { SandboxDescription } from "../contract/ports.ts";
import type { Settings } from "../contract/settings.ts";

export interface Examination {
  readonly fix: boolean;
  readonly gauntletHome: string;
  readonly ripgrepPath: string;
  readonly policy:
    | {
        readonly ok: true;
        /** What the settings ask for. */
        readonly backend: Settings["sandbox"]["backend"];
        readonly sandbox: SandboxDescription;
        readonly notices: readonly string[];
      }
    | { readonly ok: false; readonly failure: Failure };
}

/** What this machine offers and what is missing, each with the command that mends it. */
export function examineMachine(examination: Examination): readonly DoctorCheck[] {
  return [
    checkNode(),
    checkSandbox(examination),
    checkProgram("bash", "apt-get install -y bash"),
    checkProgram("git", "apt-get install -y git"),
    checkRipgrep(examination.ripgrepPath),
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
    return { name, state: "warning", detail: "not examined, because the settings cannot be used" };
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
    ? { name, state: "ok", detail: "bubblewrap was installed; start again to use it" }
    : { name, state: "missing", detail: `${detail} Installing it failed.`, fix: installSandbox };
}

function checkProgram(program: string, install: string): DoctorCheck {
  const version = versionOf(program);
  return version === undefined
    ? { name: program, state: "missing", detail: "not found on PATH", fix: install }
    : { name: program, state: "ok", detail: version };
}

function checkRipgrep(file: string): DoctorCheck {
  const version = versionOf(file);
  return version === undefined
    ? { name: "ripgrep", state: "missing", detail: `${file} does not run`, fix: "npm install" }
    : { name: "ripgrep", state: "ok", detail: version };
}

function checkState({ fix, gauntletHome }: Examination): DoctorCheck {
  const name = "state";
  try {
    if (fix) mkdirSync(gauntletHome, { recursive: true, mode: 0o700 });
    if (!existsSync(gauntletHome)) return { name, state: "ok", detail: `${gauntletHome} will be made on first use` };
    accessSync(gauntletHome, constants.W_OK);
    return { name, state: "ok", detail: gauntletHome };
  } catch (error) {
    const detail = `${gauntletHome} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    return { name, state: "missing", detail, fix: "set GAUNTLET_HOME to a directory of your own" };
  }
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
