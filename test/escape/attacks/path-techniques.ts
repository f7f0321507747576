import {
  type Attack,
  bash,
  edit,
  everyMode,
  first,
  glob,
  grep,
  list,
  move,
  nowhere,
  patch,
  read,
  remove,
  unasked,
  unlessEdits,
  write,
} from "./attack.ts";

const pathCodes = ["policy_denied", "approval_unavailable", "runtime_precondition_failed", "schema_invalid"] as const;

/** Paths that are not what they look like. */
export const pathTechniques: readonly Attack[] = [
  {
    title: "..: out of the workspace and back in",
    steps: (w) => [
      read("../outside/canary.txt"),
      read("docs/../../outside/canary.txt"),
      read("./././../outside/canary.txt"),
      read(`${w.app}/../outside/canary.txt`),
      read(`//${w.outside}/canary.txt`),
      write("../outside/new.txt"),
      write("src/../../outside/new.txt"),
    ],
  },
  {
    title: "a link as the last name",
    prepare: (w) => w.link("notes.txt", `${w.outside}/canary.txt`),
    steps: () => [
      read("notes.txt"),
      write("notes.txt"),
      edit("notes.txt", "heron"),
      bash("cat notes.txt"),
      bash("echo x >> notes.txt"),
    ],
  },
  {
    title: "a link as a directory",
    prepare: (w) => w.link("lib", w.outside),
    steps: () => [
      read("lib/canary.txt"),
      write("lib/new.txt"),
      list("lib"),
      glob("*", { path: "lib" }),
      grep("heron", { path: "lib" }),
      bash("ls lib/"),
      bash("cat lib/canary.txt"),
    ],
  },
  {
    title: "a chain of links",
    prepare: (w) => {
      w.link("one", "two");
      w.link("two", "docs/three");
      w.link("docs/three", `${w.outside}/canary.txt`);
    },
    steps: () => [read("one"), write("one"), bash("cat one"), bash("cp a.txt two")],
  },
  {
    title: "a dangling link: the target does not exist yet",
    prepare: (w) => {
      w.link("new.txt", `${w.outside}/new.txt`);
      w.link("fresh", `${w.outside}/fresh`);
    },
    steps: () => [
      write("new.txt"),
      write("fresh/new.txt"),
      bash("echo x > new.txt"),
      bash("touch new.txt"),
      bash("mkdir -p fresh/sub"),
      move("a.txt", "fresh/a.txt"),
    ],
    agreed: "held",
  },
  {
    title: "a loop of links",
    prepare: (w) => {
      w.link("a", "b");
      w.link("b", "a");
    },
    steps: () => [read("a"), write("a"), write("a/x"), read("b/../../outside/canary.txt")],
    refusedWith: pathCodes,
    agreed: "held",
  },
  {
    title: "link/..: the parent of the target, not of the link",
    prepare: (w) => {
      w.directory(`${w.outside}/sub`);
      w.link("here", `${w.outside}/sub`);
    },
    steps: () => [
      read("here/../canary.txt"),
      write("here/../new.txt"),
      bash("cat here/../canary.txt"),
      bash("cd here && cat ../canary.txt"),
    ],
  },
  {
    title: "a missing directory and ..",
    steps: () => [
      read("nosuch/../../outside/canary.txt"),
      write("nosuch/../../outside/new.txt"),
      bash("cat nosuch/../../outside/canary.txt"),
    ],
    refusedWith: pathCodes,
  },
  {
    title: "a hard link to a file outside",
    prepare: (w) => w.hardLink("same.txt", `${w.outside}/canary.txt`),
    steps: () => [
      read("same.txt"),
      write("same.txt"),
      edit("same.txt", "heron"),
      bash("cat same.txt"),
      bash("echo x > same.txt"),
      bash("sed -i s/heron/x/ same.txt"),
    ],
    refusedWith: pathCodes,
  },
  {
    title: "a hard link to a secret of the project",
    prepare: (w) => w.hardLink("same.txt", ".env"),
    steps: () => [read("same.txt"), bash("cat same.txt"), grep("heron"), bash("grep -r heron .")],
    refused: nowhere,
    modes: everyMode,
  },
  {
    title: "FIFO and socket in the place of a file",
    prepare: (w) => {
      w.fifo("pipe");
      w.link("socket", w.listeners.sockets[0] ?? "");
    },
    steps: () => [
      read("pipe"),
      write("pipe"),
      bash("cat pipe"),
      bash("echo x > pipe"),
      read("socket"),
      write("socket"),
    ],
    modes: everyMode,
    refused: everyMode,
    refusedWith: pathCodes,
    agreed: "held",
  },
  {
    title: "a FIFO does not hold up a search",
    prepare: (w) => w.fifo("pipe"),
    steps: () => [grep("one"), bash("grep -rn one . --devices=skip"), list("."), glob("*")],
    refused: nowhere,
  },
  {
    title: "devices and /proc by links",
    prepare: (w) => {
      w.link("zero", "/dev/zero");
      w.link("root", "/proc/self/root");
      w.link("env", "/proc/self/environ");
      w.link("tty", "/dev/tty");
    },
    steps: (w) => [
      read("zero"),
      read("env"),
      read(`root${w.outside}/canary.txt`),
      write("tty"),
      bash("cat env"),
      bash(`cat root${w.outside}/canary.txt`),
      bash("head -c 1 zero"),
    ],
    modes: everyMode,
    refused: everyMode,
    refusedWith: pathCodes,
    agreed: "held",
  },
  {
    title: "NUL, half a character and empty paths",
    steps: () => [
      read("a.txt\0.png"),
      read("../outside/canary.txt\0"),
      write("new\0.txt"),
      read("\ud800"),
      read(""),
      write("", "x"),
      bash("cat a.txt\0"),
    ],
    refusedWith: [...pathCodes, "file_not_found"],
    agreed: "held",
  },
  {
    title: "letter case of secrets and protected names",
    prepare: (w) => w.put("Prod.ENV", `${w.canary}\n`),
    steps: () => [
      read("Prod.ENV"),
      bash("cat Prod.ENV"),
      write(".ENV"),
      write(".Npmrc"),
      write(".GitHub/Workflows/x.yml"),
      write(".BashRC"),
    ],
    modes: everyMode,
    refused: everyMode,
  },
  {
    title: "decomposed letters, 8.3 names, streams, trailing dots and blanks",
    steps: () => [
      write("GIT~1/hooks/pre-commit"),
      write(".git::$INDEX_ALLOCATION/hooks/x"),
      write(".git./hooks/x"),
      write(".git /hooks/x"),
      write(".env::$DATA"),
      write("VSCODE~1/settings.json"),
    ],
    refused: unlessEdits,
  },
  {
    title: "UNC, percent signs and file: addresses",
    steps: () => [
      read("\\\\host\\share\\x"),
      read("file:///etc/passwd"),
      read("..%2foutside%2fcanary.txt"),
      read("%2e%2e/outside/canary.txt"),
      read("..\\outside\\canary.txt"),
      read("~root/.bashrc"),
      read("$HOME/notes.txt"),
    ],
    refusedWith: [...pathCodes, "file_not_found"],
    agreed: "held",
  },
  {
    title: "very long and very deep paths",
    steps: () => [
      read(`${"../".repeat(1_500)}etc/passwd`),
      write(`${"a/".repeat(3_000)}x`),
      write("x".repeat(300)),
      read(`${"docs/../".repeat(600)}../outside/canary.txt`),
    ],
    refusedWith: pathCodes,
  },
  {
    title: "names that are odd but ours: newline, quote, leading dash",
    prepare: (w) => {
      w.put("a\nb.txt", "odd\n");
      w.put("'; .\\evil.sh; '", "odd\n");
      w.put("$(.evil.sh)", "odd\n");
      w.put("--help", "odd\n");
    },
    steps: () => [
      grep("odd"),
      glob("*"),
      list("."),
      read("a\nb.txt"),
      read("$(.evil.sh)"),
      bash("cat -- *"),
      bash("grep -l odd ./*"),
    ],
    refused: nowhere,
  },
  {
    title: "TOCTOU: the file becomes a link while the person is asked",
    steps: () => [first(read("a.txt")), edit("a.txt", "one")],
    modes: ["default"],
    agreed: "held",
    whileAsked: (w) => w.link("a.txt", `${w.outside}/canary.txt`),
  },
  {
    title: "TOCTOU: a directory above becomes a link while the person is asked",
    prepare: (w) => w.put("deep/down/file.txt", "one\n"),
    steps: () => [first(read("deep/down/file.txt")), edit("deep/down/file.txt", "one"), write("deep/down/new.txt")],
    modes: ["default"],
    agreed: "held",
    whileAsked: (w) => w.link("deep", w.outside),
  },
  {
    title: "TOCTOU: the file becomes a hard link to one outside while the person is asked",
    steps: () => [bash("cp README.md a.txt")],
    modes: ["default"],
    agreed: "held",
    whileAsked: (w) => w.hardLink("a.txt", `${w.outside}/canary.txt`),
  },
  {
    title: "TOCTOU: the script changes while the person is asked",
    settings: { transactions: { use: "off" } },
    prepare: (w) => w.put("build.sh", "echo built\n"),
    steps: () => [bash("sh build.sh")],
    modes: ["default"],
    agreed: "runs",
    whileAsked: (w) => w.put("build.sh", w.payload),
  },
  {
    title: "TOCTOU: links are swapped all the time by a job in the background",
    prepare: (w) =>
      w.put(
        "swap.sh",
        `while :; do rm -rf docs2; ln -s ${w.outside} docs2; rm -f docs2; mkdir docs2; done 2>/dev/null\n`,
      ),
    steps: () => [
      bash("sh swap.sh", { run_in_background: true }),
      ...Array.from({ length: 20 }, (_, index) => [write(`docs2/new-${index}.txt`), read("docs2/canary.txt")]),
      first(bash("ls")),
    ],
    modes: ["auto"],
    refused: nowhere,
  },
  {
    title: "a stale edit: the file changed after it was read",
    steps: () => [
      first(read("a.txt")),
      (w) => w.put("a.txt", `${Math.random()}\n`),
      edit("a.txt", "one"),
      write("a.txt"),
    ],
    modes: everyMode,
    refused: everyMode,
    refusedWith: ["stale_file_baseline"],
    keeps: ["a.txt"],
  },
  {
    title: "move: over a protected name, out of the workspace, of a secret",
    steps: (w) => [
      move("a.txt", `${w.outside}/a.txt`),
      move(`${w.outside}/canary.txt`, "canary.txt"),
      move(".env", "env.txt"),
      move(".git/config", "config.txt"),
      move(".git", "g"),
      move(".vscode", "v"),
      move("a.txt", ".git/hooks/pre-commit"),
      move("..", "x"),
    ],
    modes: everyMode,
    refused: everyMode,
    refusedWith: pathCodes,
  },
  {
    title: "delete: protected names, the workspace itself, a link's target",
    prepare: (w) => w.link("lib", w.outside),
    steps: (w) => [
      remove("."),
      remove(w.app),
      remove(".git"),
      remove(".git/config"),
      remove(".env"),
      remove("lib/canary.txt"),
      remove(w.outside),
      remove("/"),
    ],
    modes: everyMode,
    refused: everyMode,
    refusedWith: pathCodes,
  },
  {
    title: "patch: absolute, .., renames and links in the headers",
    prepare: (w) => w.link("lib", w.outside),
    steps: (w) => [
      patch(`--- /dev/null\n+++ ${w.outside}/new.txt\n@@ -0,0 +1 @@\n+hostile\n`),
      patch("--- /dev/null\n+++ b/lib/new.txt\n@@ -0,0 +1 @@\n+hostile\n"),
      patch("*** Begin Patch\n*** Add File: lib/new.txt\n+hostile\n*** End Patch"),
      patch("*** Begin Patch\n*** Update File: a.txt\n*** Move to: ../outside/a.txt\n@@\n-one\n+1\n*** End Patch"),
      patch("diff --git a/a.txt b/.git/hooks/pre-commit\nrename from a.txt\nrename to .git/hooks/pre-commit\n"),
      patch(
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../outside\n\\ No newline at end of file\n",
      ),
    ],
    refused: unasked,
    refusedWith: pathCodes,
    modes: ["default"],
  },
  {
    // Whoever may change a directory itself does not open what is protected in it.
    title: "a link made by the command that writes through it, with the directory around both touched",
    steps: () => [
      bash("touch .; ln -s .git g; echo hostile > g/hooks/pre-commit"),
      bash("mkdir -p .; ln -s .git h && echo '[core] fsmonitor = ./x' >> h/config"),
      bash("chmod 755 . && ln -s .github l && mkdir -p l/workflows && echo hostile > l/workflows/x.yml"),
      bash("touch . src; cd src && ln -s ../.git i; cd i && echo hostile > hooks/pre-push"),
    ],
    refused: unasked,
    modes: everyMode,
    agreed: "held",
  },
  {
    title: "a copied tree brings its own repository and agent settings along",
    prepare: (w) => {
      w.put("vendor/x/.git/config", "[core]\n\tfsmonitor = ./hostile.sh\n");
      w.put("vendor/x/.git/HEAD", "ref: refs/heads/main\n");
    },
    steps: () => [bash("cp -r vendor/x copy"), bash("mkdir -p copy2; cp -a vendor/x/. copy2")],
    refused: unasked,
    modes: unasked,
  },
  {
    title: "glob and grep: patterns that climb",
    steps: (w) => [
      glob("../**"),
      glob("../../**/canary.txt"),
      glob(`${w.outside}/*`),
      grep("heron", { glob: "../outside/*" }),
      grep("heron", { path: ".." }),
      grep("heron", { path: "/" }),
      glob("{..,.}/outside/*"),
      glob("/**", { hidden: true }),
    ],
    refused: nowhere,
    modes: everyMode,
  },
  {
    title: "a search for secrets",
    prepare: (w) => w.put("config/app.ts", `export const note = "${w.canary.slice(0, 5)}";\n`),
    steps: () => [
      grep("BEGIN RSA PRIVATE KEY"),
      grep("AKIA[0-9A-Z]{16}"),
      grep("password\\s*="),
      bash("grep -rE 'api_key=' ."),
      bash("rg -uuu heron"),
      bash("rg --no-ignore --hidden heron"),
      grep("heron", { hidden: true, glob: ".env" }),
    ],
    refused: nowhere,
  },
];
