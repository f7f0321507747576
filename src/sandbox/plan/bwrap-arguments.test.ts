import { describe, expect, test } from "vitest";
import { type BwrapPlan, bwrapArguments } from "./bwrap-arguments.ts";

const plan: BwrapPlan = {
  system: { directories: ["/usr", "/etc/alternatives"], links: [{ path: "/bin", target: "usr/bin" }], files: [] },
  toolchains: ["/home/ada/.pyenv"],
  files: [{ path: "/etc/passwd", descriptor: 5 }],
  mounts: [
    { kind: "show", path: "/srv/app", writable: true },
    { kind: "show", path: "/srv/app/.git", writable: true },
    { kind: "hide_file", path: "/srv/app/.env" },
    { kind: "hide_tree", path: "/srv/app/private" },
    { kind: "show", path: "/srv/app/.git/hooks", writable: false },
  ],
  views: new Map(),
  user: undefined,
  names: [{ path: "/run/home/notes", target: "/home/ada/notes" }],
  binds: [{ from: "/scratch/proxy", path: "/run/network/proxy", writable: false }],
  cover: () => 6,
  cwd: "/srv/app",
  seccomp: 7,
};

const always = "--unshare-all --unshare-user --disable-userns --cap-drop ALL --new-session --die-with-parent";

describe("the arguments of bubblewrap", () => {
  test("for a shell", () => {
    expect(bwrapArguments(plan).join(" ")).toBe(
      [
        `${always} --hostname gauntlet`,
        "--ro-bind /usr /usr --ro-bind /etc/alternatives /etc/alternatives --symlink usr/bin /bin",
        "--proc /proc --remount-ro /proc --dev /dev",
        "--perms 0755 --tmpfs /run --perms 0700 --dir /run/home --perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /var/tmp",
        "--perms 0444 --file 5 /etc/passwd",
        "--ro-bind /home/ada/.pyenv /home/ada/.pyenv",
        "--bind /srv/app /srv/app --bind /srv/app/.git /srv/app/.git",
        "--perms 0444 --ro-bind-data 6 /srv/app/.env",
        "--perms 0555 --tmpfs /srv/app/private --remount-ro /srv/app/private",
        "--ro-bind /srv/app/.git/hooks /srv/app/.git/hooks",
        "--symlink /home/ada/notes /run/home/notes",
        "--ro-bind /scratch/proxy /run/network/proxy",
        "--remount-ro / --chdir /srv/app --seccomp 7",
      ].join(" "),
    );
  });

  test("for what is replaced", () => {
    const mounts = [
      { kind: "replace_file", path: "/srv/app/lib/.git/config", content: "[core]" },
      { kind: "hide_file", path: "/srv/app/.env" },
    ] as const;
    expect(bwrapArguments({ ...plan, mounts, cover: (content) => (content === "" ? 8 : 6) }).join(" ")).toContain(
      "--perms 0444 --ro-bind-data 6 /srv/app/lib/.git/config --perms 0444 --ro-bind-data 8 /srv/app/.env",
    );
  });

  test("for what is sealed and what is rebuilt", () => {
    const mounts = [
      { kind: "hide_file", path: "/srv/app/.env", sealed: true },
      { kind: "hide_tree", path: "/srv/app/.ssh", sealed: true },
      {
        kind: "rebuild",
        path: "/srv/app/.git/info",
        shown: ["/srv/app/.git/info/exclude"],
        links: [{ path: "/srv/app/.git/info/attributes", target: "/run/attributes" }],
      },
    ] as const;
    expect(bwrapArguments({ ...plan, mounts }).join(" ")).toContain(
      [
        "--perms 0000 --ro-bind-data 6 /srv/app/.env",
        "--perms 0000 --tmpfs /srv/app/.ssh --remount-ro /srv/app/.ssh",
        "--perms 0755 --tmpfs /srv/app/.git/info --ro-bind /srv/app/.git/info/exclude /srv/app/.git/info/exclude",
        "--symlink /run/attributes /srv/app/.git/info/attributes --remount-ro /srv/app/.git/info",
      ].join(" "),
    );
  });

  test("for a directory of the sandbox's own with something of the host in it", () => {
    const mounts = [
      { kind: "scratch", path: "/srv/main/.git" },
      { kind: "show", path: "/srv/main/.git/objects", writable: true },
    ] as const;
    expect(bwrapArguments({ ...plan, mounts }).join(" ")).toContain(
      "--perms 0755 --tmpfs /srv/main/.git --bind /srv/main/.git/objects /srv/main/.git/objects",
    );
  });
});
