import type { EscapeWorld } from "./escape-world.ts";

/** A way to try what must not be possible. */
export interface Attempt {
  readonly name: string;
  readonly text: (world: EscapeWorld) => string;
  /** What the command says when it was held. */
  readonly says: RegExp;
}

/** Numbers of system calls that no program in the sandbox makes by itself. */
export const calls =
  process.arch === "arm64"
    ? {
        mount: 40,
        umount2: 39,
        ptrace: 117,
        keyctl: 219,
        bpf: 280,
        handle: 265,
        unshare: 97,
        setns: 268,
        renameat2: 276,
      }
    : {
        mount: 165,
        umount2: 166,
        ptrace: 101,
        keyctl: 250,
        bpf: 321,
        handle: 304,
        unshare: 272,
        setns: 308,
        renameat2: 316,
      };

/** Makes a system call and says how the kernel answered. */
export function call(number: number, args: string): string {
  return `perl -e 'my @a = (${args}); my $r = syscall(${number}, @a); print $r < 0 ? "errno " . ($! + 0) : "done", "\\n"'`;
}
