import { type Outcome, ok } from "../contract/codes.ts";
import type { RunningProcess, SpawnRequest } from "../contract/ports.ts";
import { inheritedDescriptors } from "../host/inherited-descriptors.ts";
import { spawnProcess } from "../host/spawn-process.ts";
import { graceMs, notPrepared } from "./backend.ts";
import type { BubblewrapOptions } from "./bubblewrap-options.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { DescriptorList } from "./descriptor-list.ts";
import { isDynamic } from "./elf.ts";
import { withAdditions } from "./environment.ts";
import { coveringFiles, type Mount, planMounts, withPrograms } from "./mount-plan.ts";
import { isPlaceholder } from "./placeholders.ts";
import { FirstWords, followProgram } from "./running.ts";
import type { Looks } from "./shell-plan.ts";

type ProgramOptions = BubblewrapOptions & Looks & { readonly filter: Uint8Array | undefined };

/** Bubblewrap and the first process of the sandbox are ours. */
const ownLevels = 2;

/** A program that we own and call with fixed argv. It reads what its profile shows and changes nothing. */
export function startProgram(request: SpawnRequest, options: ProgramOptions): Outcome<RunningProcess> {
  const { environment, parts, system, toolchains } = options;
  const planned = planMounts({
    ...options,
    profile: request.profile,
    alsoShown: [...system.directories, ...toolchains],
    isPlaceholder,
  });
  if (!planned.ok) return planned;
  const list = new DescriptorList();
  const firstWords = new FirstWords();
  parts.used();
  try {
    const sandbox = programSandbox(list, request, { ...options, shown: planned.value.mounts });
    const spawned = spawnProcess({
      argv: [options.bwrap, ...sandbox, "--", ...request.argv],
      cwd: "/",
      env: withAdditions(environment, request.env),
      descriptors: list.given,
      pipes: parts.pipes,
      ownLevels,
      graceMs,
      onStdout: request.onStdout,
      onStderr: firstWords.listen(request.onStderr),
    });
    if (!spawned.ok) return spawned;
    const ran = (report: string) => report.includes('"exit-code"');
    const cleanUp = () => parts.used();
    return ok(followProgram({ spawned: spawned.value, firstWords, ran, gone: async () => {}, cleanUp }));
  } catch (error) {
    return notPrepared(error);
  } finally {
    list.close();
  }
}

/**
 * No `/proc`, no `/dev`, nothing of the system that the program does not need. The network namespace is left out
 * because the filter forbids every socket.
 */
function programSandbox(
  list: DescriptorList,
  { argv: [program], cwd, profile }: Pick<SpawnRequest, "argv" | "cwd" | "profile">,
  { filter, home, parts, shown, system }: ProgramOptions & { readonly shown: readonly Mount[] },
): readonly string[] {
  const needed = isDynamic(program) ? system : undefined;
  const mounts = withPrograms([program], shown, needed?.directories ?? []);
  const args = bwrapArguments({
    system: needed,
    toolchains: [],
    files: [],
    mounts,
    views: new Map(),
    user: undefined,
    names: [],
    binds: [],
    status: list.add("channel"),
    coverDescriptors: list.addFiles(coveringFiles(mounts), (content) => parts.files.openOnce(content)),
    cwd,
    home,
    network: filter === undefined ? "none" : "host",
    kernelFiles: false,
    scratch: profile.scratch,
    seccomp: filter && list.add(parts.files.open(filter)),
  });
  list.cover(inheritedDescriptors());
  return args;
}
