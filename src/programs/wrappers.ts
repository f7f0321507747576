import { entriesOf, listed, rowsOf, setOf } from "./flag-lists.ts";
import { launcherIn, launcherPrograms, launchers } from "./launchers.ts";
import type { ProgramEntry } from "./program-entry.ts";
import { readArguments } from "./read-arguments.ts";
import { plainWord } from "./readings.ts";

/** Programs that run a command they are given. Unless `plain`, the command inside only makes the verdict stricter. */
export interface Wrapper {
  readonly names: readonly string[];
  /** It adds nothing to what the command does. A flag that is not named here makes the call unknown. */
  readonly plain?: boolean;
  readonly flags?: readonly string[];
  readonly values?: readonly string[];
  readonly count?: boolean;
  readonly skip?: number;
  /** Each operand is the text of a command. */
  readonly texts?: boolean;
  /** Flags whose value is a command. */
  readonly carries?: readonly string[];
  /** The command stands in `carries` only. */
  readonly only?: boolean;
}

export const wrappers: readonly Wrapper[] = [
  ...launchers.map(({ names, naming, valued = [] }) => ({
    names,
    carries: listed("-c --call"),
    values: [...naming, ...valued],
  })),
  ...rowsOf(
    `
  timeout; plain; flags -v --preserve-status --foreground --verbose; values -k -s --kill-after --signal; skip 1
  nice; plain; values -n --adjustment; count
  ionice; plain; flags -t; values -c -n
  nohup; plain
  stdbuf; plain; values -i -o -e --input --output --error
  time; plain; flags -p -v -q --portability --verbose --quiet; values -f --format
  taskset; plain; flags -c --cpu-list; skip 1
  sudo doas su pkexec runuser setpriv chroot sg newgrp gosu su-exec capsh unshare nsenter bwrap firejail fakeroot
    proot systemd-run setsid dbus-run-session start-stop-daemon daemonize cgexec; carries -c --command
    --session-command
  chrt prlimit numactl faketime unbuffer rlwrap xvfb-run catchsegv gtimeout flock run-parts ld.so
  busybox toybox parallel entr inotifywait watchman nodemon tmux screen; carries -c
  watch script strace ltrace perf valgrind gdb lldb rr; carries -c -ex --command
  env command builtin exec eval trap coproc xargs; carries -S --split-string
  hyperfine concurrently; texts; carries -p -s -c --prepare --setup --cleanup --conclude
  yarn~dlx coverage~run; values --package; carries -c --call
  pnpm~exec yarn~exec bun~exec bundle~exec bundler~exec composer~exec rbenv~exec pyenv~exec nodenv~exec opam~exec
    stack~exec cabal~exec fnm~exec asdf~exec lerna~exec nx~exec tox~exec turbo~exec; carries -c
  uv~run poetry~run pdm~run pipenv~run hatch~run rye~run pixi~run conda~run mamba~run micromamba~run devbox~run
    volta~run bun~run flatpak~run bazel~run bazelisk~run; carries --run_under
  mise~exec mise~x; carries -c --command
  direnv~exec rustup~run npm~explore cmake~-E; skip 1
  mix~cmd meson~devenv just~--command just~-c ctest~--test-command
  cross-env dotenv dotenvx c8 nyc
  nix~develop nix~shell nix~run; carries -c --command
  nix-shell nix; carries --run --command -c; only
  cargo~watch; carries -x -s --exec --shell
  tar bsdtar cpio; carries --to-command --checkpoint-action --use-compress-program -I -F --info-script
    --new-volume-script --rsh-command --rmt-command; only
  find fd fdfind; carries -execdir -ok -okdir -x -X --exec --exec-batch; only
  ssh scp sftp; carries -o -S -D; only
  nc ncat netcat; carries -e -c --exec --sh-exec; only
  rsync; carries -e --rsh --rsync-path; only
  vi vim nvim view vimdiff ex emacs; carries -c --cmd --eval +; only
  gcc g++ cc c++ clang clang++; carries -wrapper; only
  make gmake; carries --eval -E SHELL CC; only
  git; carries -c -x -O --config --exec --extcmd --upload-pack --receive-pack --open-files-in-pager; only
  go; carries -exec -toolexec -vettool; only
  less more; carries +; only
  sed awk gawk mawk nawk; texts; only
  psql mysql mariadb sqlite3 lftp socat mutt mail mailx wget aria2c yt-dlp youtube-dl cmake git~config gh~alias
    deno~task; texts; only
  npm pnpm; carries --script-shell --viewer --editor; only
  cargo; carries --config; only
  sort split man rg zip bat batcat sdiff install dpkg; carries --compress-program --filter -P --pre -TT
    --unzip-command --hostname-bin --pager -H --html --diff-program --strip-program --pre-invoke --post-invoke; only
`,
    ["plain", "flags", "values", "count", "skip", "texts", "carries", "only"],
  ).map(({ plain, count, skip, texts, only, ...row }) => ({
    ...row,
    plain: plain !== undefined,
    count: count !== undefined,
    skip: Number(skip?.[0] ?? 0),
    texts: texts !== undefined,
    only: only !== undefined,
  })),
];

