import type { SandboxDescription } from "../contract/ports.ts";

export function describeBubblewrap({ filtered }: { readonly filtered: boolean }): SandboxDescription {
  return {
    backend: "bubblewrap",
    enforces: true,
    detail:
      "Commands see only the workspace, the system and the toolchains; they have no network, no home directory, no privileges and a clean environment.",
    limits: [
      "What a command reads is not observed.",
      "Memory, processor time and the number of processes are not limited.",
      "A unix socket that lies inside the workspace can be reached.",
      "A protected name that is a symbolic link can be replaced; the look at the workspace afterwards shows it.",
      "With network, abstract unix sockets of this machine can be reached as well.",
      ...(filtered ? [] : ["System calls are not filtered on this kind of processor."]),
    ],
  };
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
