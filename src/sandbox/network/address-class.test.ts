import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { specialAddress } from "./address-class.ts";

const metadata = "a cloud's metadata service";
const loopback = "a loopback address";
const privately = "a private address";
const carrier = "an address behind a carrier's gateway";
const linkLocal = "a link-local address";
const none = "a broadcast or unspecified address";
const multicast = "a multicast address";
const documentation = "an address for documentation";
const benchmark = "an address for benchmarks";
const embeds = "an address that embeds another one";
const reserved = "a reserved address";
const unreadable = "not a plain address";

describe("what an address is", () => {
  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "104.16.0.35",
    "172.15.255.255",
    "172.32.0.1",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "128.0.0.1",
    "192.0.1.1",
    "198.17.0.1",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::6810:123",
    "2a00:1450:4001::200e",
    "2001:4860:4860::8888",
    "2400:cb00::1",
  ])("%s is an ordinary one", (address) => {
    expect(specialAddress(address)).toBeUndefined();
  });

  test.each([
    ["169.254.169.254", metadata],
    ["168.63.129.16", metadata],
    ["100.100.100.200", metadata],
    ["fd00:ec2::254", metadata],
    ["0.0.0.0", none],
    ["0.1.2.3", none],
    ["::", none],
    ["169.254.0.1", linkLocal],
    ["fe80::1", linkLocal],
    ["febf::1", linkLocal],
    ["224.0.0.1", multicast],
    ["239.255.255.255", multicast],
    ["ff02::1", multicast],
    ["::ffff:169.254.169.254", embeds],
    ["::ffff:a9fe:a9fe", embeds],
    ["::ffff:8.8.8.8", embeds],
    ["::7f00:1", embeds],
    ["::127.0.0.1", embeds],
    ["2002:7f00:1::", embeds],
    ["2002:808:808::", embeds],
    ["64:ff9b::a9fe:a9fe", embeds],
    ["64:ff9b:1::1", embeds],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", embeds],
    ["192.88.99.1", embeds],
    ["192.0.0.8", reserved],
    ["240.0.0.1", reserved],
    ["255.255.255.255", reserved],
    ["2001:10::1", reserved],
    ["100::1", reserved],
    ["4000::1", reserved],
    ["fec0::1", reserved],
    ["fe80::1%eth0", unreadable],
    ["::1%1", unreadable],
    ["0x7f000001", unreadable],
    ["2130706433", unreadable],
    ["127.1", unreadable],
    ["0177.0.0.1", unreadable],
    ["", unreadable],
    ["example.com", unreadable],
    ["1.1.1.1\0", unreadable],
  ])("%s is never connected to: %s", (address, what) => {
    expect(specialAddress(address)).toEqual({ what, private: false });
  });

  test.each([
    ["127.0.0.1", loopback],
    ["127.255.255.254", loopback],
    ["::1", loopback],
    ["0:0:0:0:0:0:0:1", loopback],
    ["10.0.0.1", privately],
    ["172.16.0.1", privately],
    ["172.31.255.255", privately],
    ["192.168.1.1", privately],
    ["fc00::1", privately],
    ["fd12:3456::1", privately],
    ["100.64.0.1", carrier],
    ["100.127.255.255", carrier],
    ["192.0.2.1", documentation],
    ["198.51.100.7", documentation],
    ["203.0.113.9", documentation],
    ["2001:db8::1", documentation],
    ["3fff::1", documentation],
    ["198.18.0.1", benchmark],
    ["198.19.255.255", benchmark],
    ["2001:2::1", benchmark],
  ])("%s is for those who were named: %s", (address, what) => {
    expect(specialAddress(address)).toEqual({ what, private: true });
  });

  test("no address that holds an IPv4 address is ordinary", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const prefix of ["::", "::ffff:", "64:ff9b::"])
          expect(specialAddress(`${prefix}${address}`)).toBeDefined();
      }),
    );
  });
});
