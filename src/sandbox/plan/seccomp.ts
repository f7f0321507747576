/** A call and its numbers on x64 and arm64. */
type CallNumbers = Readonly<Record<string, readonly number[]>>;

function calls(...lines: readonly string[]): CallNumbers {
  const entries = lines.flatMap((line) => line.split(", ")).map((entry) => entry.split(" "));
  return Object.fromEntries(entries.map(([name = "", ...numbers]) => [name, numbers.map(Number)]));
}

/** Calls that escape the namespaces, change the machine or widen the attack surface; no build or test needs them. */
export const forbiddenCalls = calls(
  // Mounts, and other ways to another file tree.
  "mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429",
  "fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442",
  "open_tree_attr 467 467, name_to_handle_at 303 264, open_by_handle_at 304 265",
  // Other processes and other namespaces.
  "ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272",
  "pidfd_getfd 438 438, setns 308 268, move_pages 279 239, migrate_pages 256 238",
  // Code and keys in the kernel, and monitoring of the whole machine.
  "bpf 321 280, init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104",
  "kexec_file_load 320 294, add_key 248 217, request_key 249 218, keyctl 250 219, perf_event_open 298 241",
  "userfaultfd 323 282, fanotify_init 300 262, lookup_dcookie 212 18, syslog 103 116",
  // The machine itself.
  "reboot 169 142, swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60, quotactl_fd 443 443",
  "nfsservctl 180 42, vhangup 153 58, settimeofday 164 170, clock_settime 227 112, clock_adjtime 305 266",
  "sethostname 170 161, setdomainname 171 162",
  // Only on x64: ports and obsolete calls.
  "iopl 172, ioperm 173, create_module 174, get_kernel_syms 177, query_module 178, _sysctl 156, uselib 134",
  "sysfs 139, ustat 136",
);

/** Fail with ENOSYS, so that programs fall back to an older call: the filter cannot see arguments in memory. */
export const unknownCalls = calls(
  "io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, clone3 435 435, openat2 437 437",
);

export const examinedCalls = {
  open: [2],
  openat: [257, 56],
  creat: [85],
  chmod: [90],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133],
  mknodat: [259, 33],
  renameat2: [316, 276],
  clone: [56, 220],
  unshare: [272, 97],
  personality: [135, 92],
  ioctl: [16, 29],
  socket: [41, 198],
} as const satisfies CallNumbers;

const machines: Readonly<Record<string, { readonly architecture: number; readonly column: 0 | 1 }>> = {
  x64: { architecture: 0xc000003e, column: 0 },
  arm64: { architecture: 0xc00000b7, column: 1 },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. A network namespace does not confine others, for example AF_VSOCK. */
const socketFamilies = { all: [1, 2, 10, 16], no_unix: [2, 10, 16] };
/** TIOCSTI and TIOCLINUX inject input into a terminal. */
const terminalRequests = [0x5412, 0x541c];
/** The default, the old `uname`, fixed addresses for debugging, and the query of the current value. */
const personalities = [0, 0x20000, 0x40000, 0xffffffff];
/**
 * Cgroup, UTS, IPC, user, PID, network and mount. The low byte of `clone` is a signal, that of `unshare` is not: time.
 */
const newNamespaces = 0x7e020000;
const newTimeNamespace = 0x80;
/** Set-user-ID and set-group-ID: outside the sandbox such a file would run with its owner's rights. */
const setId = 0o6000;
/** The mode argument exists only with O_CREAT or O_TMPFILE. */
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
/** The low half of an argument: the kernel ignores the high half of the arguments checked here. */
const argument = (index: number) => 16 + 8 * index;

export function seccompFilter(
  machine: string,
  { sockets }: { readonly sockets: keyof typeof socketFamilies },
): Uint8Array | undefined {
  const known = machines[machine];
  if (known === undefined) return undefined;
  const numbersOf = (listed: CallNumbers) => Object.values(listed).flatMap((numbers) => numbers[known.column] ?? []);
  const examine = (call: keyof typeof examinedCalls, ...steps: readonly (readonly Instruction[])[]) => {
    const number = examinedCalls[call].at(known.column);
    return number === undefined ? [] : onlyFor(number, [...steps.flat(), give(allow)]);
  };
  const modeIn = (index: number) => [load(argument(index)), ...when(anyBit, setId, answer(EPERM))];
  const noDevice = [keepBits(fileType), ...devices.flatMap((type) => when(equal, type, answer(EPERM)))];
  const onlyWhenCreating = (index: number) => [load(argument(index)), ...unless(anyBit, creates, allow)];
  return encode([
    load(architecture),
    ...unless(equal, known.architecture, killProcess),
    load(callNumber),
    // The x32 variants of all calls have this bit set.
    ...when(atLeast, 0x40000000, answer(ENOSYS)),
    ...examine("openat", onlyWhenCreating(2), modeIn(3)),
    ...examine("open", onlyWhenCreating(1), modeIn(2)),
    ...examine(
      "ioctl",
      [load(argument(1))],
      terminalRequests.flatMap((request) => when(equal, request, answer(EPERM))),
    ),
    ...examine("clone", [load(argument(0)), ...when(anyBit, newNamespaces, answer(EPERM))]),
    ...numbersOf(unknownCalls).flatMap((call) => when(equal, call, answer(ENOSYS))),
    ...numbersOf(forbiddenCalls).flatMap((call) => when(equal, call, answer(EPERM))),
    ...examine("unshare", [load(argument(0)), ...when(anyBit, newNamespaces | newTimeNamespace, answer(EPERM))]),
    ...examine("creat", modeIn(1)),
    ...examine("chmod", modeIn(1)),
    ...examine("fchmod", modeIn(1)),
    ...examine("fchmodat", modeIn(2)),
    ...examine("fchmodat2", modeIn(2)),
    ...examine("mknod", modeIn(1), noDevice),
    ...examine("mknodat", modeIn(2), noDevice),
    ...examine("renameat2", [load(argument(4)), ...when(anyBit, leavesWhiteout, answer(EPERM))]),
    ...examine("personality", [
      load(argument(0)),
      ...personalities.flatMap((one) => when(equal, one, allow)),
      give(answer(EPERM)),
    ]),
    ...examine("socket", [
      load(argument(0)),
      ...socketFamilies[sockets].flatMap((family) => when(equal, family, allow)),
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

const equal = 0x15;
const atLeast = 0x35;
const anyBit = 0x45;

const load = (offset: number): Instruction => ({ code: 0x20, whenTrue: 0, whenFalse: 0, value: offset });
const keepBits = (mask: number): Instruction => ({ code: 0x54, whenTrue: 0, whenFalse: 0, value: mask });
const give = (value: number): Instruction => ({ code: 0x06, whenTrue: 0, whenFalse: 0, value });

function when(code: number, value: number, result: number): readonly Instruction[] {
  return [{ code, whenTrue: 0, whenFalse: 1, value }, give(result)];
}

function unless(code: number, value: number, result: number): readonly Instruction[] {
  return [{ code, whenTrue: 1, whenFalse: 0, value }, give(result)];
}

/** `steps` must end with a return: they overwrite the accumulator that later comparisons need. */
function onlyFor(value: number, steps: readonly Instruction[]): readonly Instruction[] {
  return [{ code: equal, whenTrue: 0, whenFalse: steps.length, value }, ...steps];
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
