import { expect, test } from "vitest";
import { gateFor, questionOf } from "./asking.ts";
import { makeShellProject } from "./shell-project.ts";

const cores = ["rm -rf .", "cat .env", "git reset --hard"] as const;
const modes = ["default", "auto", "bypass"] as const;

/** `@` stands for the words of a command, `%` for its text in one word. */
const carriers: Readonly<Record<string, readonly string[]>> = {
  launchers: [
    "sudo @",
    "sudo -u root -E @",
    "sudo A=1 @",
    "doas @",
    "su -c '%'",
    "su root -c '%'",
    "runuser -u x -- @",
    "pkexec @",
    "setpriv --reuid 1 @",
    "setsid @",
    "setsid -w @",
    "chroot / @",
    "unshare -r @",
    "nsenter -t 1 @",
    "busybox @",
    "exec @",
    "exec -a x @",
    "flock /tmp/x @",
    "flock x -c '%'",
    "chrt -f 1 @",
    "chrt --idle 0 @",
    "taskset -c 0 @",
    "taskset 1 @",
    "prlimit --nofile=10 @",
    "ionice -c3 @",
    "nice -n 5 @",
    "timeout 5 @",
    "nohup @",
    "stdbuf -oL @",
    "/usr/bin/time -v @",
    "/usr/bin/time -o x @",
    "numactl -N 0 @",
    "systemd-run --user @",
    "firejail @",
    "fakeroot @",
    "faketime now @",
    "sudo env A=1 nice @",
    "sudo bash -c '%'",
    "some-launcher @",
    "some-launcher --flag value @",
    "some-launcher '%'",
    "some-launcher --run='%'",
    "./some-launcher-of-nobody --x; some-launcher @",
  ],
  observers: [
    "strace -f @",
    "strace -o x -f @",
    "ltrace @",
    "gdb --args @",
    "gdb -batch -ex run --args @",
    "gdb -ex 'shell %'",
    "gdb -ex '!%'",
    "perf stat @",
    "perf record -g -- @",
    "watch @",
    "watch -n1 '%'",
    "hyperfine '%'",
    "hyperfine --prepare '%' ls",
    "script -c '%' x",
    "script -qc '%' /dev/null",
    "valgrind --tool=none @",
    "rr record @",
  ],
  runners: [
    "uv run @",
    "uv run --with x @",
    "uv run -- @",
    "poetry run @",
    "pipenv run @",
    "pdm run @",
    "bundle exec @",
    "pnpm exec @",
    "yarn exec @",
    "mise exec -- @",
    "mise x node@20 -- @",
    "direnv exec . @",
    "npx -c '%'",
    "npx --call='%'",
    "npm exec -- @",
    "npm exec -c '%'",
    "bunx @",
    "dash -c '%'",
    "zsh -c '%'",
    "ksh -c '%'",
    "fish -c '%'",
    "rustup run stable @",
    "cmake -E env @",
    "cross-env A=1 @",
    "concurrently '%'",
    "uv run sh -c '%'",
    "uv run some-launcher @",
    "pnpm -r exec @",
    "pnpm --filter x exec @",
    "yarn --cwd . exec @",
    "npm --prefix . exec -- @",
    "lerna exec -- @",
    "nix develop -c @",
  ],
  options: [
    "tar xf a.tar --to-command='%'",
    "tar cf a.tar --checkpoint=1 --checkpoint-action=exec='%' src",
    "find . -exec @ \\;",
    "find . -execdir @ \\;",
    "find . -ok @ \\;",
    "find . -okdir @ \\;",
    "ssh -o ProxyCommand='%' host",
    "ssh -oProxyCommand='%' host",
    "ssh -o 'ProxyCommand %' host",
    "vim -c ':!%' x",
    "vim -c '!%' x",
    "vim '+!%' x",
    "rsync -e '%' a host:b",
    "make --eval='x:;%'",
    "git -c alias.x='!%' x",
    "git -c core.pager='%' log",
    "git -c core.sshCommand='%' fetch",
    "git rebase -x '%' HEAD~1",
    "git rebase --exec '%' HEAD~1",
    "git rebase --exec='%' HEAD~1",
    "git bisect run @",
    "git submodule foreach '%'",
    "GIT_EDITOR='%' git commit",
    "GIT_SSH_COMMAND='%' git fetch",
    "GIT_PAGER='%' git log",
    "PAGER='%' man ls",
    "awk 'BEGIN{system(\"%\")}'",
    "sort --compress-program='%' a",
    "split --filter='%' a",
    "git grep -O'%' x",
    "go test -exec '%' ./...",
    "make SHELL='%' x",
    "sed '1e %' README.md",
  ],
  "shell forms": [
    "eval @",
    "eval '%'",
    "trap '%' EXIT",
    "command @",
    "command -p @",
    "builtin @",
    "env @",
    "env -i @",
    "env -S '%'",
    "env -S'%'",
    "env -C src A=b @",
    "bash -c '%'",
    "bash -lc '%'",
    "bash -ic '%'",
    "bash --norc -c '%'",
    "bash -c -- '%'",
    "sh -c -e '%'",
    "echo $((1 + $(@)))",
    "(( x = $(@) ))",
    "bash <(echo '%')",
    ". <(echo '%')",
    "printf '%' | bash -s",
    "echo '%' | sudo sh",
    "coproc @",
    "time -p @",
    "time @",
    "! @",
    `echo \${x:-$(@)}`,
    "echo $(@)",
    "echo `@`",
    "cat <(@)",
    "x() { @; }; eval x",
    'eval "$x"; @',
    "for i in $y; do @; done",
    "until @; do :; done",
    "select i in a; do @; done",
    "case $x in a) @ ;; esac",
    "bash <<< '%'",
    "echo '%' | sh",
    "xargs @",
    "alias x='%'",
  ],
  "invisible characters": [
    "echo a\u200bb; @",
    "@ # \u202e",
    "echo \u00a0x && @",
    "echo '\ufeff'; @",
    "ls\u2028; @",
    "echo e\u0301; @",
    "\u200b@",
    "echo \u00e9; some-launcher @",
    "echo \u{1f600}\ufe0f; @",
  ],
};

