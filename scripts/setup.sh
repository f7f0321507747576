#!/bin/sh
# Makes a fresh clone ready: system packages, dependencies, build. Does nothing when everything is there,
# and never goes on without something that is missing.
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }
give_up() {
  say "$*"
  exit 1
}

# program:package, for what the sandbox, the git tools and the tests run
missing=
for need in bwrap:bubblewrap git:git bash:bash script:bsdutils tmux:tmux; do
  [ "$need" = bwrap:bubblewrap ] && [ "$(uname -s)" != Linux ] && {
    say "bubblewrap exists on Linux only; commands run unsandboxed here and the tests of the sandbox fail."
    continue
  }
  command -v "${need%%:*}" >/dev/null 2>&1 || missing="$missing ${need##*:}"
done
if [ -n "$missing" ]; then
  say "missing:$missing"
  install="apt-get install -y --no-install-recommends$missing"
  command -v apt-get >/dev/null 2>&1 || give_up "install it with the package manager of this system, then run this again."
  if [ "$(id -u)" = 0 ]; then as=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as="sudo -n"
  else give_up "run \`sudo $install\`, then run this again."
  fi
  export DEBIAN_FRONTEND=noninteractive
  $as $install >&2 || { $as apt-get update >&2 && $as $install >&2; } || give_up "\`$install\` failed."
fi

command -v npm >/dev/null 2>&1 || give_up "npm is needed; it comes with Node."

# npm writes the second file at the end of every installation.
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  say "installing dependencies"
  npm ci --no-audit --no-fund --loglevel=error >&2 || give_up "\`npm ci\` failed."
fi

if ! sh scripts/is-built.sh; then
  say "building"
  npm run --silent build >&2 || give_up "the build failed."
fi
