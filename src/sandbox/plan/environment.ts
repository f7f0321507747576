export const sandboxHome = "/run/home";

const passed = ["LANG", "LANGUAGE", "TZ", "NO_COLOR", "CI"];

// Never passed: each makes some program load code, read other configuration, find other programs or connect to a //
// socket.
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
  readonly from: Readonly<Record<string, string | undefined>>;
  readonly pass: readonly string[];
  readonly path: readonly string[];
  readonly toolchains: Readonly<Record<string, string>>;
  readonly home: string;
  readonly user: string;
}

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

export function withAdditions(
  environment: Readonly<Record<string, string>>,
  additions: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const safe = Object.entries(additions).filter(([name]) => !isProtectedVariable(name));
  return { ...environment, ...Object.fromEntries(safe) };
}
