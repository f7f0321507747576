import { expect, test } from "vitest";
import type { Mount } from "../plan/mount-plan.ts";
import { misplacedMount } from "./confinement.ts";

const disk = (root: string, at: string, how = "rw") =>
  `9 8 254:0 ${root} ${at} ${how},nosuid,relatime - ext4 /dev/vda rw`;
const own = (at: string, root = "/") => `9 8 0:41 ${root} ${at} ro,nosuid,nodev - tmpfs tmpfs rw`;
const volume = (root: string, at: string) => `9 8 254:9 ${root} ${at} rw,relatime shared:1 - ext4 /dev/vdb rw`;
const network = (at: string) => `9 8 0:77 / ${at} rw,relatime - nfs4 server:/home rw`;

const show = (path: string, writable = true): Mount => ({ kind: "show", path, writable });
const hide = (path: string): Mount => ({ kind: "hide_file", path });
const covered = (at: string) => own(at, "/bindfileAbC//deleted");

const plan: readonly Mount[] = [
  show("/w"),
  show("/w/d"),
  show("/w/d/.vscode", false),
  hide("/w/d/.env"),
  { kind: "hide_tree", path: "/w/private" },
  { kind: "rebuild", path: "/w/.git/info", shown: ["/w/.git/info/exclude"], links: [] },
];
const asPlanned = [
  own("/"),
  own("/tmp"),
  disk("/home/me/w", "/w"),
  disk("/home/me/w/d", "/w/d"),
  disk("/home/me/w/d/.vscode", "/w/d/.vscode", "ro"),
  own("/w/private"),
  own("/w/.git/info"),
  covered("/w/d/.env"),
  disk("/home/me/w/.git/info/exclude", "/w/.git/info/exclude", "ro"),
];

function instead(line: string, ...others: string[]): readonly string[] {
  if (!asPlanned.includes(line)) throw new Error(`There is no ${line}`);
  return asPlanned.flatMap((one) => (one === line ? others : one));
}

test("a sandbox as it was planned is in order", () => {
  expect(misplacedMount(asPlanned.join("\n"), plan)).toBeUndefined();
});

const pinned = disk("/home/me/w/d", "/w/d");
const closed = disk("/home/me/w/d/.vscode", "/w/d/.vscode", "ro");
const exclude = disk("/home/me/w/.git/info/exclude", "/w/.git/info/exclude", "ro");

test.each<[string, string, readonly string[]]>([
  ["a directory is one from elsewhere", "/w/d", instead(pinned, disk("/home/me", "/w/d"))],
  ["a directory is another one of the workspace", "/w/d", instead(pinned, disk("/home/me/w/.git", "/w/d"))],
  ["a directory is the same place of another disk", "/w/d", instead(pinned, volume("/home/me/w/d", "/w/d"))],
  ["a directory was moved away", "/w/d", instead(pinned, disk("/home/me/w/d", "/w/e"))],
  ["a directory was exchanged afterwards", "/w/d", instead(pinned, disk("/home/me/w/e", "/w/d"))],
  ["what is closed can be written", "/w/d/.vscode", instead(closed, disk("/home/me/w/d/.vscode", "/w/d/.vscode"))],
  [
    "what is closed is a file from elsewhere",
    "/w/d/.vscode",
    instead(closed, disk("/home/me/.ssh", "/w/d/.vscode", "ro")),
  ],
  ["a secret lies bare", "/w/d/.env", instead(covered("/w/d/.env"))],
  ["a secret was shown again", "/w/d/.env", [...asPlanned, disk("/home/me/w/d/.env", "/w/d/.env")]],
  ["the cover of a secret lies elsewhere", "/w/d/.env", instead(covered("/w/d/.env"), covered("/w/e/.env"))],
  ["a hidden tree is there", "/w/private", instead(own("/w/private"))],
  [
    "an entry of a rebuilt directory is one from elsewhere",
    "/w/.git/info/exclude",
    instead(exclude, disk("/etc/x", "/w/.git/info/exclude", "ro")),
  ],
  ["there is no table", "/w", []],
])("it is not when %s", (_, path, table) => {
  expect(misplacedMount(table.join("\n"), plan)).toBe(path);
});

test("a disk that is mounted in the workspace comes along, also where a mount of ours lies on it", () => {
  const table = [
    disk("/w", "/w"),
    volume("/", "/w/modules"),
    volume("/", "/w/modules"),
    volume("/deep", "/w/modules/deep"),
    covered("/w/modules/deep/.env"),
  ];
  const mounts = [show("/w"), show("/w/modules"), show("/w/modules/deep"), hide("/w/modules/deep/.env")];
  expect(misplacedMount(table.join("\n"), mounts)).toBeUndefined();
  const unpinned = table.toSpliced(1, 1);
  expect(misplacedMount(unpinned.join("\n"), [show("/w"), ...mounts.slice(2)])).toBeUndefined();
  const swapped = table.with(3, volume("/other", "/w/modules/deep"));
  expect(misplacedMount(swapped.join("\n"), mounts)).toBe("/w/modules/deep");
});

test("of a file system that does not tell its directories apart the device counts", () => {
  const mounts = [show("/w"), show("/w/d")];
  expect(misplacedMount([network("/w"), network("/w/d")].join("\n"), mounts)).toBeUndefined();
  expect(misplacedMount([network("/w"), disk("/home", "/w/d")].join("\n"), mounts)).toBe("/w/d");
});

test("blanks in names are read as the kernel writes them", () => {
  const table = [disk("/a\\040b", "/a\\040b"), disk("/a\\040b/c\\134d", "/a\\040b/c\\134d")].join("\n");
  expect(misplacedMount(table, [show("/a b"), show("/a b/c\\d")])).toBeUndefined();
});
