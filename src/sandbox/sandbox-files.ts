import { existsSync, openSync } from "node:fs";
import { relative } from "node:path";
import { isInside } from "../contract/path-scope.ts";
import type { Placeholder } from "./closed-paths.ts";
import type { HeldFiles } from "./held-files.ts";
import type { Identity } from "./identity.ts";
import type { SystemLayout } from "./system-layout.ts";

const hosts = "127.0.0.1 localhost gauntlet\n::1 localhost\n";
const nameServices = "passwd: files\ngroup: files\nhosts: files dns\n";

const onlineFiles = ["/etc/hosts", "/etc/resolv.conf"];

export interface SandboxFile {
  readonly path: string;
  /** Opened for one command; the caller closes it. */
  readonly open: () => number;
}

/** The files of the sandbox's own `/etc`: written by us, or copied from the machine when there is nothing private in them. */
export function sandboxFiles(options: {
  readonly identity: Identity;
  readonly system: SystemLayout;
  readonly files: HeldFiles;
  readonly network: "none" | "host";
  /** Left out when empty. */
  readonly excludes: { readonly path: string; readonly content: string };
}): readonly SandboxFile[] {
  const { identity, system, files, network, excludes } = options;
  const written = (path: string, content: string) => ({ path, open: () => files.open(content) });
  const copied = (path: string) => ({ path, open: () => openSync(path, "r") });
  return [
    written("/etc/passwd", identity.passwd),
    written("/etc/group", identity.group),
    written("/etc/nsswitch.conf", nameServices),
    ...(network === "none" ? [written("/etc/hosts", hosts)] : onlineFiles.filter(existsSync).map(copied)),
    ...system.files.filter(existsSync).map(copied),
    ...(excludes.content === "" ? [] : [{ path: excludes.path, open: () => files.openOnce(excludes.content) }]),
  ];
}

/** Keeps placeholders out of `git status` and `git add`. */
export function gitExcludes(placeholders: readonly Placeholder[], roots: readonly string[]): string {
  return placeholders
    .flatMap(({ path }) => roots.filter((root) => isInside(path, root)).map((root) => relative(root, path)))
    .map((path) => `/${path.replaceAll(/[\\*?[\]!# ]/g, "\\$&")}\n`)
    .join("");
}