async function notDenied(commands: readonly string[]): Promise<readonly string[]> {
  const fixture = makeShellProject();
  const gate = gateFor(fixture);
  const found: string[] = [];
  for (const command of commands) {
    for (const mode of modes) {
      const { decision, reason } = await gate.judge(await questionOf(fixture, `bash ${command}`, { mode }));
      if (decision !== "deny") found.push(`${decision} in ${mode}: ${command} (${reason})`);
    }
  }
  return found;
}

test.each(Object.entries(carriers))("%s never weaken a refusal", async (_group, forms) => {
  const commands = forms.flatMap((form) => cores.map((core) => form.replace(/[@%](?!\d)/, () => core)));
  expect(await notDenied(commands)).toEqual([]);
});

test("a deny rule on a program finds it behind a launcher", async () => {
  const fixture = makeShellProject();
  const gate = gateFor(fixture, { user: { deny: ["Bash(rm:*)"] } });
  const found: string[] = [];
  const forms = [
    ...Object.values(carriers).flat(),
    "gcc -wrapper rm,src/a.ts -c x.c",
    "gcc -wrapper 'rm,src/a.ts' x.c",
    "make --eval '$(shell rm src/a.ts)'",
  ];
  for (const form of forms) {
    const command = form.replace(/[@%](?!\d)/, "rm src/a.ts");
    const question = await questionOf(fixture, `bash ${command}`, { mode: "auto" });
    const { decision, rule } = await gate.judge(question);
    if (decision !== "deny" || rule === undefined) found.push(command);
  }
  expect(found).toEqual([]);
});

test("words for people to read are not commands", async () => {
  const fixture = makeShellProject();
  const gate = gateFor(fixture);
  const denied: string[] = [];
  const harmless = [
    'git commit -m "rm -rf ."',
    'git commit --weird -m "git reset --hard"',
    "git commit -m 'Never run git reset --hard; cat .env'",
    "git log --grep='rm -rf .' --weird",
    "git tag -a v1 -m 'git reset --hard'",
    'echo "rm -rf ."',
    'echo "git reset --hard" > notes.md',
    "printf '%s' 'cat .env'",
    "grep -rn 'rm -rf .' src",
    "grep --weird 'git reset --hard' README.md",
    "rg --weird 'cat .env' src",
    "rg 'git reset --hard' $x",
    "sed -n '/rm -rf ./p' README.md",
    "awk '{print \"cat .env\"}' README.md",
    "jq '.scripts[\"rm -rf .\"]' package.json",
    'npm test -- -t "git reset --hard"',
    "uv run pytest -k 'rm -rf .'",
    "npx vitest run -t 'cat .env'",
    "python3 -c 'print(\"git reset --hard\")'",
    "node -e 'console.log(\"rm -rf .\")'",
    "gh pr create --title 'git reset --hard' --body 'cat .env'",
    "some-tracker create --title 'git reset --hard loses work'",
    "some-tracker create --message='rm -rf . is dangerous'",
    "some-tracker comment 'Please do not run git reset --hard'",
    "some-tracker list --all",
    "some-tracker cat README.md",
    "some-tracker rm src/a.ts",
    "sudo ls",
    "sudo cat README.md",
    "sudo rm src/a.ts",
    "docker rm web",
    "docker run --rm -it alpine ls /",
    "docker compose exec web cat README.md",
    "kubectl delete -f deploy.yaml",
    "strace -f ls",
    "watch -n1 'git status'",
    "perf stat npm test",
    "uv run python -m pytest",
    "poetry run black .",
    "bundle exec rspec",
    "hyperfine 'git status' 'ls -la'",
    "tar czf a.tgz src",
    "tar cf - src | ssh host 'tar xf -'",
    "find . -name '*.log' -okdir rm {} \\;",
    "trap 'rm -f out.txt' EXIT",
    "eval 'ls src'",
    "git rebase --exec 'npm test' main",
    "git -c core.editor=true rebase --continue",
    "GIT_EDITOR=true git rebase --continue",
    "EDITOR='code --wait' git commit",
    "git bisect run npm test",
    "git submodule foreach 'git status'",
    "echo \u{1f600}\ufe0f done",
    "git commit -m '\u2714\ufe0f Explain rm -rf .'",
    "terraform apply -auto-approve",
    "ansible all -m shell -a 'uptime'",
    "vim -c 'set nu' README.md",
  ];
  for (const command of harmless) {
    const { decision, reason } = await gate.judge(await questionOf(fixture, `bash ${command}`));
    if (decision === "deny") denied.push(`${command}: ${reason}`);
  }
  expect(denied).toEqual([]);
});

test("more commands inside one than are followed are refused", async () => {
  const command = `some-launcher ${"ls ".repeat(2_000)}`;
  expect(await notDenied([command])).toEqual([]);
});
