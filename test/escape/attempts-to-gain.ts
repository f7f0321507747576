import { type Attempt, call, calls } from "./attempt.ts";

const unseen = /No such file or directory/;

export const attemptsToGain: readonly Attempt[] = [
  {
    name: "root by a set-id program",
    text: (w) => `[ $(if [ -e set-id ]; then ./set-id -u; else id -u; fi) = ${w.uid} ] && echo the same`,
    says: /^the same$/m,
  },
  {
    name: "capabilities",
    text: () => "grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | sort -u -k2",
    says: /^\w+:\t0{16}\n$/,
  },
  { name: "a device of its own", text: () => "mknod made-null c 1 3; echo $?", says: /^1$/m },
  { name: "a device that is already there", text: () => "[ -e zero ] && head -c 1 zero; echo end", says: /^end$/m },
  {
    name: "a mount",
    text: () => `mount -t tmpfs none /mnt; ${call(calls.mount, '"none", "/tmp", "tmpfs", 0, 0')}`,
    says: /errno 1$/m,
  },
  {
    name: "a user namespace",
    text: () => `unshare -Ur id -u; ${call(calls.unshare, "0x10000000")}`,
    says: /errno (1|28)$/m,
  },
  {
    name: "another mount namespace",
    text: () => `unshare -m true; ${call(calls.unshare, "0x20000")}`,
    says: /errno 1$/m,
  },
  {
    name: "a namespace of the host",
    text: () => `for n in /proc/1/ns/*; do nsenter --mount=$n true; done; ${call(calls.setns, "0, 0")}`,
    says: /errno 1$/m,
  },
  {
    name: "a sandbox in the sandbox",
    text: () => "bwrap --dev-bind / / true; chroot . true; echo $?",
    says: /^12[56]$/m,
  },
  {
    name: "to see host processes",
    text: (w) => `ls -d /proc/${w.bystander.pid} 2>&1; ps ax 2>/dev/null | grep -c '[s]leep 1000'`,
    says: unseen,
  },
  {
    name: "to end a host process",
    text: (w) => `kill -9 ${w.bystander.pid} ; kill -0 ${process.pid}`,
    says: /No such process/,
  },
  {
    name: "to trace a host process",
    text: (w) => call(calls.ptrace, `16, ${w.bystander.pid}, 0, 0`),
    says: /errno (1|3)$/m,
  },
  { name: "to end everything it can", text: () => "kill -9 -1; echo $?", says: /^\d$|^$/m },
  { name: "keys of the kernel", text: () => call(calls.keyctl, "0, -3, 0"), says: /errno 1$/m },
  { name: "programs in the kernel", text: () => call(calls.bpf, "0, 0, 0"), says: /errno 1$/m },
  {
    name: "a terminal to type into",
    text: () =>
      `perl -e 'open(T, "<", "/dev/tty") or print "no terminal\\n"; my $c = "x"; for my $n (0, 1, 2) { open(my $f, "<&=", $n); ioctl($f, 0x5412, $c) or print "errno ", $! + 0, "\\n" }'`,
    says: /no terminal[\s\S]*errno 1$/m,
  },
  { name: "control groups", text: () => "ls /sys/fs/cgroup; mount -t cgroup none /tmp", says: unseen },
  {
    name: "a listener on this machine",
    text: (w) => `exec 3<>/dev/tcp/127.0.0.1/${w.port}`,
    says: /refused|unreachable/,
  },
  { name: "the network", text: () => "exec 3<>/dev/tcp/192.0.2.1/80", says: /unreachable/ },
  { name: "the name service", text: () => "getent hosts example.com; echo $?", says: /^2$/m },
  {
    name: "a unix socket by its path",
    text: (w) =>
      `perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("${w.outside}/path.sock")) or print "errno ", $! + 0, "\\n"'`,
    says: /errno 2$/m,
  },
  {
    name: "an abstract unix socket",
    text: (w) =>
      `perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\\0${w.abstractSocket.slice(1)}")) or print "errno ", $! + 0, "\\n"'`,
    says: /errno 111$/m,
  },
  {
    name: "the machine that runs this one",
    text: () => `perl -e 'socket(S, 40, 1, 0) or print "errno ", $! + 0, "\\n"'`,
    says: /errno 97$/m,
  },
  {
    name: "a descriptor that was left open",
    text: () => "ls -A /proc/self/fd/40/ /proc/$$/fd/40/; cat <&40",
    says: unseen,
  },
];
