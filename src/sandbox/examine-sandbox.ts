import { Buffer } from "node:buffer";
import { readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { groupedNumber } from "../base/text.ts";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { Sandbox, SandboxDescription } from "../contract/ports.ts";
import { openProxy } from "./network/proxy.ts";
import { findLimits, type LimitOptions } from "./run/limits.ts";

const namespaces = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];
const pauseMs = 200;

export async function examineSandbox(
  sandbox: Sandbox,
  options: LimitOptions & { readonly root: string },
): Promise<readonly DoctorCheck[]> {
  if (sandbox.description.backend !== "bubblewrap") return [];
  const look = `readlink ${namespaces.map((name) => `/proc/self/ns/${name}`).join(" ")}; cat /proc/self/status`;
  const first = await run(sandbox, look, options.root);
  if (typeof first === "string") return [{ name: "confinement", state: "missing", detail: first }];
  await delay(pauseMs);
  const second = await run(sandbox, "true", options.root);
  await sandbox.close?.();
  const status = (field: string) => new RegExp(`^${field}:\\s*(\\S+)`, "m").exec(first.said)?.[1];
  const shared = namespaces.filter((name) => first.said.includes(`${readlinkSync(`/proc/self/ns/${name}`)}\n`));
  const powerless = ["CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"].every((set) => /^0+$/.test(status(set) ?? ""));
  return [
    check("namespaces", shared.length === 0, {
      good: `a shell started in ${namespaces.length} separate namespaces`,
      bad: `shared with this machine: ${shared.join(", ")}`,
    }),
    check("privileges", powerless && status("NoNewPrivs") === "1", {
      good: "none; none can be gained",
      bad: "a command has some or can gain them",
    }),
    check("system calls", status("Seccomp") === "2", {
      good: "filtered",
      bad: `not filtered on ${process.arch}`,
    }),
    ...limitChecks(options),
    {
      name: "waiting shells",
      state: "ok",
      detail:
        typeof second === "string"
          ? `not checked: ${second}`
          : `the first shell took ${first.ms.toFixed(1)} ms, the next one, started ahead, ${second.ms.toFixed(1)} ms`,
    },
  ];
}

function limitChecks(options: LimitOptions): readonly DoctorCheck[] {
  const { pids, memory } = findLimits(options);
  const unlimited = "not limited: no control group can be created here";
  return [
    check("processes", pids.by !== undefined, {
      good: `at most ${groupedNumber(pids.most)} at a time, enforced by a ${pids.by}`,
      bad: `${unlimited}, because the kernel does not count the processes of root`,
    }),
    check("memory", memory?.by !== undefined, {
      good: `at most ${groupedNumber(Math.round((memory?.most ?? 0) / 2 ** 20))} MiB, enforced by a ${memory?.by}`,
      bad: memory === undefined ? "not limited; set sandbox.memoryBytes to limit it" : unlimited,
    }),
  ];
}

function check(name: string, holds: boolean, words: { readonly good: string; readonly bad: string }): DoctorCheck {
  return holds ? { name, state: "ok", detail: words.good } : { name, state: "warning", detail: words.bad };
}

async function run(
  sandbox: Sandbox,
  command: string,
  root: string,
): Promise<string | { readonly said: string; readonly ms: number }> {
  let said = "";
  const begun = performance.now();
  const started = sandbox.shell(command, {
    cwd: root,
    profile: { readable: [root], writable: [], protected: [], masked: [], network: "none" },
    onStdout: (chunk) => {
      said += Buffer.from(chunk).toString();
    },
    onStderr: () => {},
  });
  if (!started.ok) return started.failure.message;
  const { failure } = await started.value.exited;
  return failure === undefined ? { said, ms: performance.now() - begun } : failure.message;
}

export async function examineProxy({ backend }: Pick<SandboxDescription, "backend">): Promise<DoctorCheck> {
  if (backend !== "bubblewrap") {
    const detail = "Without the built-in sandbox the connections of commands are neither limited nor recorded.";
    return { name: "network", state: "warning", detail };
  }
  return check("network", await opensProxy(), {
    good: "none; approved hosts are reached through the proxy, which works here.",
    bad: `The proxy cannot be opened below ${tmpdir()}: approved commands get no network.`,
  });
}

async function opensProxy(): Promise<boolean> {
  const proxy = openProxy({
    scratch: tmpdir(),
    credential: "doctor:doctor",
    decide: async () => ({ decision: "refuse", why: "only a test" }),
    resolve: async () => [],
    onConnection: () => {},
  });
  if (proxy.ok) await proxy.value.close();
  return proxy.ok;
}
