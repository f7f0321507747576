import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { SaidPart } from "../../test/support/model-server/server-turn.ts";
import type { Operation } from "./scenarios.ts";
import type { TimedFormat } from "./timed-model.ts";

/** An agent, and how it is driven without a person: everything allowed, nothing sent home. */
export interface Contestant {
  readonly name: string;
  readonly format: TimedFormat;
  /** Writes what it reads from its home. */
  readonly prepare?: (home: string, url: string) => void;
  readonly command: (task: string, url: string, home: string) => readonly [program: string, ...args: string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** The call that does it, or nothing where the agent has no way. `lastBody` is the request being answered. */
  readonly call: (operation: Operation, lastBody: string) => SaidPart | undefined;
}

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

export const floor: Contestant = {
  name: "floor",
  format: "openai-chat",
  // Without its types, because to take them out at every start would be no floor.
  prepare(home) {
    const source = readFileSync(path.join(repository, "bench/agent/floor-loop.ts"), "utf8");
    write(path.join(home, "floor-loop.mjs"), stripTypeScriptTypes(source));
  },
  command: (task, url, home) => [
    process.execPath,
    path.join(home, "floor-loop.mjs"),
    task,
    url,
    path.join(home, "floor.jsonl"),
  ],
  call: namedCall,
};

/** As people start it. Commands stay in the sandbox, and the log is kept. */
export const gauntlet: Contestant = {
  name: "gauntlet",
  format: "openai-chat",
  command: (task, url) => [
    path.join(repository, "bin/gauntlet"),
    "run",
    task,
    ...["--model", "openai-compatible/mock-1", "--base-url", url],
    ...["--mode", "acceptEdits", "--allow", "Bash", "--max-turns", "5000"],
  ],
  call: (operation, lastBody) => {
    if (operation.does !== "reread") return namedCall(operation);
    const id = /sha256-[0-9a-f]{64}/.exec(lastBody)?.[0] ?? "none";
    return { call: "read_artifact", input: { id, around: operation.around } };
  },
};

/** Its own way to search is the shell. */
export function pi(bin: (name: string) => string): Contestant {
  return {
    name: "pi",
    format: "openai-chat",
    prepare(home, url) {
      const model = {
        id: "mock-1",
        name: "mock-1",
        reasoning: false,
        input: ["text"],
        contextWindow: 1_000_000,
        maxTokens: 32_000,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      };
      const provider = { baseUrl: url, api: "openai-completions", apiKey: "unused", models: [model] };
      write(path.join(home, ".pi/agent/models.json"), JSON.stringify({ providers: { bench: provider } }));
    },
    command: (task) => [bin("pi"), "-p", "--provider", "bench", "--model", "mock-1", task],
    environment: { PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    call: (operation) => namedCall(operation.does === "search" ? searchByShell(operation.pattern) : operation),
  };
}

/** Everything it does goes through the shell, which is not sandboxed here. A model that it does not know gets another prompt. */
export function codex(bin: (name: string) => string): Contestant {
  return codexWith(bin, { name: "codex", confinement: ["--dangerously-bypass-approvals-and-sandbox"] });
}

export function codexSandboxed(bin: (name: string) => string): Contestant {
  return codexWith(bin, { name: "codex-sandboxed", confinement: ["--sandbox", "workspace-write"] });
}

function codexWith(
  bin: (name: string) => string,
  { name, confinement }: { readonly name: string; readonly confinement: readonly string[] },
): Contestant {
  return {
    name,
    format: "openai-responses",
    prepare(home, url) {
      const settings = [
        'model = "gpt-5.5"',
        'model_provider = "bench"',
        "check_for_update_on_startup = false",
        "[model_providers.bench]",
        'name = "bench"',
        `base_url = "${url}"`,
        'env_key = "BENCH_KEY"',
        'wire_api = "responses"',
        "[analytics]",
        "enabled = false",
        "[feedback]",
        "enabled = false",
      ];
      write(path.join(home, ".codex/config.toml"), `${settings.join("\n")}\n`);
    },
    command: (task) => [bin("codex"), "exec", "--skip-git-repo-check", ...confinement, task],
    environment: { BENCH_KEY: "unused" },
    call: (operation) => {
      const command = shellCommand(operation);
      return command === undefined ? undefined : { call: "exec_command", input: { cmd: command } };
    },
  };
}

function namedCall(operation: Operation): SaidPart | undefined {
  switch (operation.does) {
    case "read":
      return { call: "read", input: { path: operation.file } };
    case "shell":
      return { call: "bash", input: { command: operation.command } };
    case "search":
      return { call: "grep", input: { pattern: operation.pattern } };
    case "reread":
      return undefined;
  }
}

function shellCommand(operation: Operation): string | undefined {
  switch (operation.does) {
    case "read":
      return `cat ${operation.file}`;
    case "shell":
      return operation.command;
    case "search":
      return searchByShell(operation.pattern).command;
    case "reread":
      return undefined;
  }
}

function searchByShell(pattern: string) {
  return { does: "shell", command: `grep -rn --exclude-dir=.git -- ${pattern} .` } as const;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
