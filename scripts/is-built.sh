#!/bin/sh
# Says by its exit code whether dist/ was built from the sources as they are.
cd "$(dirname "$0")/.." || exit 1
[ -f dist/index.js ] || exit 1
sources="src package.json package-lock.json tsconfig.json scripts/build.mjs scripts/bundle.mjs scripts/features.mjs scripts/plain-headers.mjs scripts/compile-ahead.ts scripts/tool-schemas.ts scripts/keep-compiled.cjs bin/load-program.cjs"
newer=$(find $sources -type f -newer dist/index.js ! -name '*.test.ts' ! -name '*.test.tsx' ! -name '*.fixture.ts' -print -quit) || exit 1
[ -z "$newer" ]
