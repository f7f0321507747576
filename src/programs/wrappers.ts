import { flags, listed } from "./flag-lists.ts";
import { launcherIn, launcherPrograms, launchers } from "./launchers.ts";

/**
 * Programs that run a command they are given: where it stands in their words. What is not `plain` is judged by its own
 * entry elsewhere; the command inside can only make that stricter.
 */
export interface Wrapper {
  /** `uv run` is the sub-command `run`. */
  readonly names: readonly string[];
  /** It adds nothing to what the command does. A flag that is not named here makes the call unknown. */
  readonly plain?: true;
  readonly flags?: readonly string[];
  /** Flags that take the next word. */
  readonly values?: readonly string[];
  /** `-20` is a number. */
  readonly count?: true;
  /** Operands in front of the command. */
  readonly skip?: number;
  /** Each operand is the text of a command. */
  readonly texts?: true;
  /** Flags whose value is a command. */
  readonly carries?: readonly string[];
  /** The command stands in `carries` only. */
  readonly only?: true;
}

export const wrappers: readonly Wrapper[] = [
  {
    names: ["timeout"],
    plain: true,
    flags: flags("v", "preserve-status foreground verbose"),
    values: listed("-k -s --kill-after --signal"),
    skip: 1,
  },
  {
    names: ["nice"],
    plain: true,
    values: listed("-n --adjustment"),
    count: true,
  },
  {
    names: ["ionice"],
    plain: true,
    flags: flags("t"),
    values: listed("-c -n"),
  },
  {
    // Without a terminal it writes no file of its own.
    names: ["nohup"],
    plain: true,
  },
  {
    names: ["stdbuf"],
    plain: true,
    values: listed("-i -o -e --input --output --error"),
  },
  {
    names: ["time"],
    plain: true,
    flags: flags("pvq", "portability verbose quiet"),
    values: listed("-f --format"),
  },
  {
    names: ["taskset"],
    plain: true,
    flags: flags("c", "cpu-list"),
    skip: 1,
  },
  {
    // What they add is never harmless: more rights, another root, a life beyond the command.
    names: [
      ...listed(
        "sudo doas su pkexec runuser setpriv chroot sg newgrp gosu su-exec capsh unshare nsenter bwrap firejail",
      ),
      ...listed("fakeroot proot systemd-run setsid dbus-run-session start-stop-daemon daemonize cgexec"),
    ],
    carries: listed("-c --command --session-command"),
  },
  { names: listed("chrt prlimit numactl faketime unbuffer rlwrap xvfb-run catchsegv gtimeout flock run-parts ld.so") },
  { names: listed("busybox toybox parallel entr inotifywait watchman nodemon tmux screen"), carries: ["-c"] },
  { names: listed("watch script strace ltrace perf valgrind gdb lldb rr"), carries: listed("-c -ex --command") },
  { names: listed("env command builtin exec eval trap coproc xargs"), carries: listed("-S --split-string") },
  {
    names: ["hyperfine", "concurrently"],
    texts: true,
    carries: listed("-p -s -c --prepare --setup --cleanup --conclude"),
  },
  ...launchers.map(({ names, naming, valued = [] }) => ({
    names,
    carries: listed("-c --call"),
    values: [...naming, ...valued],
  })),
  { names: ["yarn dlx", "coverage run"], carries: listed("-c --call"), values: ["--package"] },
  {
    names: listed(
      "pnpm yarn bun bundle bundler composer rbenv pyenv nodenv opam stack cabal fnm asdf lerna nx tox turbo",
    ).map((name) => `${name} exec`),
    carries: ["-c"],
  },
  {
    names: listed(
      "uv poetry pdm pipenv hatch rye pixi conda mamba micromamba devbox volta bun flatpak bazel bazelisk",
    ).map((name) => `${name} run`),
    carries: ["--run_under"],
  },
  { names: ["mise exec", "mise x"], carries: listed("-c --command") },
  { names: ["direnv exec", "rustup run", "npm explore", "cmake -E"], skip: 1 },
  { names: ["mix cmd", "meson devenv", "just --command", "just -c", "ctest --test-command"] },
  { names: listed("cross-env dotenv dotenvx c8 nyc") },
  { names: ["nix develop", "nix shell", "nix run"], carries: listed("-c --command") },
  { names: ["nix-shell", "nix"], carries: listed("--run --command -c"), only: true },
  { names: ["cargo watch"], carries: listed("-x -s --exec --shell") },
  {
    names: ["tar", "bsdtar", "cpio"],
    carries: listed(
      "--to-command --checkpoint-action --use-compress-program -I -F --info-script --new-volume-script --rsh-command --rmt-command",
    ),
    only: true,
  },
  { names: ["find", "fd", "fdfind"], carries: listed("-execdir -ok -okdir -x -X --exec --exec-batch"), only: true },
  { names: ["ssh", "scp", "sftp"], carries: listed("-o -S -D"), only: true },
  { names: ["nc", "ncat", "netcat"], carries: listed("-e -c --exec --sh-exec"), only: true },
  { names: ["rsync"], carries: listed("-e --rsh --rsync-path"), only: true },
  { names: listed("vi vim nvim view vimdiff ex emacs"), carries: listed("-c --cmd --eval +"), only: true },
  { names: listed("gcc g++ cc c++ clang clang++"), carries: ["-wrapper"], only: true },
  { names: ["make", "gmake"], carries: listed("--eval -E SHELL CC"), only: true },
  {
    names: ["git"],
    carries: listed("-c -x -O --config --exec --extcmd --upload-pack --receive-pack --open-files-in-pager"),
    only: true,
  },
  { names: ["go"], carries: listed("-exec -toolexec -vettool"), only: true },
  { names: ["less", "more"], carries: ["+"], only: true },
  { names: listed("sed awk gawk mawk nawk"), texts: true, only: true },
  {
    names: [
      ...listed("psql mysql mariadb sqlite3 lftp socat mutt mail mailx wget aria2c yt-dlp youtube-dl cmake"),
      ...["git config", "gh alias", "deno task"],
    ],
    texts: true,
    only: true,
  },
  { names: ["npm", "pnpm"], carries: listed("--script-shell --viewer --editor"), only: true },
  { names: ["cargo"], carries: ["--config"], only: true },
  {
    names: listed("sort split man rg zip bat batcat sdiff install dpkg"),
    carries: listed(
      "--compress-program --filter -P --pre -TT --unzip-command --hostname-bin --pager -H --html --diff-program --strip-program --pre-invoke --post-invoke",
    ),
    only: true,
  },
];

