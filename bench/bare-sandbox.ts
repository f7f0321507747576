import { readdirSync, readFileSync } from "node:fs";
import type { BenchWorkspace } from "./bench-workspace.ts";

/** The arguments of a sandboxed `bash true` as the kernel saw them, without what needs an open descriptor. */
export async function bareSandbox(workspace: BenchWorkspace): Promise<readonly [string, ...string[]]> {
  const gauntlet = await workspace.open();
  await gauntlet.call({ tool: "bash", input: { command: "sleep 30", run_in_background: true } });
  const command = childCommands().find((argv) => argv[0]?.endsWith("bwrap"));
  await gauntlet.close();
  if (command === undefined) throw new Error("No bubblewrap was started; is it installed?");
  const program = command.indexOf("--");
  const [bwrap = "bwrap", ...options] = withoutDescriptors(command.slice(0, program));
  return [bwrap, ...options, "--", "/usr/bin/bash", "--noprofile", "--norc", "-c", "true"];
}

function childCommands(): readonly (readonly string[])[] {
  return readdirSync("/proc").flatMap((entry) => {
    try {
      const parent = /\) . (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1];
      if (Number(parent) !== process.pid) return [];
      return [readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0")];
    } catch {
      return [];
    }
  });
}

function withoutDescriptors(argv: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const option = argv[at] ?? "";
    const next = argv[at + 2];
    if (option === "--perms" && (next === "--file" || next === "--ro-bind-data")) at += 4;
    else if (option === "--seccomp" || option === "--json-status-fd") at += 1;
    else kept.push(option);
  }
  return kept;
}
