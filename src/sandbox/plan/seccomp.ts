import { examinedCalls, forbiddenCalls, unknownCalls } from "./system-calls.ts";

const machines: Readonly<Record<string, { readonly architecture: number; readonly column: 0 | 1 }>> = {
  x64: { architecture: 0xc000003e, column: 0 },
  arm64: { architecture: 0xc00000b7, column: 1 },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. A network namespace does not confine others, for example AF_VSOCK. */
const socketFamilies = { all: [1, 2, 10, 16], no_unix: [2, 10, 16] };
/** TIOCSTI and TIOCLINUX type into a terminal. */
const terminalRequests = [0x5412, 0x541c];
/** Linux as it is, its old `uname`, fixed addresses for those who look for races, and the question which one is set. */
const personalities = [0, 0x20000, 0x40000, 0xffffffff];
/** Cgroup, UTS, IPC, user, PID, network and mount. The low byte of `clone` is a signal, that of `unshare` is not: time. */
const newNamespaces = 0x7e020000;
const newTimeNamespace = 0x80;
/** Set-user-ID and set-group-ID: what carries them would give its owner's rights to whoever runs it outside. */
const setId = 0o6000;
/** Only with O_CREAT or O_TMPFILE is there a mode to look at. */
const creates = 0o100 | 0o20000000;
const fileType = 0o170000;
const devices = [0o020000, 0o060000];
/** A rename that leaves a device under the old name. */
const leavesWhiteout = 4;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const allow = 0x7fff0000;
const killProcess = 0x80000000;
const answer = (errno: number) => 0x00050000 | errno;

const callNumber = 0;
const architecture = 4;
/** The low half of an argument: all that the kernel looks at for those examined here. */
const argument = (index: number) => 16 + 8 * index;

export function seccompFilter(
  machine: string,
  { sockets }: { readonly sockets: keyof typeof socketFamilies },
): Uint8Array | undefined {
  const known = machines[machine];
  if (known === undefined) return undefined;
  const numbersOf = (calls: Readonly<Record<string, readonly number[]>>) =>
    Object.values(calls).flatMap((numbers) => numbers[known.column] ?? []);
  const examine = (call: keyof typeof examinedCalls, ...steps: readonly (readonly Instruction[])[]) => {
    const number = examinedCalls[call].at(known.column);
    return number === undefined ? [] : onlyFor(number, [...steps.flat(), give(allow)]);
  };
  const modeIn = (index: number) => [load(argument(index)), ...ifAnyBit(setId, answer(EPERM))];
  const noDevice = [keepBits(fileType), ...devices.flatMap((type) => ifEqual(type, answer(EPERM)))];
  const onlyWhenCreating = (index: number) => [load(argument(index)), ...ifNoBit(creates, allow)];
  return encode([
    load(architecture),
    ...unlessEqual(known.architecture, killProcess),
    load(callNumber),
    // The x32 variants of all calls live above this bit.
    ...ifAtLeast(0x40000000, answer(ENOSYS)),
    ...examine("openat", onlyWhenCreating(2), modeIn(3)),
    ...examine("open", onlyWhenCreating(1), modeIn(2)),
    ...examine(
      "ioctl",
      [load(argument(1))],
      terminalRequests.flatMap((request) => ifEqual(request, answer(EPERM))),
    ),
    ...examine("clone", [load(argument(0)), ...ifAnyBit(newNamespaces, answer(EPERM))]),
    ...numbersOf(unknownCalls).flatMap((call) => ifEqual(call, answer(ENOSYS))),
    ...numbersOf(forbiddenCalls).flatMap((call) => ifEqual(call, answer(EPERM))),
    ...examine("unshare", [load(argument(0)), ...ifAnyBit(newNamespaces | newTimeNamespace, answer(EPERM))]),
    ...examine("creat", modeIn(1)),
    ...examine("chmod", modeIn(1)),
    ...examine("fchmod", modeIn(1)),
    ...examine("fchmodat", modeIn(2)),
    ...examine("fchmodat2", modeIn(2)),
    ...examine("mknod", modeIn(1), noDevice),
    ...examine("mknodat", modeIn(2), noDevice),
    ...examine("renameat2", [load(argument(4)), ...ifAnyBit(leavesWhiteout, answer(EPERM))]),
    ...examine("personality", [
      load(argument(0)),
      ...personalities.flatMap((one) => ifEqual(one, allow)),
      give(answer(EPERM)),
    ]),
    ...examine("socket", [
      load(argument(0)),
      ...socketFamilies[sockets].flatMap((family) => ifEqual(family, allow)),
      give(answer(EAFNOSUPPORT)),
    ]),
    give(allow),
  ]);
}

interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, whenTrue: 0, whenFalse: 0, value: offset });
const keepBits = (mask: number): Instruction => ({ code: 0x54, whenTrue: 0, whenFalse: 0, value: mask });
const give = (value: number): Instruction => ({ code: 0x06, whenTrue: 0, whenFalse: 0, value });

function ifEqual(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

function unlessEqual(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 1, whenFalse: 0, value }, give(result)];
}

function ifAtLeast(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x35, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

function ifAnyBit(mask: number, result: number): readonly Instruction[] {
  return [{ code: 0x45, whenTrue: 0, whenFalse: 1, value: mask }, give(result)];
}

function ifNoBit(mask: number, result: number): readonly Instruction[] {
  return [{ code: 0x45, whenTrue: 1, whenFalse: 0, value: mask }, give(result)];
}

/** `steps` must end in an answer: they leave something else than what was compared in the accumulator. */
function onlyFor(value: number, steps: readonly Instruction[]): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: steps.length, value }, ...steps];
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, whenTrue, whenFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, whenTrue);
    bytes.setUint8(index * 8 + 3, whenFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
