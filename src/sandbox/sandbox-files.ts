import { existsSync, openSync } from "node:fs";
import { menuForCommands } from "../contract/tool-facts.ts";
import type { HeldFiles } from "./held-files.ts";
import type { Identity } from "./identity.ts";
import type { SystemLayout } from "./system-layout.ts";

const hosts = "127.0.0.1 localhost gauntlet\n::1 localhost\n";
const nameServices = "passwd: files\ngroup: files\nhosts: files dns\n";

/** A file of the sandbox's own. */
export type SandboxFile =
  /** `once`: no other command will want this content. */
  | { readonly path: string; readonly content: string; readonly once?: true }
  | { readonly path: string; readonly copyOf: string };

/** The files of the sandbox's own: written by us, or copied from the machine when there is nothing private in them. */
export function sandboxFiles(options: {
  readonly identity: Identity;
  readonly menu: string | undefined;
  readonly system: SystemLayout;
}): readonly SandboxFile[] {
  const { identity, menu, system } = options;
  const copied = (path: string) => ({ path, copyOf: path });
  return [
    { path: "/etc/passwd", content: identity.passwd },
    { path: "/etc/group", content: identity.group },
    { path: "/etc/nsswitch.conf", content: nameServices },
    { path: "/etc/hosts", content: hosts },
    ...system.files.filter(existsSync).map(copied),
    ...(menu !== undefined && existsSync(menu) ? [{ path: menuForCommands, copyOf: menu }] : []),
  ];
}

/** Opened for one command; the caller closes it. */
export function openSandboxFile(file: SandboxFile, files: HeldFiles): number {
  if ("copyOf" in file) return openSync(file.copyOf, "r");
  return file.once ? files.openOnce(file.content) : files.open(file.content);
}