const byName: ReadonlyMap<string, Wrapper> = new Map(
  wrappers.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

export function wrapperOf(name: string): Wrapper | undefined {
  return byName.get(name);
}

/** What stands in front of a command and runs it. */
export const runsBehind: ReadonlySet<string> = new Set(
  wrappers
    .filter(({ only }) => !only)
    .flatMap(({ names }) => names.filter((name) => !name.includes(" ") && !launcherPrograms.has(name))),
);

/** The words of the command behind a wrapper that adds nothing to it. `undefined` where it may add something. */
export function wordsBehind([name = "", ...words]: readonly string[]): readonly string[] | undefined {
  const launched = launcherIn([name, ...words]);
  const wrapper = wrapperOf(name);
  const subCommand = wrapperOf(`${name} ${words[0]}`);
  const switches = [...(launched?.launcher.switches ?? []), ...(launched?.launcher.local ?? []), "--"];
  if (launched !== undefined) return behindFlags(launched.rest, switches, []);
  if (subCommand !== undefined && !subCommand.only && !subCommand.texts) return words.slice(1 + (subCommand.skip ?? 0));
  if (name === "xvfb-run") return behindFlags(words, ["-a"], []);
  if (name === "env") return behindFlags(words, ["-i"], []);
  if (name === "command" || name === "exec") return behindFlags(words, ["--"], []);
  if (wrapper?.plain !== true) return undefined;
  return behindFlags(words, wrapper.flags ?? [], wrapper.values ?? [], wrapper.count)?.slice(wrapper.skip ?? 0);
}

function behindFlags(
  words: readonly string[],
  flags: readonly string[],
  values: readonly string[],
  count = false,
): readonly string[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined || !first.startsWith("-")) return words;
  if (values.includes(first)) return behindFlags(rest.slice(1), flags, values, count);
  const [flag = ""] = first.split("=");
  const isKnown = flags.includes(first) || (values.includes(flag) && flag !== first) || (count && /^-\d+$/.test(first));
  return isKnown || values.some((one) => one.length === 2 && first.startsWith(one))
    ? behindFlags(rest, flags, values, count)
    : undefined;
}

/** Words behind these are for people to read, in whatever program. */
export const proseFlags: ReadonlySet<string> = new Set(
  listed(
    "-m --message --title --body --notes --description --comment --subject --summary --text --grep --author --reason --prompt",
  ),
);
