import { setOf } from "../programs/flag-lists.ts";

/** Variables of the environment that only change how programs print. Any command may be given them. */
const harmless = setOf(
  "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM TZ COLUMNS LINES CI LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME",
);

/** Variables that tell project code which way to run. A command that runs such code stays what it is. */
const forProjects = setOf(
  "NODE_ENV BABEL_ENV RUST_BACKTRACE RUST_LOG RAILS_ENV RACK_ENV APP_ENV GO111MODULE CGO_ENABLED GOOS GOARCH PORT VERBOSE HEADLESS CARGO_TERM_COLOR PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED DJANGO_DEBUG",
);

/** Names that change how the shell or programs behave: whoever sets one changes what later words mean. */
const dangerous =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|PS[0-4]|CDPATH|GLOBIGNORE|FIGNORE|SHELL|SHELLOPTS|POSIXLY_CORRECT|HOSTFILE|INPUTRC|MAILPATH|TMOUT|TMPDIR|TIMEFORMAT|EXECIGNORE|HIST.*|PROMPT.*|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|FUNC.*|GROUPS|RANDOM|SRANDOM|SECONDS|LINENO|UID|EUID|PPID|OPT(?:ARG|IND|ERR)|REPLY|MAPFILE|COPROC|READLINE.*|PIPESTATUS|_|LD_.*|DYLD_.*|GIT_.*|SSH_.*|GPG_.*|XDG_.*|GREP_.*|RIPGREP_.*|LESS.*|MAN.*|PAGER|EDITOR|VISUAL|BROWSER|TAR_OPTIONS|GZIP|XZ_.*|ZIP.*|TREE_.*|LS_COLORS|FZF_.*|BAT_.*|FD_.*|JQ_.*|AWK.*|NODE_(?!ENV$).*|NPM_.*|npm_.*|YARN_.*|COREPACK_.*|PYTHON.*|PIP_.*|UV_.*|VIRTUAL_ENV|CONDA_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|PHP.*|LUA.*|JAVA.*|JDK_.*|MAVEN_.*|GRADLE_.*|RUSTC.*|RUSTFLAGS|RUSTUP_.*|CARGO.*|GO(?:PATH|ROOT|FLAGS|PROXY|PRIVATE|NOSUMDB|SUMDB|ENV|BIN)|MAKE.*|CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|CMAKE_.*|DOCKER_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|OPENSSL_.*|SSL_.*|CURL_.*|WGETRC|NETRC|TERMINFO.*|TERMCAP|CLASSPATH|_JAVA_OPTIONS|DOTNET_.*|COR(?:ECLR)?_.*|ERL_.*|ELIXIR_.*|DENO_.*|BUN_.*|PNPM_.*|VOLTA_.*|ASDF_.*|MISE_.*|ELECTRON_.*|TCLLIBPATH|KUBECONFIG|AWS_.*|.*_proxy|.*_PROXY)$/;

export function isOrdinaryName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !dangerous.test(name) && !harmless.has(name);
}

/** Names that are dangerous in general and harmless with this value. */
const harmlessValues = setOf(
  "PAGER=cat GIT_PAGER=cat GIT_PAGER= MANPAGER=cat GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true",
);

export function isHarmless(name: string, value: string): boolean {
  // A locale or a time zone that is a path names a file to be loaded.
  const plain = (name === "TZ" ? /^[\w+-]+(?:\/[\w+-]+)*$/ : /^[\w.,@+ -]*$/).test(value);
  return (harmless.has(name) && plain) || harmlessValues.has(`${name}=${value}`);
}

export function isForProjects(name: string, value: string): boolean {
  return forProjects.has(name) || isHarmless(name, value);
}

/** Names that are dangerous in general; with such a value they choose among code of the project. */
const projectValues: Readonly<Record<string, RegExp>> = {
  PYTHONPATH: /^(?:\.|(?:\.\/)?[\w-][\w./-]*)(?::(?:\.|(?:\.\/)?[\w-][\w./-]*))*$/,
  NODE_OPTIONS:
    /^(?:--(?:max-old-space-size=\d+|experimental-[\w-]+|no-warnings|enable-source-maps|trace-warnings) ?)+$/,
  GOFLAGS: /^(?:-mod=(?:mod|vendor|readonly)|-count=1|-v)$/,
};

export function isForOneCommand(name: string, value: string): boolean {
  return isForProjects(name, value) || (ownValue(name)?.test(value) === true && !value.split(/[/:]/).includes(".."));
}

function ownValue(name: string): RegExp | undefined {
  return Object.hasOwn(projectValues, name) ? projectValues[name] : undefined;
}

export function namesSecret(name: string): boolean {
  return /(?:^|_)(?:\w*KEY|\w*TOKEN|SECRETS?|PASS|PASSWORD|PASSWD|PWD_?HASH|CREDENTIALS?)(?:_|$)/.test(name);
}
