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
    else {
      const holds = operation === 0x15 ? accumulator === value : accumulator >= value;
      at += holds ? jumps.whenTrue : jumps.whenFalse;
    }
  }
  throw new Error("The filter gives no answer");
}

function filterFor(machine: string, sockets: boolean): Uint8Array {
  const filter = seccompFilter(machine, { sockets });
  if (filter === undefined) throw new Error("No filter");
  return filter;
}

describe("the system call filter", () => {
  test.each<[string, Call, number]>([
    ["read", { nr: 0 }, allow],
    ["execve", { nr: 59 }, allow],
    ["ptrace of a process of the same sandbox", { nr: 101 }, allow],
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
    expect(run(filterFor("x64", true), call)).toBe(expected);
  });

  test.each<[string, Call, number]>([
    ["read", { nr: 0 }, allow],
    ["a unix socket", { nr: 41, args: [1] }, errno(13)],
    ["an internet socket", { nr: 41, args: [2] }, errno(13)],
    ["a socket pair", { nr: 53 }, errno(13)],
    ["unshare", { nr: 272 }, errno(13)],
  ])("for a program of ours answers %s", (_, call, expected) => {
    expect(run(filterFor("x64", false), call)).toBe(expected);
  });

  test("knows arm64 by its own numbers, and leaves other machines to the caller", () => {
    const arm64 = 0xc00000b7;
    expect(run(filterFor("arm64", true), { nr: 40, arch: arm64 })).toBe(errno(1));
    expect(run(filterFor("arm64", true), { nr: 63, arch: arm64 })).toBe(allow);
    expect(seccompFilter("riscv64", { sockets: true })).toBeUndefined();
  });
});
