#!/bin/sh
# All automatic checks. There are no warnings: every problem fails.
set -u
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

check() {
  name=$1
  shift
  {
    "$@" >"$reports/$name.text" 2>&1
    echo $? >"$reports/$name.code"
  } &
}

check types tsc --noEmit --project .
check style biome check --error-on-warnings .
check imports depcruise --config .dependency-cruiser.mjs src
check globals node scripts/check-globals.ts
check programs node scripts/check-programs.ts
check structure node scripts/check-structure.ts
check dead-code knip --treat-config-hints-as-errors
check docs node scripts/write-docs.ts --check
wait

failed=
for name in types style imports globals programs structure dead-code docs; do
  [ "$(cat "$reports/$name.code")" = 0 ] && continue
  failed="$failed $name"
  printf '\n── %s ──\n' "$name"
  cat "$reports/$name.text"
done
[ -z "$failed" ] && exit 0
printf '\ncheck failed:%s\n' "$failed"
exit 1
