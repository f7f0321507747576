import type { EntryExamples } from "./entry-examples.ts";

export const wrapperExamples: readonly EntryExamples[] = [
  {
    entry: "timeout",
    examples: {
      match: ["timeout 5 ls", "timeout -k 1 5s cat a"],
      noMatch: ["timeout 5 rm x", "timeout 5", "timeout -x 5 ls"],
    },
  },
  { entry: "nice", examples: { match: ["nice ls", "nice -n 10 cat a"], noMatch: ["nice rm x", "nice", "nice -x ls"] } },
  { entry: "ionice", examples: { match: ["ionice -c3 cat a"], noMatch: ["ionice -p 1", "ionice rm x"] } },
  { entry: "nohup", examples: { match: ["nohup ls"], noMatch: ["nohup rm x", "nohup"] } },
  { entry: "stdbuf", examples: { match: ["stdbuf -oL cat a"], noMatch: ["stdbuf -oL rm x", "stdbuf --x ls"] } },
  {
    entry: "time",
    examples: { match: ["/usr/bin/time -v ls"], noMatch: ["/usr/bin/time -o x ls", "/usr/bin/time rm x"] },
  },
  { entry: "taskset", examples: { match: ["taskset -c 0 ls"], noMatch: ["taskset -p 1 2", "taskset 1 rm x"] } },
  {
    entry: "env",
    examples: {
      match: ["env", "env LC_ALL=C sort a", "env -u FOO ls"],
      noMatch: [
        "env PATH=. ls",
        "env -S 'ls' x",
        "env rm x",
        "env -C / ls",
        "env -i git status",
        "env -u GIT_CONFIG_COUNT git status",
        "env -uPATH ls",
      ],
    },
  },
  {
    entry: "xargs",
    examples: {
      match: ["xargs echo", "xargs -0 -n1 basename", "xargs -I{} echo x {}", "xargs", "xargs -a a echo"],
      noMatch: [
        "xargs rm",
        "xargs sh -c",
        "xargs -a ../x echo",
        "xargs -a a cat",
        "xargs -I{} sh -c 'echo {}'",
        "xargs -p ls",
        "xargs sort",
        "xargs -I{} -n2 echo",
      ],
    },
  },
];

export const testExamples: readonly EntryExamples[] = [
  {
    entry: "test",
    examples: {
      match: [
        "test -f a",
        "[ -d src ]",
        '[ "$x" = y ]',
        "[ 1 -lt 2 ]",
        "[ ! -e a ]",
        "[ a = b -a c = d ]",
        '[ -z "$x" ]',
        "[ -t 0 ]",
        "[ ! -t 2 ]",
      ],
      noMatch: [
        "test -v x",
        "[ -t x ]",
        "[ -t 'a[$(x)]' ]",
        '[ -t "$x" ]',
        "[ -t 1 2 ]",
        "[ 1 -t 1 ]",
        "[ -f a",
        "[ $x = y ]",
        "[ a b ]",
        "[ -o x ]",
      ],
    },
  },
];
