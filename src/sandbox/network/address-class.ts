import { BlockList, isIP } from "node:net";
import { lazy } from "../../base/async.ts";

interface SpecialAddress {
  readonly what: string;
  /** Other classes are never connected to. */
  readonly private: boolean;
}

const ranges: readonly (readonly [what: string, isPrivate: boolean, ranges: string])[] = [
  ["a cloud's metadata service", false, "169.254.169.254/32 168.63.129.16/32 100.100.100.200/32 fd00:ec2::254/128"],
  ["a loopback address", true, "127.0.0.0/8 ::1/128"],
  ["a private address", true, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7"],
  ["an address behind a carrier's gateway", true, "100.64.0.0/10"],
  ["a link-local address", false, "169.254.0.0/16 fe80::/10"],
  ["a broadcast or unspecified address", false, "0.0.0.0/8 ::/128"],
  ["a multicast address", false, "224.0.0.0/4 ff00::/8"],
  ["an address for documentation", true, "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"],
  ["an address for benchmarks", true, "198.18.0.0/15 2001:2::/48"],
  [
    "an address that embeds another one",
    false,
    "192.88.99.0/24 2001::/32 2002::/16 64:ff9b::/96 64:ff9b:1::/48 ::/96 ::ffff:0:0/96",
  ],
  ["a reserved address", false, "192.0.0.0/24 240.0.0.0/4 2001::/23"],
];

const classes = lazy(() =>
  ranges.map(([what, isPrivate, listed]) => ({
    special: { what, private: isPrivate },
    ipv4: blockList(listed.split(" ").filter((range) => !range.includes(":"))),
    ipv6: blockList(listed.split(" ").filter((range) => range.includes(":"))),
  })),
);
const globalUnicast = lazy(() => blockList(["2000::/3"]));

export function specialAddress(address: string): SpecialAddress | undefined {
  const family = address.includes("%") ? 0 : isIP(address);
  if (family === 4) return classes().find(({ ipv4 }) => ipv4.check(address, "ipv4"))?.special;
  if (family === 0) return { what: "not a plain address", private: false };
  const named = classes().find(({ ipv6 }) => ipv6.check(address, "ipv6"))?.special;
  if (named !== undefined) return named;
  return globalUnicast().check(address, "ipv6") ? undefined : { what: "a reserved address", private: false };
}

function blockList(listed: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of listed) {
    const [network = "", prefix = ""] = range.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
