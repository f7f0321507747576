import { type Attempt, call, calls } from "./attempt.ts";

const readOnlyOrDenied = /Read-only file system|Permission denied|No such file|Operation not permitted/;
const busy = /Device or resource busy|Read-only file system|Operation not permitted|Invalid cross-device link/;
const unseen = /No such file or directory/;

export const attemptsToWrite: readonly Attempt[] = [
  { name: "a file outside", text: (w) => `echo x > ${w.outside}/secret.txt`, says: unseen },
  { name: "a file outside through a link", text: () => "echo x > outside-link/new", says: unseen },
  {
    name: "the system",
    text: () => "touch /usr/bin/made /bin/made /etc/made /made /root/made",
    says: readOnlyOrDenied,
  },
  {
    name: "a root that is only readable",
    text: (w) => `echo x > ${w.readOnly}/file.txt; touch ${w.readOnly}/new; rm ${w.readOnly}/file.txt`,
    says: /Read-only/,
  },
  {
    name: "a read-only root after a remount",
    text: (w) =>
      `mount -o remount,rw,bind ${w.readOnly}; ${call(calls.mount, `"none", "${w.readOnly}", 0, 4128, 0`)}; touch ${w.readOnly}/new`,
    says: /errno 1$/m,
  },
  {
    name: "the settings of the kernel",
    text: () => 'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern',
    says: /Read-only|denied/,
  },
  {
    name: "a setting of the kernel that an own namespace would allow",
    text: () => "echo 1 > /proc/sys/net/ipv4/ip_forward",
    says: /Read-only|denied|No such file/,
  },
  {
    name: "a protected file",
    text: () =>
      "echo x > .git/config; echo x >> .git/config; truncate -s 0 .git/config; chmod 777 .git/config; touch .git/config",
    says: /Read-only/,
  },
  { name: "a protected file from inside its directory", text: () => "cd .git && echo x > config", says: /Read-only/ },
  {
    name: "a protected file through its own root",
    text: (w) => `echo x > /proc/self/root${w.workspace}/.git/config; echo x > /proc/self/cwd/.git/config`,
    says: /Read-only/,
  },
  {
    name: "a protected file by a hard link",
    text: () => "ln .git/config made-config && echo x > made-config",
    says: busy,
  },
  {
    name: "a protected file by replacing it",
    text: () => "echo x > made-config; mv -f made-config .git/config",
    says: busy,
  },
  {
    name: "a protected file by removing it",
    text: () => "rm -f .git/config src/deep/.npmrc; rm -rf .vscode .git/hooks",
    says: busy,
  },
  {
    name: "a protected directory",
    text: () => "echo x > .git/hooks/pre-commit; touch .git/hooks/post-checkout; rmdir .git/hooks",
    says: /Read-only/,
  },
  {
    name: "a protected path by moving the directory above",
    text: () => "mv .git made-git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    says: /busy/,
  },
  {
    name: "a protected path by moving a directory far above",
    text: () => "mv src made-src; mkdir -p src/deep; echo x > src/deep/.npmrc",
    says: /busy/,
  },
  {
    name: "a protected path by exchanging directories",
    text: () => `mkdir -p made-git; ${call(calls.renameat2, '-100, ".git", -100, "made-git", 2')}`,
    says: /errno (16|18)$/m,
  },
  {
    name: "a protected path by moving the workspace",
    text: (w) => `cd / && mv ${w.workspace} ${w.base}/made-workspace`,
    says: /busy|Read-only|Permission denied/,
  },
  {
    name: "a protected path without its mount",
    text: () => `${call(calls.umount2, '".git/config", 2')}; umount -l .git/config; echo x > .git/config`,
    says: /errno 1$/m,
  },
  {
    name: "a protected file that does not exist yet",
    text: () => "echo x > .mcp.json; rm -f .mcp.json; mv .mcp.json made-mcp; ln -sf made .mcp.json",
    says: /Read-only|busy/,
  },
  {
    name: "a protected file below a directory that does not exist yet",
    text: () => "mkdir -p .claude; echo x > .claude/settings.json; rmdir .claude; mv .claude made-claude",
    says: /Read-only|busy/,
  },
  {
    name: "git's own configuration",
    text: () => "git config core.hooksPath made-hooks; git config --unset core.pager",
    says: /could not (lock|write) config file/,
  },
];
