import { listed } from "./flag-lists.ts";
import { interpreters } from "./interpreters.ts";
import { launcherPrograms, launchers } from "./launchers.ts";
import { downloaders } from "./network.ts";
import { subCommands } from "./sub-commands.ts";
import { runsBehind, wrappers } from "./wrappers.ts";

/** What rules and refusals ask about a program, by its name. */
const kinds = {
  versionControl: ["git"],
  deletes: listed("rm rmdir unlink shred srm trash trash-put"),
  deletesTrees: ["rm"],
  copiesDevices: ["dd"],
  formats: listed("mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs mkswap wipefs blkdiscard"),
  changesRights: ["chmod", "chown", "chgrp"],
  wraps: runsBehind,
  /** What is appended can make these run something, however they begin. */
  runsAppended: listed("find fd fdfind parallel xargs"),
  /** Its arguments are programs, or it reaches other machines. */
  runsAnything: [
    ...[...runsBehind, ...interpreters, ...launcherPrograms, ...downloaders],
    ...listed(
      "ssh sftp rsync telnet tmux screen at batch crontab task rake ninja openssl sqlite sqlite3 psql mysql mariadb",
    ),
    ...listed("vim vi nvim view ex ed emacs emacsclient nano gdb lldb m4 bc dc awk gawk mawk nawk sed"),
  ],
  /** As long as nothing says which of its commands is meant, it can do all of them. */
  hasCommands: [...subCommands.flatMap(({ names }) => names), "zig"],
  /** What a launcher is never asked to run: a command of the machine in the place of the package. */
  runsOthers: [
    ...[...runsBehind, ...interpreters, ...launcherPrograms, ...subCommands.flatMap(({ names }) => names)],
    ...listed(
      "dotnet awk gawk mawk nawk sed ed ex vi vim nvim emacs gdb find ssh script perl raku r pythonw micromamba",
    ),
    ...listed("pixi apk brew dnf apt guix yum xargs cmake ninja"),
  ],
} as const;

export type ProgramKind = keyof typeof kinds;

const byKind: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(kinds).map(([kind, names]) => [kind, new Set(names)] as const),
);

export function isProgram(kind: ProgramKind, name: string): boolean {
  return byKind.get(kind)?.has(name) === true || (kind === "formats" && name.startsWith("mkfs."));
}

const running: ReadonlySet<string> = new Set([
  ...wrappers.flatMap(({ names, only }) => (only ? [] : names)),
  ...launchers.flatMap(({ names }) => names.map((name) => listed(name).slice(0, 2).join(" "))),
  ...["yarn node", "deno run", "deno eval", "deno repl", "deno task", "dotnet run", "dotnet exec", "dotnet script"],
  ...["dart run", "mix run", "go run", "git config", "git submodule", "git filter-branch", "kubectl exec"],
  "kubectl run",
  ...["docker", "podman", "nerdctl"].flatMap((name) => [`${name} run`, `${name} exec`, `${name} container`]),
]);

export function runsWithVerb(program: string, verb: string): boolean {
  return running.has(`${program} ${verb}`);
}
