import { examinedCalls, forbiddenCalls, unknownCalls } from "../../src/sandbox/plan/seccomp.ts";
import { type Attempt, call } from "./attempt.ts";

const column = process.arch === "arm64" ? 1 : 0;

function numbersOf(calls: Readonly<Record<string, readonly number[]>>): readonly number[] {
  return Object.values(calls).flatMap((numbers) => numbers[column] ?? []);
}

function number(name: string): number {
  const known = { ...examinedCalls, ...forbiddenCalls }[name]?.at(column);
  if (known === undefined) throw new Error(`This machine has no ${name}`);
  return known;
}

/** Makes all of these calls and says how often each answer came. */
function callAll(numbers: readonly number[]): string {
  const made = numbers.map((one) => call(one, "0, 0, 0, 0, 0, 0")).join("; ");
  return `{ ${made}; } | sort | uniq -c`;
}

/** A program of 64 bits that asks the kernel as one of 32 bits would: `exit(42)` through interrupt 0x80. */
const oldInterface = [
  'perl -e \'print pack("C16 S2 L Q3 L S6", 127, 69, 76, 70, 2, 1, 1, (0) x 9, 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0),',
  'pack("L2 Q6", 1, 5, 0, 0x400000, 0x400000, 132, 132, 4096), pack("H*", "b801000000bb2a000000cd80")\' > made-old;',
  "chmod +x made-old; ./made-old; echo end $?",
].join(" ");

/** What the filter of system calls and the limits hold, tried for real. */
export const attemptsOnTheKernel: readonly Attempt[] = [
  {
    name: "any call that reaches past the sandbox",
    text: () => callAll(numbersOf(forbiddenCalls)),
    says: new RegExp(`^ *${numbersOf(forbiddenCalls).length} errno 1\\n$`),
  },
  {
    name: "any call whose arguments cannot be examined",
    text: () => callAll(numbersOf(unknownCalls)),
    says: new RegExp(`^ *${numbersOf(unknownCalls).length} errno 38\\n$`),
  },
  ...(process.arch === "x64"
    ? [
        {
          name: "the interface for 32 bits",
          text: () => oldInterface,
          says: /^end (159|126)$/m,
        },
        {
          name: "the interface with 32-bit pointers",
          text: () => call(0x40000000 + number("ptrace"), "0, 0, 0, 0"),
          says: /errno 38$/m,
        },
      ]
    : []),
  {
    name: "a user namespace by clone",
    text: () => call(number("clone"), "0x10000011, 0, 0, 0, 0"),
    says: /errno 1$/m,
  },
  {
    name: "the memory of another process",
    text: () =>
      `sleep 5 & ${call(number("process_vm_readv"), "$$, 0, 0, 0, 0, 0")}; cat /proc/$!/mem | head -c 1; kill $!`,
    says: /errno 1$/m,
  },
  {
    name: "a set-user-ID file by chmod",
    text: () =>
      "touch made-set; chmod u+s made-set; chmod 2755 made-set; chmod 6777 made-set; stat -c 'mode %a' made-set",
    says: /^mode [0-7]{3}$/m,
  },
  {
    name: "a set-user-ID file by its creation",
    text: () =>
      `perl -e 'use Fcntl; umask 0; sysopen(F, "made-created", O_CREAT|O_WRONLY, 04755) or print "errno ", $! + 0, "\\n"'; ls made-created`,
    says: /errno 1\n[\s\S]*No such file/,
  },
  {
    name: "a set-group-ID file by mknod",
    text: () => call(number("mknodat"), '-100, "made-node", 0102755, 0'),
    says: /errno 1$/m,
  },
  {
    name: "a set-user-ID file by copying one",
    text: () => "cp -p set-id made-copy 2>&1; stat -c 'mode %a' made-copy 2>&1; echo end",
    says: /^(mode [0-7]{3}|.*No such file.*)\nend$/m,
  },
  {
    name: "a device by its number",
    text: () => call(number("mknodat"), '-100, "made-null", 0020666, 0x103'),
    says: /errno 1$/m,
  },
  {
    name: "a device that a rename leaves behind",
    text: () =>
      `touch made-moved; ${call(number("renameat2"), '-100, "made-moved", -100, "made-there", 4')}; ls -l made-moved`,
    says: /errno 1\n-/,
  },
  {
    name: "a personality where all data is code",
    text: () => call(number("personality"), "0x400000"),
    says: /errno 1$/m,
  },
  {
    name: "more processes than its share",
    text: () =>
      `perl -e 'my $n = 0; while ($n < 600) { my $p = fork; last unless defined $p; if (!$p) { sleep 100; exit } $n++ } print $n < 300 ? "held\\n" : "not held\\n"; kill 9, -$$'; echo end`,
    says: /^held$/m,
  },
];
