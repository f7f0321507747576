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
      "Commands see only the workspace, the system and the toolchains; they have no network but approved hosts through our proxy, no home directory, no privileges and a clean environment.",
      `Their system calls are ${filtered ? "filtered" : "not filtered"}; ${limitsSentence(limits)}.`,
    ].join(" "),
    limits: [
      "What a command reads is not observed.",
      "Processor time is not limited.",
      ...(limits.pids.by === undefined ? ["The number of processes is not limited."] : []),
      ...(limits.memory?.by === undefined ? ["Memory is not limited."] : []),
      ...(filtered && sockets === "no_unix" ? [] : ["A unix socket that lies inside the workspace can be reached."]),
      "A protected name that is a symbolic link can be replaced; the look at the workspace afterwards shows it.",
      "A file of the workspace that has another name outside it can be changed through either; the look afterwards shows it.",
      "Where a host is allowed, what is said to it is not looked at.",
      "Git has the harmless part of your configuration: it signs nothing and asks no credential helper.",
      ...(filtered ? [] : ["System calls are not filtered on this kind of processor."]),
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
  "Every file that this user may read or write is within reach of a command, and so is the network.",
  "Protected and masked paths are not held against commands.",
  "A process that leaves its group, its parent and its environment behind can outlive its command.",
  "Commands can outlive this runtime when it is killed.",
];

export function describeExternal(): SandboxDescription {
  return {
    backend: "external",
    enforces: true,
    detail: "By the user's word this machine is itself a sandbox; inside it commands are not confined any further.",
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
