import { constants, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { lazy } from "../base/async.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { Sandbox, SandboxDescription } from "../contract/ports.ts";
import { isAccessible } from "../host/files/look.ts";
import { createScan, type Scan } from "../host/files/scan.ts";
import { Pipes } from "../host/process/pipes.ts";
import { describeExternal, describeNone } from "./describe.ts";
import { type ClosedNames, closedLines } from "./git/attributes.ts";
import { ownGitConfiguration } from "./git/own-configuration.ts";
import { type Resolve, resolveBySystem } from "./network/reach.ts";
import { cleanEnvironment, sandboxHome } from "./plan/environment.ts";
import { findCaches, ownPackageSettings } from "./plan/package-managers.ts";
import { readIdentity, readSystemLayout } from "./plan/system-layout.ts";
import { findProgram, findToolchainSecrets, findToolchains, type ProgramFinder } from "./plan/toolchains.ts";
import type { BackendOptions } from "./run/backend.ts";
import { Bubblewrap } from "./run/bubblewrap.ts";
import { findLimits } from "./run/limits.ts";
import { Unconfined } from "./run/unconfined.ts";
import { probeViews } from "./transaction/probe.ts";

export interface SandboxOptions {
  readonly backend: "auto" | "bubblewrap" | "external" | "none";
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly toolchains: readonly string[];
  readonly passEnvironment: readonly string[];
  readonly workspaceRoots: readonly string[];
  readonly home?: string;
  readonly closedNames?: readonly ClosedNames[];
  readonly coverOf?: (path: string) => string | undefined;
  readonly strictSockets?: boolean;
  readonly pids?: number;
  readonly memoryBytes?: number;
  readonly cache?: string;
  readonly menu?: string;
  readonly claims?: string;
  readonly views?: { readonly stores: readonly string[]; readonly trash: string };
  readonly resolve?: Resolve;
  readonly scan?: Scan;
}

const systemPath = ["/usr/bin", "/bin"];

/** Starts a process only if bubblewrap may not work on this machine. */
export async function createSandbox(
  options: SandboxOptions,
  platform: string = process.platform,
): Promise<Outcome<Sandbox>> {
  const { backend, environment, workspaceRoots } = options;
  const home = options.home ?? environment.HOME ?? homedir();
  const toolchains = lazy(() =>
    findToolchains({ path: environment.PATH ?? "", home, extra: options.toolchains, workspaceRoots }),
  );
  const find: ProgramFinder = (name) => findProgram(name, systemPath) ?? findProgram(name, toolchains().path);
  const bash = find("bash");
  if (bash === undefined)
    return fail("sandbox_unavailable", "bash is not installed; install it with: apt-get install bash");

  const common = (homeInside: string): BackendOptions => ({
    bash,
    workspaceRoots,
    ...pipesIn(scratchFor(workspaceRoots), find("mkfifo")),
    environment: cleanEnvironment({
      from: environment,
      pass: options.passEnvironment,
      path: toolchains().path,
      toolchains: toolchains().variables,
      home: homeInside,
      user: readIdentity(homeInside).user,
    }),
  });
  const unconfined = (description: SandboxDescription) =>
    ok(
      new Unconfined(
        description,
        lazy(() => common(home)),
      ),
    );
  if (backend === "external") return unconfined(describeExternal());
  if (backend === "none") return unconfined(describeNone("sandbox.backend is none"));

  const availability = checkAvailability(platform, find);
  if (availability.state === "missing")
    return backend === "auto"
      ? unconfined(describeNone(availability.reason))
      : fail("sandbox_unavailable", availability.reason);
  const limits = findLimits(options);
  const { claims, scan = createScan({ shares: true }), views = { stores: [], trash: "" } } = options;
  const sandbox = new Bubblewrap(
    {
      limits,
      sockets: options.strictSockets ? "no_unix" : "all",
      claims,
      scan,
      stores: views.stores,
      roots: workspaceRoots,
      probe: () => probeViews({ bash, find, roots: workspaceRoots, ...views }),
    },
    () => ({
      ...common(sandboxHome),
      closedInHistory: closedLines(options.closedNames ?? []),
      coverOf: options.coverOf ?? (() => undefined),
      bwrap: availability.bwrap,
      system: readSystemLayout(),
      toolchains: toolchains().directories,
      toolchainSecrets: findToolchainSecrets(toolchains().directories),
      caches: findCaches(home, workspaceRoots),
      identity: readIdentity(sandboxHome),
      personHome: home,
      ownNpm: ownPackageSettings(home),
      ownGit: ownGitConfiguration(home, { git: find("git"), workspace: workspaceRoots[0] }),
      limits,
      cache: options.cache,
      menu: options.menu,
      resolve: options.resolve ?? resolveBySystem,
    }),
  );
  const failure = availability.state === "doubtful" ? await tryOut(sandbox, workspaceRoots) : undefined;
  if (failure === undefined) return ok(sandbox);
  sandbox.close();
  return backend === "auto" ? unconfined(describeNone(failure.message)) : { ok: false, failure };
}

async function tryOut(sandbox: Sandbox, roots: readonly string[]): Promise<Failure | undefined> {
  const [cwd] = roots;
  if (cwd === undefined) return undefined;
  const started = sandbox.shell("true", {
    cwd,
    profile: { readable: [cwd], writable: [], protected: [], masked: [], network: "none" },
    onStdout: () => {},
    onStderr: () => {},
  });
  return started.ok ? (await started.value.exited).failure : started.failure;
}

/** Pipes, files and sockets are created where no command can ever see them. */
function scratchFor(roots: readonly string[]): string {
  const candidates = ["/dev/shm", tmpdir(), "/tmp"].filter((path) => !isInsideAny(path, roots));
  return candidates.find((path) => isAccessible(path, constants.W_OK | constants.X_OK)) ?? tmpdir();
}

function pipesIn(scratch: string, mkfifo: string | undefined): Pick<BackendOptions, "pipes" | "scratch"> {
  const usable = mkfifo !== undefined && process.platform === "linux";
  return { scratch, pipes: usable ? new Pipes({ directory: scratch, mkfifo }) : undefined };
}

type Availability =
  | { readonly state: "likely" | "doubtful"; readonly bwrap: string }
  | { readonly state: "missing"; readonly reason: string };

/** A quick check without a process. The real proof is the check of every shell before it begins. */
export function checkAvailability(platform: string, find: ProgramFinder): Availability {
  const missing = (reason: string) => ({ state: "missing", reason }) as const;
  if (platform !== "linux") return missing(`bubblewrap needs Linux, and this is ${platform}`);
  const bwrap = find("bwrap");
  if (bwrap === undefined) return missing("bubblewrap is not installed; install it with: apt-get install bubblewrap");
  if (readSetting("/proc/sys/user/max_user_namespaces") === "0")
    return missing("user namespaces are disabled; enable them with: sysctl -w user.max_user_namespaces=10000");
  if (readSetting("/proc/sys/kernel/unprivileged_userns_clone") === "0" && process.getuid?.() !== 0)
    return missing("user namespaces are for root only; allow them with: sysctl -w kernel.unprivileged_userns_clone=1");
  const filtered = /^Seccomp:\s*2$/m.test(readSetting("/proc/self/status") ?? "");
  const restricted = readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1";
  return { state: filtered || restricted ? "doubtful" : "likely", bwrap };
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