const byName: ReadonlyMap<string, Wrapper> = new Map(
  wrappers.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
);

export function wrapperOf(name: string): Wrapper | undefined {
  return byName.get(name);
}

export const runsBehind: ReadonlySet<string> = new Set(
  wrappers
    .filter(({ only }) => !only)
    .flatMap(({ names }) => names.filter((name) => !name.includes(" ") && !launcherPrograms.has(name))),
);

const ownFlags = new Map(Object.entries({ "xvfb-run": ["-a"], env: ["-i"], command: [], exec: [] }));

/** The words of the command behind a wrapper that adds nothing to it. `undefined` where it may add something. */
export function wordsBehind([name = "", ...words]: readonly string[]): readonly string[] | undefined {
  const launched = launcherIn([name, ...words]);
  const { switches = [], local = [] } = launched?.launcher ?? {};
  if (launched !== undefined) return behindFlags(launched.rest, { names: [name], flags: [...switches, ...local] });
  const subCommand = wrapperOf(`${name} ${words[0]}`);
  if (subCommand !== undefined && !subCommand.only && !subCommand.texts) return words.slice(1 + (subCommand.skip ?? 0));
  const flags = ownFlags.get(name);
  if (flags !== undefined) return behindFlags(words, { names: [name], flags });
  const wrapper = wrapperOf(name);
  return wrapper?.plain ? behindFlags(words, wrapper) : undefined;
}

function behindFlags(words: readonly string[], wrapper: Wrapper): readonly string[] | undefined {
  const given = words.map((word) => plainWord(word));
  const call = readArguments({ ...argumentsOf(wrapper), operands: {} }, "", given);
  return "why" in call ? undefined : call.operands.slice(wrapper.skip ?? 0).map(({ value }) => value);
}

export function argumentsOf({ names, flags, values = [], count }: Wrapper): Omit<ProgramEntry, "operands"> {
  return { names, flags, values: Object.fromEntries(values.map((flag) => [flag, "text"])), count, flagsFirst: true };
}

/** What they hand on, their words or what comes in, is read with the command behind them. */
export const passers = entriesOf(
  `
  env -i0 --ignore-environment --null -u= --unset= :
  xargs -0rtx --null --no-run-if-empty --verbose --exit -nPLIds= --max-args= --max-procs= --delimiter= --max-chars=
    -a=read --arg-file=read :
`,
  { flagsFirst: true },
);

/** Words behind these are for people to read, in whatever program. */
export const proseFlags = setOf(
  "-m --message --title --body --notes --description --comment --subject --summary --text --grep --author --reason --prompt",
);
