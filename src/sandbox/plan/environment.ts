/** Variables that programs read to choose language, time zone and plain output. Harmless and useful. */
const passed = ["LANG", "LANGUAGE", "TZ", "NO_COLOR", "CI"];

/**
 * Never taken over from the user's environment, whoever asks: each makes some program load code, read another
 * configuration, find other programs or reach a socket.
 */
const protectedNames = new Set(
  [
    "BASHOPTS BASH_ENV CDPATH CLASSPATH DISPLAY EDITOR ENV GCONV_PATH GLIBC_TUNABLES GLOBIGNORE HOME HOSTALIASES IFS",
    "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LOCALDOMAIN LOCPATH LOGNAME MAKEFLAGS NLSPATH NODE_OPTIONS NODE_PATH OLDPWD",
    "PAGER PATH PERLLIB PHPRC PROMPT_COMMAND PS4 PWD RES_OPTIONS RIPGREP_CONFIG_PATH RUBYLIB RUBYOPT SHELL SHELLOPTS",
    "TAR_OPTIONS TERMCAP TERMINFO TMPDIR USER VISUAL WAYLAND_DISPLAY XDG_RUNTIME_DIR _JAVA_OPTIONS",
  ].flatMap((line) => line.split(" ")),
);
const protectedPrefixes = "BASH_FUNC_ DBUS_ DYLD_ GAUNTLET_ GIT_ LD_ LESS LUA_ PERL5 PYTHON SSH_".split(" ");

export function isProtectedVariable(name: string): boolean {
  return protectedNames.has(name) || protectedPrefixes.some((prefix) => name.startsWith(prefix));
}

interface EnvironmentOptions {
  /** The user's environment. */
  readonly from: Readonly<Record<string, string | undefined>>;
  readonly pass: readonly string[];
  readonly path: readonly string[];
  readonly toolchains: Readonly<Record<string, string>>;
  readonly home: string;
  readonly user: string;
}

/** The whole environment of a command: an allow-list, fixed values, and what the user named. */
export function cleanEnvironment(options: EnvironmentOptions): Readonly<Record<string, string>> {
  const clean: Record<string, string> = { LANG: "C.UTF-8" };
  const allowed = [...passed, ...Object.keys(options.from).filter((name) => name.startsWith("LC_")), ...options.pass];
  for (const name of allowed) {
    const value = options.from[name];
    if (value !== undefined && !isProtectedVariable(name) && !value.includes("\0")) clean[name] = value;
  }
  return {
    ...clean,
    ...options.toolchains,
    PATH: options.path.join(":"),
    HOME: options.home,
    USER: options.user,
    LOGNAME: options.user,
    SHELL: "/bin/bash",
    TERM: "dumb",
    PAGER: "cat",
  };
}

/** What a caller may still add for one command. */
export function withAdditions(
  environment: Readonly<Record<string, string>>,
  additions: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const safe = Object.entries(additions).filter(([name]) => !isProtectedVariable(name));
  return { ...environment, ...Object.fromEntries(safe) };
}
