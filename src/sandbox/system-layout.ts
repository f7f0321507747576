import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * The part of the machine that every sandbox sees. Of `/etc` that is every plain file that all users may read, and
 * the directories that programs need; a mount for each of the others would cost more than all else. No credentials.
 */
export interface SystemLayout {
  readonly directories: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Small files, copied in: a copy costs a fraction of a mount. */
  readonly files: readonly string[];
}

const systemDirectories = [
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store /etc/alternatives /etc/ssl/certs",
  "/etc/ca-certificates/extracted /etc/pki/tls/certs /etc/pki/ca-trust/extracted /etc/fonts /etc/maven",
].flatMap((line) => line.split(" "));
const systemFiles = ["/etc/ssl/openssl.cnf"];

/** Settings that may hold a password or a token although everybody may read them, and what a sandbox has of its own. */
const leftOut = new Set(
  "environment exports fstab group gshadow hosts krb5.conf netrc npmrc nsswitch.conf passwd pip.conf resolv.conf wgetrc".split(
    " ",
  ),
);
const leftOutNames = /^\.|-$|shadow|sudo|secret|credential|token|passw|\.(?:key|pem|p12|keytab)$/i;
const largestFile = 1024 * 1024;
const readableByAll = 0o004;

export function readSystemLayout(): SystemLayout {
  const directories: string[] = [];
  const links: { path: string; target: string }[] = [];
  const files: string[] = [];
  for (const path of [...systemDirectories, ...configuration(), ...systemFiles]) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    else if (stats?.isDirectory()) directories.push(path);
    else if (stats?.isFile() && (stats.mode & readableByAll) !== 0 && stats.size <= largestFile) files.push(path);
  }
  return { directories, links, files };
}

/** What lies directly in `/etc`. A Java runtime reads its security settings there and does not start without them. */
function configuration(): readonly string[] {
  if (lstatSync("/etc", { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync("/etc", { withFileTypes: true })
    .filter((entry) =>
      entry.isDirectory() ? /^java(-|$)/.test(entry.name) : !leftOut.has(entry.name) && !leftOutNames.test(entry.name),
    )
    .map(({ name }) => join("/etc", name));
}
