import { describe, expect, test } from "vitest";
import { seccompFilter } from "./seccomp.ts";

const x64 = 0xc000003e;
const allow = 0x7fff0000;
const errno = (number: number) => 0x00050000 | number;

interface Call {
  readonly nr: number;
  readonly arch?: number;
  readonly args?: readonly number[];
}

/** Runs a filter as the kernel would, for the instructions that we use. */
function run(filter: Uint8Array, { nr, arch = x64, args = [] }: Call): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, nr, true);
  data.setUint32(4, arch, true);
  for (const [index, value] of args.entries()) data.setBigUint64(16 + 8 * index, BigInt(value), true);
  const code = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const value = code.getUint32(at * 8 + 4, true);
    const jumps = { whenTrue: code.getUint8(at * 8 + 2), whenFalse: code.getUint8(at * 8 + 3) };
    const operation = code.getUint16(at * 8, true);
    if (operation === 0x06) return value;
    if (operation === 0x20) accumulator = data.getUint32(value, true);
    else if (operation === 0x54) accumulator = (accumulator & value) >>> 0;
    else {
      const holds = { 21: accumulator === value, 53: accumulator >= value, 69: (accumulator & value) !== 0 }[operation];
      if (holds === undefined) throw new Error(`The filter has an instruction that it should not have: ${operation}`);
      at += holds ? jumps.whenTrue : jumps.whenFalse;
    }
  }
  throw new Error("The filter gives no answer");
}

function filterFor(machine: string, sockets: "all" | "no_unix"): Uint8Array {
  const filter = seccompFilter(machine, { sockets });
  if (filter === undefined) throw new Error("No filter");
  return filter;
}

describe("the system call filter", () => {
  test.each<[string, Call, number]>([
    ["read", { nr: 0 }, allow],
    ["execve", { nr: 59 }, allow],
    ["ptrace", { nr: 101 }, errno(1)],
    ["process_vm_writev", { nr: 311 }, errno(1)],
    ["name_to_handle_at", { nr: 303 }, errno(1)],
    ["clone3, which falls back to clone", { nr: 435 }, errno(38)],
    ["openat2, which falls back to openat", { nr: 437 }, errno(38)],
    ["clone of a process", { nr: 56, args: [0x1200011] }, allow],
    ["clone of a thread", { nr: 56, args: [0x3d0f00] }, allow],
    ["clone into a user namespace", { nr: 56, args: [0x10000011] }, errno(1)],
    ["clone into a mount namespace", { nr: 56, args: [0x20011] }, errno(1)],
    ["unshare of open files", { nr: 272, args: [0x400] }, allow],
    ["unshare of the network", { nr: 272, args: [0x40000000] }, errno(1)],
    ["unshare of the time", { nr: 272, args: [0x80] }, errno(1)],
    ["a new file", { nr: 257, args: [0, 0, 0o101, 0o644] }, allow],
    ["a new set-user-ID file", { nr: 257, args: [0, 0, 0o101, 0o4755] }, errno(1)],
    ["a new set-group-ID file without a name", { nr: 257, args: [0, 0, 0o20200002, 0o2755] }, errno(1)],
    ["an open without a mode, whatever stands in its place", { nr: 257, args: [0, 0, 0, 0o7777] }, allow],
    ["open of a new set-user-ID file", { nr: 2, args: [0, 0o102, 0o4755] }, errno(1)],
    ["creat of a set-user-ID file", { nr: 85, args: [0, 0o4755] }, errno(1)],
    ["chmod", { nr: 90, args: [0, 0o1777] }, allow],
    ["chmod u+s", { nr: 90, args: [0, 0o4755] }, errno(1)],
    ["fchmod g+s", { nr: 91, args: [3, 0o2755] }, errno(1)],
    ["fchmodat u+s", { nr: 268, args: [0, 0, 0o4755] }, errno(1)],
    ["fchmodat2 u+s", { nr: 452, args: [0, 0, 0o4755, 0] }, errno(1)],
    ["mknod of a FIFO", { nr: 133, args: [0, 0o010644] }, allow],
    ["mknod of a disk", { nr: 133, args: [0, 0o060644] }, errno(1)],
    ["mknodat of a terminal", { nr: 259, args: [0, 0, 0o020644] }, errno(1)],
    ["mknodat of a set-user-ID file", { nr: 259, args: [0, 0, 0o104755] }, errno(1)],
    ["the question for the personality", { nr: 135, args: [0xffffffff] }, allow],
    ["a personality with fixed addresses", { nr: 135, args: [0x40000] }, allow],
    ["a personality where all data is code", { nr: 135, args: [0x400000] }, errno(1)],
    ["mount", { nr: 165 }, errno(1)],
    ["move_mount", { nr: 429 }, errno(1)],
    ["keyctl", { nr: 250 }, errno(1)],
    ["bpf", { nr: 321 }, errno(1)],
    ["open_by_handle_at", { nr: 304 }, errno(1)],
    ["io_uring_setup", { nr: 425 }, errno(38)],
    ["an x32 call", { nr: 0x40000000 }, errno(38)],
    ["a call of another architecture", { nr: 0, arch: 0x40000003 }, 0x80000000],
    ["a unix socket", { nr: 41, args: [1] }, allow],
    ["an internet socket", { nr: 41, args: [2] }, allow],
    ["a socket to the hypervisor", { nr: 41, args: [40] }, errno(97)],
    ["a kernel crypto socket", { nr: 41, args: [38] }, errno(97)],
    ["TCGETS", { nr: 16, args: [0, 0x5401] }, allow],
    ["TIOCSTI", { nr: 16, args: [0, 0x5412] }, errno(1)],
    ["TIOCSTI with high bits set", { nr: 16, args: [0, 0x1_0000_5412] }, errno(1)],
  ])("for a shell answers %s", (_, call, expected) => {
    expect(run(filterFor("x64", "all"), call)).toBe(expected);
  });

  test.each<[string, Call, number]>([
    ["a unix socket", { nr: 41, args: [1] }, errno(97)],
    ["an internet socket", { nr: 41, args: [2] }, allow],
    ["a socket pair", { nr: 53, args: [1] }, allow],
  ])("without unix sockets answers %s", (_, call, expected) => {
    expect(run(filterFor("x64", "no_unix"), call)).toBe(expected);
  });

  test("knows arm64 by its own numbers, and leaves other machines to the caller", () => {
    const arm64 = 0xc00000b7;
    expect(run(filterFor("arm64", "all"), { nr: 40, arch: arm64 })).toBe(errno(1));
    expect(run(filterFor("arm64", "all"), { nr: 63, arch: arm64 })).toBe(allow);
    expect(seccompFilter("riscv64", { sockets: "all" })).toBeUndefined();
  });
});
