import { closeSync, openSync, readSync } from "node:fs";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { RunningProcess, SpawnRequest } from "../../contract/ports.ts";
import { inheritedDescriptors } from "../../host/process/process-table.ts";
import { spawnProcess } from "../../host/process/spawn-process.ts";
import { bwrapArguments } from "../plan/bwrap-arguments.ts";
import { withAdditions } from "../plan/environment.ts";
import { coveringFiles, type Mount, planMounts, withPrograms } from "../plan/mount-plan.ts";
import type { Looks } from "../plan/shell-plan.ts";
import { type BubblewrapOptions, graceMs, notPrepared } from "./backend.ts";
import { DescriptorList } from "./descriptor-list.ts";
import { isPlaceholder } from "./placeholders.ts";
import { FirstWords, followProgram } from "./running.ts";

type ProgramOptions = BubblewrapOptions & Looks & { readonly filter: Uint8Array | undefined };

const ownLevels = 2;

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

/** No network namespace, because the filter forbids every socket. */
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

function isDynamic(program: string): boolean {
  const header = readStart(program, 4096);
  const isElf64 = header.length >= 64 && header.readUInt32BE(0) === 0x7f454c46 && header[4] === 2 && header[5] === 1;
  if (!isElf64) return true;
  const offset = Number(header.readBigUInt64LE(32));
  const size = header.readUInt16LE(54);
  const count = header.readUInt16LE(56);
  if (offset + size * count > header.length) return true;
  const interpreter = 3;
  return Array.from({ length: count }, (_, index) => header.readUInt32LE(offset + index * size)).includes(interpreter);
}

function readStart(path: string, length: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}
