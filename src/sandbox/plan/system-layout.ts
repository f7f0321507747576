import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { systemTrees } from "../../contract/effect.ts";
import { menuForCommands } from "../../contract/tool-facts.ts";
import { readText } from "../../host/files/read-small-text.ts";

/** Every regular file in `/etc` that all users may read, and directories that programs need. No credentials. */
export interface SystemLayout {
  readonly directories: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly files: readonly string[];
}

const systemDirectories = [
  ...systemTrees,
  ...["/etc/alternatives", "/etc/ssl/certs", "/etc/ca-certificates/extracted", "/etc/pki/tls/certs"],
  ...["/etc/pki/ca-trust/extracted", "/etc/fonts", "/etc/maven"],
];
const systemFiles = ["/etc/ssl/openssl.cnf"];

/** May contain a password or token although they are world-readable, or the sandbox has its own. */
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

/** A Java runtime does not start without its security settings there. */
function configuration(): readonly string[] {
  if (lstatSync("/etc", { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync("/etc", { withFileTypes: true })
    .filter((entry) =>
      entry.isDirectory() ? /^java(-|$)/.test(entry.name) : !leftOut.has(entry.name) && !leftOutNames.test(entry.name),
    )
    .map(({ name }) => join("/etc", name));
}

export interface Identity {
  readonly user: string;
  readonly passwd: string;
  readonly group: string;
}

export function readIdentity(home: string): Identity {
  const { uid, gid, name } = whoAmI();
  const group = readText("/etc/group")
    .split("\n")
    .map((entry) => entry.split(":"))
    .find((fields) => fields[2] === String(gid))?.[0];
  return {
    user: name,
    passwd: lines([
      `${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash`,
      ...(uid === 0 ? [] : ["root:x:0:0:root:/:/usr/sbin/nologin"]),
      "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin",
    ]),
    group: lines([`${group || "users"}:x:${gid}:`, ...(gid === 0 ? [] : ["root:x:0:"]), "nogroup:x:65534:"]),
  };
}

function whoAmI(): { readonly uid: number; readonly gid: number; readonly name: string } {
  const numbers = { uid: process.getuid?.() ?? 65534, gid: process.getgid?.() ?? 65534 };
  try {
    return { ...numbers, name: userInfo().username };
  } catch {
    // The user database may lack this user, especially in containers.
    return { ...numbers, name: "user" };
  }
}

function lines(entries: readonly string[]): string {
  return `${entries.join("\n")}\n`;
}

const hosts = "127.0.0.1 localhost gauntlet\n::1 localhost\n";
const nameServices = "passwd: files\ngroup: files\nhosts: files dns\n";

export type SandboxFile =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly copyOf: string };

export function sandboxFiles({
  identity,
  menu,
  system,
}: {
  readonly identity: Identity;
  readonly menu: string | undefined;
  readonly system: SystemLayout;
}): readonly SandboxFile[] {
  return [
    { path: "/etc/passwd", content: identity.passwd },
    { path: "/etc/group", content: identity.group },
    { path: "/etc/nsswitch.conf", content: nameServices },
    { path: "/etc/hosts", content: hosts },
    ...system.files.filter(existsSync).map((path) => ({ path, copyOf: path })),
    ...(menu !== undefined && existsSync(menu) ? [{ path: menuForCommands, copyOf: menu }] : []),
  ];
}
