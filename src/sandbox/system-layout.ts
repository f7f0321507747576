import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** The part of the machine that every sandbox sees. Never all of `/etc`, and no directory with private keys. */
export interface SystemLayout {
  readonly directories: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Small files, copied in: a copy costs a fraction of a mount. */
  readonly files: readonly string[];
}

const systemDirectories = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store",
  "/etc/alternatives",
  "/etc/ssl/certs",
  "/etc/ca-certificates/extracted",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/fonts",
  "/etc/maven",
];
const systemFiles = ["/etc/ld.so.cache", "/etc/localtime", "/etc/os-release", "/etc/ssl/openssl.cnf"];

export function readSystemLayout(): SystemLayout {
  const directories: string[] = [];
  const links: { path: string; target: string }[] = [];
  const files: string[] = [];
  for (const path of [...systemDirectories, ...javaConfiguration(), ...systemFiles]) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    else if (stats?.isDirectory()) directories.push(path);
    else if (stats?.isFile()) files.push(path);
  }
  return { directories, links, files };
}

/** A Java runtime reads its security settings through links into `/etc` and does not start without them. */
function javaConfiguration(): readonly string[] {
  if (!existsSync("/etc")) return [];
  return readdirSync("/etc")
    .filter((name) => /^java(-|$)/.test(name))
    .map((name) => join("/etc", name));
}
