import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

/** Who a sandboxed command is: the same numbers as outside, and only the names that it needs. */
export interface Identity {
  readonly user: string;
  readonly passwd: string;
  readonly group: string;
}

export function readIdentity(home: string): Identity {
  const { uid, gid, name } = whoAmI();
  const users = uid === 0 ? [] : [`root:x:0:0:root:/:/usr/sbin/nologin`];
  const groups = gid === 0 ? [] : ["root:x:0:"];
  return {
    user: name,
    passwd: lines([
      `${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash`,
      ...users,
      "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin",
    ]),
    group: lines([`${groupName(gid)}:x:${gid}:`, ...groups, "nogroup:x:65534:"]),
  };
}

function whoAmI(): { readonly uid: number; readonly gid: number; readonly name: string } {
  const numbers = { uid: process.getuid?.() ?? 65534, gid: process.getgid?.() ?? 65534 };
  try {
    return { ...numbers, name: userInfo().username };
  } catch {
    // The user database does not know every user, in containers above all.
    return { ...numbers, name: "user" };
  }
}

function groupName(gid: number): string {
  try {
    const line = readFileSync("/etc/group", "utf8")
      .split("\n")
      .find((entry) => entry.split(":")[2] === String(gid));
    return line?.split(":")[0] || "users";
  } catch {
    return "users";
  }
}

function lines(entries: readonly string[]): string {
  return `${entries.join("\n")}\n`;
}
