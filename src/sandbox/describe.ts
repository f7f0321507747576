import { groupedNumber } from "../base/text.ts";
import type { SandboxDescription } from "../contract/ports.ts";
import type { ProcessLimits } from "./run/limits.ts";

interface Confinement {
  readonly filtered: boolean;
  readonly sockets: "all" | "no_unix";
  readonly limits: Pick<ProcessLimits, "pids" | "memory">;
}

export function describeBubblewrap({ filtered, limits, sockets }: Confinement): SandboxDescription {
  return {
    backend: "bubblewrap",
    enforces: true,
    detail: [
      "Commands see only the workspace, the system and the toolchains. They have no network except approved hosts through a proxy, no home directory, no privileges and a clean environment.",
      `Their system calls are ${filtered ? "filtered" : "not filtered"}; ${limitsSentence(limits)}.`,
    ].join(" "),
    limits: [
      "Reads of commands are not recorded.",
      "Processor time is not limited.",
      ...(limits.pids.by === undefined ? ["The number of processes is not limited."] : []),
      ...(limits.memory?.by === undefined ? ["Memory is not limited."] : []),
      ...(filtered && sockets === "no_unix" ? [] : ["Commands can connect to a unix socket inside the workspace."]),
      "A protected name that is a symbolic link can be replaced; the scan after the command reports it.",
      "A workspace file with a hard link outside can be changed through either name; the scan after the command reports it.",
      "Traffic to an allowed host is not inspected.",
      "Git has only the harmless part of your configuration: no signing and no credential helper.",
      ...(filtered ? [] : ["System calls are not filtered on this processor architecture."]),
    ],
  };
}

function limitsSentence({ pids, memory }: Confinement["limits"]): string {
  const processes = pids.by && `at most ${groupedNumber(pids.most)} processes (${pids.by})`;
  const bytes =
    memory?.by && `at most ${groupedNumber(Math.round(memory.most / 2 ** 20))} MiB of memory (${memory.by})`;
  return `${processes ?? "the number of processes is not limited"}, ${bytes ?? "memory is not limited"}`;
}

const unconfinedLimits = [
  "Commands can use every file of this user, and the network.",
  "Protected and masked paths are not enforced for commands.",
  "A process that leaves its group, its parent and its environment can outlive its command.",
  "Commands can outlive Gauntlet if it is killed.",
];

export function describeExternal(): SandboxDescription {
  return {
    backend: "external",
    enforces: true,
    detail: "The user declared this machine a sandbox; commands are not confined further.",
    limits: unconfinedLimits,
  };
}

export function describeNone(reason: string): SandboxDescription {
  return {
    backend: "none",
    enforces: false,
    detail: `Commands are not confined: ${reason}.`,
    limits: unconfinedLimits,
  };
}
