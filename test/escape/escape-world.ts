import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxProfile } from "../../src/contract/verdict.ts";

/** A machine in small: a workspace, and around it everything that a command must not reach. */
export interface EscapeWorld {
  /** Must never come out. It is in every secret file and in the environment. */
  readonly token: string;
  /** Who the command is. */
  readonly uid: number;
  readonly base: string;
  readonly workspace: string;
  readonly readOnly: string;
  readonly outside: string;
  readonly home: string;
  readonly abstractSocket: string;
  readonly port: number;
  /** A process of the host, alive all the time. */
  readonly bystander: ChildProcess;
  readonly profile: SandboxProfile;
  /** How many connections came in. */
  connections(): number;
  /** Every file that a command must not have changed, with its content. */
  guarded(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function createEscapeWorld(uid: number | undefined): Promise<EscapeWorld> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "escape-")));
  const token = randomUUID();
  const at = (...parts: string[]) => join(base, ...parts);
  for (const path of [
    "workspace/.git/hooks",
    "workspace/.git/objects",
    "workspace/.git/refs",
    "workspace/.vscode",
    "workspace/private",
    "workspace/src/deep",
  ])
    mkdirSync(at(path), { recursive: true });
  for (const path of ["readonly", "outside", "home/.ssh"]) mkdirSync(at(path), { recursive: true });
  const files: Record<string, string> = {
    "workspace/.git/HEAD": "ref: refs/heads/main\n",
    "workspace/.git/config": "[core]\n",
    "workspace/.git/hooks/pre-commit": "original\n",
    "workspace/.vscode/settings.json": "{}\n",
    "workspace/.env": `KEY=${token}\n`,
    "workspace/private/key": `${token}\n`,
    "workspace/src/deep/.npmrc": "original\n",
    "readonly/file.txt": "original\n",
    "outside/secret.txt": `${token}\n`,
    "home/.ssh/id_rsa": `${token}\n`,
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(at(path), content);
  linkSync(at("workspace/.env"), at("workspace/alias.txt"));
  symlinkSync(".env", at("workspace/env-link"));
  symlinkSync(at("outside"), at("workspace/outside-link"));
  const isRoot = process.getuid?.() === 0;
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${uid}`, base]);
  chmodSync(base, 0o755);
  if (isRoot) placeDevices(at("workspace"));

  let connections = 0;
  const count = () => {
    connections++;
  };
  const abstractSocket = `\0gauntlet-${token.slice(0, 8)}`;
  const servers = [createServer(count), createServer(count), createServer(count)] as const;
  await listening(servers[0], { path: at("outside/path.sock") });
  await listening(servers[1], { path: abstractSocket });
  await listening(servers[2], { port: 0, host: "127.0.0.1" });
  chmodSync(at("outside/path.sock"), 0o777);
  const address = servers[2].address();
  const bystander = spawn("sleep", ["1000"], { stdio: "ignore" });
  const initially = contents(base, token);

  return {
    token,
    uid: uid ?? process.getuid?.() ?? 0,
    base,
    workspace: at("workspace"),
    readOnly: at("readonly"),
    outside: at("outside"),
    home: at("home"),
    abstractSocket,
    port: typeof address === "object" && address !== null ? address.port : 0,
    bystander,
    profile: {
      readable: [at("readonly")],
      writable: [at("workspace")],
      protected: [
        ...[".git/hooks", ".git/config", ".vscode", "src/deep/.npmrc", ".mcp.json", ".claude/settings.json"].map(
          (path) => at("workspace", path),
        ),
      ],
      masked: [
        { path: at("workspace/.env"), scope: "file", reason: "secret" },
        { path: at("workspace/private"), scope: "tree", reason: "secret" },
      ],
      network: "none",
    },
    connections: () => connections,
    guarded: () => ({ ...missing(initially), ...contents(base, token) }),
    close: async () => {
      bystander.kill("SIGKILL");
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Things that only root can put into a workspace and that must be powerless there. */
function placeDevices(workspace: string): void {
  copyFileSync("/usr/bin/id", join(workspace, "set-id"));
  chownSync(join(workspace, "set-id"), 0, 0);
  chmodSync(join(workspace, "set-id"), 0o4755);
  execFileSync("mknod", ["-m", "666", join(workspace, "zero"), "c", "1", "5"]);
}

function listening(server: Server, where: { path: string } | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
}

function missing(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(files).map((path) => [path, "missing"]));
}

/** All files, links and special files below `base`, but not those that a command makes on purpose: they begin with `made`. */
function contents(base: string, token: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name.startsWith("made")) continue;
    if (entry.isFile()) found[path.slice(base.length + 1)] = readFileSync(path, "latin1").slice(0, 200);
    else if (entry.isSymbolicLink()) found[path.slice(base.length + 1)] = `-> ${readlinkSync(path)}`;
    else found[path.slice(base.length + 1)] = entry.isDirectory() ? "directory" : "special";
  }
  return JSON.parse(JSON.stringify(found).replaceAll(token, "TOKEN"));
}
