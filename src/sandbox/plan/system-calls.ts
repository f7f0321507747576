/** The number of a system call on x64 and on arm64, which has fewer of them. */
type Numbers = readonly [x64: number, arm64?: number];

/** Reach past the namespaces, change the machine or widen the kernel's attack surface, and no build or test needs them. */
export const forbiddenCalls = {
  // Mounts, and other ways to another file tree.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Other processes and other namespaces.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  setns: [308, 268],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  // Code and keys in the kernel, and what watches everybody.
  bpf: [321, 280],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  syslog: [103, 116],
  // The machine itself.
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  nfsservctl: [180, 42],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  // Only on x64: ports, and calls that nobody needs any more.
  iopl: [172],
  ioperm: [173],
  create_module: [174],
  get_kernel_syms: [177],
  query_module: [178],
  _sysctl: [156],
  uselib: [134],
  sysfs: [139],
  ustat: [136],
} as const satisfies Record<string, Numbers>;

/**
 * Answered as if the kernel did not know them, so that programs fall back to an older call. The filter sees numbers
 * only: what these do stands in memory, where it cannot look.
 */
export const unknownCalls = {
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  clone3: [435, 435],
  openat2: [437, 437],
} as const satisfies Record<string, Numbers>;

/** Allowed or not by their arguments. */
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
  socketpair: [53, 199],
} as const satisfies Record<string, Numbers>;
