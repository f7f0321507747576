#!/bin/sh
# Runs property tests with a random seed. FUZZ_SEED repeats a run, FUZZ_RUNS=20 tries twenty times as much.
# Arguments are test files or folders; without any, the fuzz and differential tests run.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"
FUZZ_SEED=${FUZZ_SEED:-$(node --print 'crypto.randomInt(1, 2 ** 31)')}
FUZZ_RUNS=${FUZZ_RUNS:-1}
export FUZZ_SEED FUZZ_RUNS
[ $# -gt 0 ] || set -- test/fuzz test/differential
echo "fuzz: FUZZ_SEED=$FUZZ_SEED FUZZ_RUNS=$FUZZ_RUNS"
vitest run "$@" && exit 0
echo "fuzz: failed. Repeat with: FUZZ_SEED=$FUZZ_SEED FUZZ_RUNS=$FUZZ_RUNS npm run fuzz -- $*"
exit 1
