import { accessSync, constants } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny } from "../contract/path-scope.ts";
import type { Sandbox, SandboxDescription } from "../contract/ports.ts";
import { Pipes } from "../host/pipes.ts";
import { checkAvailability, findProgram, type ProgramFinder } from "./availability.ts";
import type { BackendOptions } from "./backend.ts";
import { Bubblewrap } from "./bubblewrap.ts";
import { describeExternal, describeNone } from "./describe.ts";
import { cleanEnvironment } from "./environment.ts";
import { HeldFiles } from "./held-files.ts";
import { readIdentity } from "./identity.ts";
import { SpareParts } from "./spare-parts.ts";
import { readSystemLayout } from "./system-layout.ts";
import { findToolchains } from "./toolchains.ts";
import { Unconfined } from "./unconfined.ts";

export interface SandboxOptions {
  readonly backend: "auto" | "bubblewrap" | "external" | "none";
  /** The user's environment, of which almost nothing reaches a command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directories with programs beside those on the user's PATH. */
  readonly toolchains: readonly string[];
  /** Names of variables that the user wants commands to have. */
  readonly passEnvironment: readonly string[];
  readonly workspaceRoots: readonly string[];
}

/** Ours come from here first, whatever the user's PATH says. */
const systemPath = ["/usr/bin", "/bin"];

/** Empty, private and gone with the command. */
const sandboxHome = "/run/home";

/** Starts no process unless something about this machine makes it doubtful that bubblewrap can work. */
export async function createSandbox(
  options: SandboxOptions,
  platform: string = process.platform,
): Promise<Outcome<Sandbox>> {
  const { backend, environment, workspaceRoots } = options;
  const home = environment.HOME ?? homedir();
  const toolchains = once(() =>
    findToolchains({ path: environment.PATH ?? "", home, extra: options.toolchains, workspaceRoots }),
  );
  const find: ProgramFinder = (name) => findProgram(name, systemPath) ?? findProgram(name, toolchains().path);
  const bash = find("bash");
  if (bash === undefined)
    return fail("sandbox_unavailable", "bash is not installed; install it with: apt-get install bash");

  const common = (homeInside: string): BackendOptions => ({
    bash,
    workspaceRoots,
    parts: createParts(find("mkfifo"), workspaceRoots),
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
        once(() => common(home)),
      ),
    );
  if (backend === "external") return unconfined(describeExternal());
  if (backend === "none") return unconfined(describeNone("the settings choose no sandbox"));

  const availability = checkAvailability(platform, find);
  if (availability.state === "missing")
    return backend === "auto"
      ? unconfined(describeNone(availability.reason))
      : fail("sandbox_unavailable", availability.reason);
  const sandbox = new Bubblewrap(
    once(() => ({
      ...common(sandboxHome),
      bwrap: availability.bwrap,
      system: readSystemLayout(),
      toolchains: toolchains().directories,
      identity: readIdentity(sandboxHome),
      home: sandboxHome,
    })),
  );
  const failure = availability.state === "doubtful" ? await tryOut(sandbox, workspaceRoots) : undefined;
  if (failure === undefined) return ok(sandbox);
  sandbox.close();
  return backend === "auto" ? unconfined(describeNone(failure.message)) : { ok: false, failure };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
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

/** Pipes and files are made where no command can see them, not even for a moment. */
function createParts(mkfifo: string | undefined, roots: readonly string[]): SpareParts {
  const candidates = ["/dev/shm", tmpdir(), "/tmp"].filter((path) => !isInsideAny(path, roots));
  const directory = candidates.find(isWritable) ?? tmpdir();
  const usable = mkfifo !== undefined && process.platform === "linux";
  return new SpareParts({
    files: new HeldFiles(directory),
    pipes: usable ? new Pipes({ directory, mkfifo }) : undefined,
  });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
