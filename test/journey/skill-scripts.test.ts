import { chmodSync, copyFileSync, cpSync, existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { createGauntlet } from "../../src/index.ts";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const folder = ".claude/skills/release";
const script = `${folder}/scripts/publish.sh`;

/** A skill that nobody trusts, and other ways to its script that lay there before. */
function project() {
  const workspace = makeWorkspace({
    [`${folder}/SKILL.md`]: "---\ndescription: Publishes it.\n---\nRun scripts/publish.sh.\n",
    [script]: "#!/bin/sh\necho published > ran.txt\n",
    [`${folder}/scripts/notify.js`]: "console.log('told everybody')\n",
    [`${folder}/scripts/mod.py`]: "print('module')\n",
    [`${folder}/Makefile`]: "all:\n\techo made\n",
    [`${folder}/LICENSE.txt`]: "Do as you like.\n",
    "packages/a/LICENSE.txt": "Do as you like.\n",
    "packages/a/Makefile": "all:\n\ttrue\n",
    "src/index.js": "console.log('index')\n",
    "build.sh": "echo built\n",
    "list.txt": `${script}\n`,
    "dirs.txt": `${folder}\n`,
    "src/test/a.test.js": "1\n",
    "odd/a b.js": "2\n",
  });
  chmodSync(workspace.path(script), 0o755);
  linkSync(workspace.path(script), workspace.path("hard.sh"));
  symlinkSync(script, workspace.path("soft.sh"));
  symlinkSync(".claude/skills", workspace.path("sk"));
  copyFileSync(workspace.path(script), workspace.path("copy.sh"));
  symlinkSync("copy.sh", workspace.path("linked.sh"));
  copyFileSync(workspace.path(`${folder}/scripts/notify.js`), workspace.path("tell.js"));
  copyFileSync(workspace.path(`${folder}/scripts/mod.py`), workspace.path("mod.py"));
  cpSync(workspace.path(folder), workspace.path("copied/release"), { recursive: true });
  return workspace;
}

async function open(workspace = project(), mode: Mode = "default") {
  const { root, state: store, home } = workspace;
  const gauntlet = await createGauntlet({ workspace: root, store, home, mode, onAsk: agreeable() });
  onTestFinished(() => gauntlet.close());
  return gauntlet;
}

/** What each comes to where nobody is asked about anything that somebody else can settle. */
async function inMode(mode: Mode, commands: readonly string[], workspace = project()) {
  const gauntlet = await open(workspace, mode);
  const found: Record<string, string> = {};
  for (const command of commands) {
    const { decision, reason } = await gauntlet.explain({ tool: "bash", input: { command } });
    found[command] = `${decision}${reason.includes("gauntlet trust") ? ", because of the skill" : ""}`;
  }
  return found;
}

const modes = ["auto", "bypass"] as const;

const all = (commands: readonly string[], outcome: string) =>
  Object.fromEntries(commands.map((command) => [command, outcome]));

/** What is certain to run it. */
const denied = [
  // By its name, however it is written.
  `sh ${script}`,
  `./${script}`,
  `sh ./.claude/../.claude//skills/release/./scripts/publish.sh`,
  `sh .{claude,x}/skills/release/scripts/publish.sh`,
  `bash -c 'sh .cla""ude/skills/release/scripts/publish.sh'`,
  `d=.claude; sh "$d"/skills/release/scripts/publish.sh`,
  `/bin/sh "$PWD/${script}"`,
  // By another name of the same file.
  "sh hard.sh",
  "./hard.sh",
  "sh soft.sh",
  "./soft.sh",
  "sh sk/release/scripts/publish.sh",
  "cd sk/release && ./scripts/publish.sh",
  // By a pattern.
  "bash .claude/skills/*/scripts/pub*",
  "bash .c*/*/*/*/*",
  "sh .c?aude/skills/release/scripts/publish.sh",
  "sh .[c]laude/skills/release/scripts/publish.sh",
  "sh .[[:alpha:]]laude/skills/release/scripts/publish.sh",
  `for f in ${folder}/scripts/*; do sh "$f"; done`,
  `bash ${folder}/scripts/later*`,
  // Behind other programs.
  `env sh ${script}`,
  `env -S 'sh ${script}'`,
  `nice -n 5 ${script}`,
  `nohup ${script}`,
  `timeout 5 ${script}`,
  `command sh ${script}`,
  `exec ${script}`,
  `busybox sh ${script}`,
  `run-parts ${folder}/scripts`,
  `parallel sh ::: ${script}`,
  `echo ${script} | xargs sh`,
  `ls ${folder}/scripts | xargs -I{} sh ${folder}/scripts/{}`,
  `find ${folder} -name '*.sh' -exec sh {} \\;`,
  // From its directory.
  `cd ${folder}/scripts && ./publish.sh`,
  "cd .claude && cd skills && cd release/scripts && . ./publish.sh",
  "cd .claude/sk* && sh release/scripts/publish.sh",
  `pushd ${folder}/scripts && sh publish.sh`,
  `(cd ${folder} && sh scripts/publish.sh)`,
  `PATH=${folder}/scripts:$PATH publish.sh`,
  // Into the shell that reads it.
  `source ${script}`,
  `. ${script}`,
  `eval "$(cat ${script})"`,
  `sh <(cat ${script})`,
  `bash <<< "$(cat ${script})"`,
  `cat ${script} | sh`,
  // As a copy, made and run in one.
  `cp ${script} a.sh && sh a.sh`,
  `cp -r ${folder} x && sh x/scripts/publish.sh`,
  `ln ${script} a.sh && sh a.sh`,
  `ln -s ${script} a.sh; ./a.sh`,
  `mv ${folder} x && sh x/scripts/publish.sh`,
  `install -m 755 ${script} x.sh && ./x.sh`,
  `cat ${script} > x.sh; sh x.sh`,
  `tee x.sh < ${script} && sh x.sh`,
  "exec > z.sh; cat .claude/*/*/*/publish.sh; sh z.sh",
  "cat .claude/*/*/*/publish.sh > parts/z; run-parts parts",
  // From here, wherever that is.
  `sh ~+/${script}`,
  `python3 ~+/${folder}/scripts/mod.py`,
  // By a program that looks for more below a pattern.
  "node --test '.claude/**/*.js'",
  // Behind another descriptor.
  `node /dev/stdin < ${folder}/scripts/notify.js`,
  `python3 /dev/fd/3 3< ${folder}/scripts/mod.py`,
  `make -f /dev/fd/3 3< ${folder}/Makefile`,
  `make -f - < ${folder}/Makefile`,
  `make -f- < ${folder}/Makefile`,
  `make -f <(cat ${folder}/Makefile)`,
  // As code, and fed to code that runs it.
  `python3 -c "$(cat ${folder}/scripts/mod.py)"`,
  `node -e "$(cat .claude/*/*/*/notify.js)"`,
  `X=$(cat ${folder}/scripts/mod.py); python3 -c "$X"`,
  `python3 -c 'import sys; exec(sys.stdin.read())' < ${folder}/scripts/mod.py`,
  `node -e 'eval(require("fs").readFileSync(0, "utf8"))' < ${folder}/scripts/notify.js`,
  `echo 'exec(open("${folder}/scripts/mod.py").read())' | python3`,
  `python3 <<'EOF'\nimport runpy\nrunpy.run_path("${folder}/scripts/mod.py")\nEOF`,
  // By a program that reads commands, whatever its words.
  `python3 -i build.py < ${folder}/scripts/mod.py`,
  `python3 -m code < ${folder}/scripts/mod.py`,
  `python3 manage.py shell < ${folder}/scripts/mod.py`,
  `node -r ./src/index.js < ${folder}/scripts/notify.js`,
  `npx tsx < ${folder}/scripts/notify.js`,
  `uv run python < ${folder}/scripts/mod.py`,
  `cat ${folder}/scripts/mod.py | uv run python`,
  `cat ${folder}/scripts/notify.js | npx tsx`,
  `deno run - < ${folder}/scripts/notify.js`,
  // By code that starts beside it.
  `cd .claude/skills && node -e 'require(process.cwd()+"/release/scripts/notify.js")'`,
];

/** Copies, code that puts the path together, and names that only the running shell knows: project code like any other. */
const ordinary = [
  "sh copy.sh",
  "nice ./copy.sh",
  "cp -r .claude c && sh c/skills/release/scripts/publish.sh",
  "find . -name 'publish.sh' -exec sh {} +",
  "find . -name 'publish.sh' -exec {} \\;",
  "find . -name 'publish.sh' -execdir ./{} \\;",
  "find . -name 'publish.sh' | xargs sh",
  "find . -name 'publish.sh' -print0 | xargs -0 -n1 nice sh",
  "xargs sh < list.txt",
  "xargs -a list.txt sh",
  'while read f; do sh "$f"; done < list.txt',
  "for f in $(find . -name publish.sh); do sh $f; done",
  "sh $(git ls-files '*.sh')",
  "sh s?/*/scripts/*",
  "shopt -s dotglob globstar; sh **/publish.sh",
  `PATH=$PWD/${folder}/scripts publish.sh`,
  "parallel sh :::: list.txt",
  "make -C $(cat dirs.txt)",
  'while read d; do make -C "$d"; done < dirs.txt',
  "xargs -I% npm --prefix % test < dirs.txt",
  "node --test src/index.js $(cat list.txt)",
  "npx eslint -c $(find . -name notify.js) src",
  'python3 -c "import $X"',
  "python3 ~nobody/mod.py",
  "for f in odd/*; do node $f; done",
  "pytest .claude",
  "python3 -m pytest .claude/skills",
  // What only the repository holds, or what a tree prints, fed to a program that runs it.
  "git cat-file blob abc1234 | python3",
  "git log -p | node",
  "git ls-files | xargs cat | python3",
  "find . -name mod.py -exec cat {} + | python3",
  // Written by one command from a tree that another reads, and run.
  "cat .claude/*/*/*/publish.sh > z.sh; sh z.sh",
  "> z.sh cat .claude/*/*/*/publish.sh; sh z.sh",
  "cat .claude/*/*/*/publish.sh > z.sh && chmod +x z.sh && ./z.sh",
  "cat $(find . -name publish.sh) > z2.sh; sh z2.sh",
  "sed '' .claude/*/*/*/publish.sh > z.sh; . ./z.sh",
  "awk 1 .claude/*/*/*/publish.sh > z.sh; bash z.sh",
  "find . -name publish.sh -exec cat {} + > z.sh; sh z.sh",
  "find . -name publish.sh | xargs cat > z.sh; sh z.sh",
  "find . -name publish.sh > z; sh z",
  'for f in .claude/*/*/*/publish.sh; do cat "$f"; done > z.sh; sh z.sh',
  "{ cat .claude/*/*/*/publish.sh; echo more; } > z.sh; sh z.sh",
  "grep -rh '' . > z.sh; sh z.sh",
  "rg --hidden -N -I '' . > z.sh; sh z.sh",
  "git grep -h '' > z.sh; sh z.sh",
  "git grep -h '' | tee z.sh; ./z.sh",
  "cat .claude/*/*/*/publish.sh | cat build.sh - > z.sh; sh z.sh",
  'x=$(cat .claude/*/*/*/publish.sh); echo "$x" > z; sh z',
  "cat .claude/*/*/*/publish.sh > z.txt; sh z.txt",
  "cat .claude/*/*/*/publish.sh > z.txt; cp z.txt z; sh z",
  "cat .claude/*/*/*/publish.sh > z.txt; mv z.txt z; sh z",
  "cat .claude/*/*/*/publish.sh > z.txt; echo '. ./z.txt' > r.sh; sh r.sh",
  "cat .claude/*/*/*/notify.js > z.js; node z",
  "cat .claude/*/*/*/mod.py > z.py; python3 -m z",
  "cat .claude/*/*/Makefile > Makefile; make",
  // Brought to where nothing is yet.
  `git checkout-index -a --prefix=dd/ && sh dd/${script}`,
  `tar xf x.tar -C dd && sh dd/${script}`,
  `tar xf x.tar -C dd && cd dd/${folder}/scripts && sh publish.sh`,
  "tar xf x.tar -C dd --strip-components=4 && sh dd/publish.sh",
  `git clone . dd/cl && sh dd/cl/${script}`,
  `git clone . dd && make -C dd/${folder}`,
  `git clone . dd && node dd/${folder}/scripts/notify`,
  // A copy that lay there before, by a link, its directory, or as a module.
  "sh linked.sh",
  "./linked.sh",
  "source linked.sh",
  "make -C copied/release",
  "cd copied/release && make",
  "node tell",
  "node ./tell",
  "node -e 'require(\"./tell\")'",
  "cd copied/release/scripts && python3 -m mod",
  "python3 -m copied.release.scripts.mod",
  "PYTHONPATH=copied/release/scripts python3 -m mod",
  // The same by a pattern, fed, or brought to another name.
  "make -C copied/rel*",
  "npm --prefix copied/rel* test",
  "node tel*",
  "python3 m?d.py",
  "python3 $(find copied -name mod.py)",
  "find copied -name mod.py -exec python3 {} +",
  'for f in copied/release/scripts/*.py; do python3 "$f"; done',
  "cat mod.py | python3",
  "python3 < mod.py",
  "cat copied/*/scripts/mod.py | python3",
  "cat $(find copied -name mod.py) | python3",
  "cp copy.sh z.sh && sh z.sh",
  "cat mod.py > z.py; python3 z.py",
  "python3 -c 'import copied.release.scripts.mod'",
  "python3 -c 'from copied.release import scripts'",
  "echo 'import copied.release.scripts.mod' | python3",
  // Code that puts its path together.
  `python3 <<< 'exec(open(".cla" + "ude/skills/release/scripts/mod.py").read())'`,
  `node -e 'require(process.cwd()+"/${folder}/scripts/notify.js")'`,
  `node -p 'require(process.cwd()+"/.claude/"+"skills/release/scripts/notify"+".js")'`,
  `node --eval='require(process.cwd()+"/${folder}/scripts/notify.js")'`,
  `env python3 -c 'import os; exec(open(os.getcwd()+"/${folder}/scripts/mod.py").read())'`,
];

/** What is none of it. */
const free = [
  `cat ${folder}/SKILL.md`,
  `ls -la ${folder}`,
  "grep -r echo .claude/skills",
  "grep -r echo . > found.txt",
  "find . -name '*.sh'",
  "wc -l .claude/skills/*/SKILL.md",
  "sh build.sh",
  "npm test",
  "grep -r echo . > found.txt && npm test",
  "node --test ./*/*/*/*/*.sh",
  "git diff > change.patch && npm test",
  "rg -l echo . | tee files; npm test",
  "rg --json echo . > hits.json; npm test",
  "git grep -n echo > found.txt && echo saved to found.txt && npm test",
  "git status; echo 'echo hi' > t.sh; sh t.sh",
  "git status && sed -i 's/a/b/' src/index.js && node src/index.js",
  "git status && cp src/index.js other.js && node other.js",
  "grep -rn echo . ; mkdir -p out; touch out/a; npm test",
  "cat src/*.js > bundle.js && node bundle.js",
  "make -C packages/a",
  "cd packages/a && make",
  "npx eslint src",
  "npx eslint .",
  "git add copied",
  'git commit -m "Adds scripts/publish.sh"',
  "npm run build && node dist/index.js",
  "python3 -m pytest",
  "node -e 'require(\"./src/index.js\")'",
  "python3 -c 'print(1)'",
  "node build.js",
  "cat a | grep b",
  "npm test 2>&1 | tail -20",
  "npm test < list.txt",
  "make -j$(nproc)",
  'make -j"$(nproc)" test',
  'npm run build -- --mode "$MODE"',
  'node build.js --mode "$MODE"',
  './build.sh "$MODE"',
  "python3 tools/convert.py < list.txt > out.csv",
  "git diff | node src/index.js",
  "cat list.txt | node src/index.js",
  "git log --oneline | python3 -c 'import sys; print(len(sys.stdin.readlines()))'",
  "git log -p | perl -ne 'print if /echo/'",
  `cat ${folder}/SKILL.md | python3 -c 'import sys; print(len(sys.stdin.read()))'`,
  "git status && echo 'print(1)' | python3",
  "git status; python3 - <<'EOF'\nprint(1)\nEOF",
  "cat src/*.js | node",
  "for f in src/*.js; do node --check $f; done",
  "for f in src/*.js; do node $f; done",
  'for f in src/test/*.js; do node --test "$f"; done',
  "node --test $(find src -name '*.test.js')",
  "find src -name '*.js' -exec node {} \\;",
  "git ls-files '*.js' | xargs npx eslint --fix",
  "git diff --name-only | xargs npx prettier --write",
  "npx prettier --check .claude",
  "git log -1 --format=%B | npx commitlint",
  'git commit -m "$(cat list.txt)"',
  "git commit -F - < list.txt",
  "perl -pi -e 's/a/b/' $(git ls-files src)",
];

/** The same for whatever runs what it is fed, or what it is named. */
const interpreters = ["sh", "bash", "python3", "node", "perl", "ruby"] as const;
const deniedOf = (program: string) => [
  `${program} < ${script}`,
  `${program} - < ${script}`,
  `cat ${script} | ${program}`,
  `tail -n +1 ${script} | ${program} -`,
  `${program} < <(cat ${script})`,
  `${program} <(cat ${script})`,
  `${program} <<< "$(cat ${script})"`,
  `{ ${program}; } < ${script}`,
  `timeout 5 ${program} < ${script}`,
  `cat .claude/*/*/*/publish.sh | ${program}`,
  `printf '%s\\n' ${script} | xargs ${program}`,
  `ls ${folder}/scripts/*.sh | xargs -n1 ${program}`,
  `for f in .cl*/sk*/*/*/publish.sh; do ${program} $f; done`,
  `git show HEAD:${script} | ${program}`,
];
const ordinaryOf = (program: string) => [
  `find . -name publish.sh -exec ${program} {} \\;`,
  `find . -name publish.sh | xargs ${program}`,
  `find . -name publish.sh | while read f; do ${program} "$f"; done`,
  `git ls-files -o '*publish.sh' | xargs ${program}`,
  `${program} $(find . -name publish.sh)`,
  `xargs ${program} < list.txt`,
  `xargs -a list.txt ${program}`,
  `cat list.txt | xargs -I% ${program} %`,
  `while read f; do ${program} "$f"; done < list.txt`,
  `mapfile -t all < list.txt; ${program} "\${all[@]}"`,
  `${program} $(cat list.txt)`,
  `${program} "$(<list.txt)"`,
  `${program} "$UNSET"`,
  `find . -name publish.sh | xargs cat | ${program}`,
  `cat $(find . -name publish.sh) | ${program}`,
];

describe("a script of a skill that nobody trusts", () => {
  test.each(modes)("does not run in mode %s, however it is named", async (mode) => {
    expect(await inMode(mode, denied)).toEqual(all(denied, "deny, because of the skill"));
  });

  test.each(modes)("is project code in mode %s as a copy, or where only the running command knows", async (mode) => {
    expect(await inMode(mode, ordinary)).toEqual(all(ordinary, "allow"));
    const tree = `git worktree add wt && sh wt/${script}`;
    expect(await inMode(mode, [tree])).toEqual({ [tree]: mode === "auto" ? "ask" : "allow" });
  });

  test.each(interpreters)("does not run by %s, fed or named", async (program) => {
    const [no, yes] = [deniedOf(program), ordinaryOf(program)];
    for (const mode of modes) {
      expect(await inMode(mode, no)).toEqual(all(no, "deny, because of the skill"));
      expect(await inMode(mode, yes)).toEqual(all(yes, "allow"));
    }
  });

  test("is its SKILL.md as well", async () => {
    const workspace = makeWorkspace({ [`${folder}/SKILL.md`]: "---\ndescription: A.\n---\n", "list.txt": "x\n" });
    const commands = [`sh ${folder}/SKILL.md`, "sh .claude/*/*/SKILL.md", "cat .claude/*/*/SKILL.md | sh"];
    expect(await inMode("auto", commands, workspace)).toEqual(all(commands, "deny, because of the skill"));
    const none = [
      "npm test",
      "cat list.txt > z; sh z",
      "node src/index.js < list.txt",
      "cat .claude/*/*/SKILL.md > z; sh z",
      "xargs sh < list.txt",
      "sh $(find . -name SKILL.md)",
    ];
    expect(await inMode("auto", none, workspace)).toEqual(all(none, "allow"));
  });

  test("takes nothing from commands that have to do with none", async () => {
    expect(await inMode("bypass", free)).toEqual(all(free, "allow"));
  });

  test("did not run by a hard link, and not from a directory that an earlier command went to", async () => {
    const workspace = project();
    const gauntlet = await open(workspace);
    expect(await gauntlet.call({ tool: "bash", input: { command: "sh hard.sh" } })).toMatchObject({
      code: "policy_denied",
      effects: { happened: "nothing" },
    });
    expect(await gauntlet.call({ tool: "bash", input: { command: `cat ${script} | node` } })).toMatchObject({
      code: "policy_denied",
      effects: { happened: "nothing" },
    });
    expect(await gauntlet.call({ tool: "bash", input: { command: `cd ${folder}/scripts` } })).toMatchObject({
      ok: true,
    });
    expect(await gauntlet.call({ tool: "bash", input: { command: "sh publish.sh" } })).toMatchObject({
      code: "policy_denied",
    });
    expect([existsSync(workspace.path("ran.txt")), existsSync(workspace.path(`${folder}/scripts/ran.txt`))]).toEqual([
      false,
      false,
    ]);
  });

  test("is no rule's to allow, and a copy of it is", async () => {
    const { root, state: store, home } = project();
    const settings = { permissions: { allow: ["Bash(sh:*)", "Bash(find:*)", "Bash(node:*)"] } };
    const gauntlet = await createGauntlet({ workspace: root, store, home, settings });
    onTestFinished(() => gauntlet.close());
    const run = (command: string) => gauntlet.call({ tool: "bash", input: { command } });
    expect(await run(`sh ${script}`)).toMatchObject({ code: "policy_denied" });
    expect(await run("sh copy.sh")).toMatchObject({ ok: true });
    expect(await run("node < tell.js")).toMatchObject({ ok: true });
    expect(await run("sh build.sh")).toMatchObject({ ok: true });
  });

  test("behind a place that is a link counts by both names", async () => {
    const workspace = makeWorkspace({
      "shared/a/SKILL.md": "---\ndescription: A.\n---\n",
      "shared/a/run.sh": "true\n",
    });
    mkdirSync(workspace.path(".claude"));
    symlinkSync("../shared", workspace.path(".claude/skills"));
    const gauntlet = await open(workspace, "bypass");
    for (const command of ["sh shared/a/run.sh", "sh .claude/skills/a/run.sh"]) {
      expect(await gauntlet.explain({ tool: "bash", input: { command } })).toMatchObject({ decision: "deny" });
    }
  });

  test("leaves a project without one alone", async () => {
    const workspace = makeWorkspace({ "build.sh": "true\n" });
    writeFileSync(workspace.path("list.txt"), "build.sh\n");
    const gauntlet = await open(workspace, "bypass");
    for (const command of [
      "xargs sh < list.txt",
      "find . -name '*.sh' -exec sh {} +",
      "cp build.sh x && sh x",
      "cat *.sh > z.sh; sh z.sh",
      "grep -rh '' . > z.sh; sh z.sh",
      "node -e 'require(process.cwd()+\"/.claude/skills/a.js\")'",
      ...interpreters.flatMap((program) => [...deniedOf(program), ...ordinaryOf(program)]),
    ]) {
      expect(await gauntlet.explain({ tool: "bash", input: { command } })).toMatchObject({ decision: "allow" });
    }
  });
});
