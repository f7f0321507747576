/**
 * System calls that reach past the namespaces, change the machine or widen the kernel's attack surface, and that no
 * build or test needs. They answer EPERM. Tracing stays possible: there is nobody else's process to trace.
 */
interface CallNumbers {
  readonly architecture: number;
  readonly forbidden: readonly number[];
  /** Answers "not implemented", so that programs fall back to ordinary calls. */
  readonly ioUring: readonly number[];
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly unshare: number;
}

/** mount family and quotactl_fd: the same numbers on every architecture. */
const commonForbidden = [428, 429, 430, 431, 432, 433, 442, 443, 467];
const ioUring = [425, 426, 427];

const numbers: Readonly<Record<string, CallNumbers>> = {
  x64: {
    architecture: 0xc000003e,
    // syslog vhangup pivot_root acct settimeofday mount umount2 swapon swapoff reboot iopl ioperm init_module
    // delete_module quotactl nfsservctl lookup_dcookie clock_settime kexec_load add_key request_key keyctl
    // perf_event_open open_by_handle_at clock_adjtime setns finit_module kexec_file_load bpf userfaultfd
    forbidden: [
      103, 153, 155, 163, 164, 165, 166, 167, 168, 169, 172, 173, 175, 176, 179, 180, 212, 227, 246, 248, 249, 250, 298,
      304, 305, 308, 313, 320, 321, 323,
    ],
    ioUring,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    unshare: 272,
  },
  arm64: {
    architecture: 0xc00000b7,
    // lookup_dcookie umount2 mount pivot_root nfsservctl vhangup quotactl acct kexec_load init_module delete_module
    // clock_settime syslog reboot settimeofday add_key request_key keyctl swapon swapoff perf_event_open
    // open_by_handle_at clock_adjtime setns finit_module bpf userfaultfd kexec_file_load
    forbidden: [
      18, 39, 40, 41, 42, 58, 60, 89, 104, 105, 106, 112, 116, 142, 170, 217, 218, 219, 224, 225, 241, 265, 266, 268,
      273, 280, 282, 294,
    ],
    ioUring,
    ioctl: 29,
    socket: 198,
    socketpair: 199,
    unshare: 97,
  },
};

/**
 * AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. The others are not confined by a network namespace: through AF_VSOCK a
 * process without network would still reach the machine that runs this virtual one.
 */
const socketFamilies = [1, 2, 10, 16];
/** TIOCSTI and TIOCLINUX type into a terminal. */
const terminalRequests = [0x5412, 0x541c];

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const allow = 0x7fff0000;
const killProcess = 0x80000000;
const answer = (errno: number) => 0x00050000 | errno;

/** Offsets in `struct seccomp_data`. */
const callNumber = 0;
const architecture = 4;
const argument = (index: number) => 16 + 8 * index;

/**
 * A filter program for the kernel, or `undefined` where the call numbers are not known. `sockets: false` is for
 * programs that need no socket at all and may then share a network namespace.
 */
export function seccompFilter(machine: string, { sockets }: { readonly sockets: boolean }): Uint8Array | undefined {
  const calls = numbers[machine];
  if (calls === undefined) return undefined;
  const program: Instruction[] = [
    load(architecture),
    ...unless(calls.architecture, killProcess),
    load(callNumber),
    // The x32 variants of all calls live above this bit.
    ...ifAtLeast(0x40000000, answer(ENOSYS)),
    ...[...calls.forbidden, ...commonForbidden].flatMap((call) => ifEqual(call, answer(EPERM))),
    ...calls.ioUring.flatMap((call) => ifEqual(call, answer(ENOSYS))),
    ...(sockets
      ? []
      : [calls.socket, calls.socketpair, calls.unshare].flatMap((call) => ifEqual(call, answer(EACCES)))),
    ...onlyFor(calls.ioctl, [
      load(argument(1)),
      ...terminalRequests.flatMap((request) => ifEqual(request, answer(EPERM))),
      give(allow),
    ]),
    ...onlyFor(calls.socket, [
      load(argument(0)),
      ...socketFamilies.flatMap((family) => ifEqual(family, allow)),
      give(answer(EAFNOSUPPORT)),
    ]),
    give(allow),
  ];
  return encode(program);
}

/** `struct sock_filter`. */
interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, whenTrue: 0, whenFalse: 0, value: offset });
const give = (value: number): Instruction => ({ code: 0x06, whenTrue: 0, whenFalse: 0, value });

function ifEqual(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

function unless(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 1, whenFalse: 0, value }, give(result)];
}

function ifAtLeast(value: number, result: number): readonly Instruction[] {
  return [{ code: 0x35, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

/** `steps` must end in an answer: they leave something else than the call number in the accumulator. */
function onlyFor(call: number, steps: readonly Instruction[]): readonly Instruction[] {
  return [{ code: 0x15, whenTrue: 0, whenFalse: steps.length, value: call }, ...steps];
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
