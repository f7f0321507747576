import { type Failure, fail } from "../contract/codes.ts";
import { namespaceOf, statusOf } from "../host/process-table.ts";

/** The kernel's own word on a process, taken from outside of it. */
const required: readonly (readonly [field: string, holds: (value: string) => boolean, meaning: string])[] = [
  ["NoNewPrivs", (value) => value === "1", "it could gain privileges"],
  ["CapEff", isZero, "it has capabilities"],
  ["CapPrm", isZero, "it could raise capabilities"],
  ["CapBnd", isZero, "it could gain capabilities"],
  ["NSpid", (value) => value.split(/\s+/).length > 1, "it shares the host's processes"],
];

const ownNamespaces = [
  ["net", "it shares the host's network"],
  ["ipc", "it shares the host's memory segments"],
] as const;

/** Checks a sandboxed shell that waits for our word. */
export function checkConfinement(shell: number, { filtered }: { readonly filtered: boolean }): Failure | undefined {
  const status = statusOf(shell);
  if (status === undefined) return notFound();
  for (const [field, holds, meaning] of required) if (!holds(status.get(field) ?? "")) return unconfined(meaning);
  for (const [kind, meaning] of ownNamespaces) if (!hasItsOwn(shell, kind)) return unconfined(meaning);
  if (filtered && status.get("Seccomp") !== "2") return unconfined("its system calls are not filtered");
  return undefined;
}

export function notFound(): Failure {
  return unconfined("it cannot be found");
}

function unconfined(meaning: string): Failure {
  return fail("sandbox_unavailable", `The shell was not confined as promised: ${meaning}. Nothing was run.`).failure;
}

function hasItsOwn(shell: number, kind: (typeof ownNamespaces)[number][0]): boolean {
  const namespace = namespaceOf(shell, kind);
  return namespace !== undefined && namespace !== namespaceOf("self", kind);
}

function isZero(value: string): boolean {
  return /^0+$/.test(value);
}
