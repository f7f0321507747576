import type { CheckKind } from "../../contract/verification.ts";

/**
 * Programs that check work, by their words. Each pattern is matched against the words of one simple command, joined
 * by single spaces, with wrappers and paths in front of the program taken off.
 */
export const knownChecks: readonly { readonly kinds: readonly CheckKind[]; readonly patterns: readonly RegExp[] }[] = [
  {
    kinds: ["tests"],
    patterns: [
      /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|cypress run|playwright test|bats|pytest|py\.test|tox|nox|rspec|phpunit|ctest|busted)\b/,
      /^(?:npm|pnpm|yarn|bun) (?:test|t|tst)\b/,
      /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?:test|tests|unit|e2e|spec)(?::\S+)?(?: |$)/,
      /^(?:python|python3)(?:\.\d+)? -m (?:pytest|unittest|nose2|doctest)\b/,
      /^(?:python|python3)(?:\.\d+)? (?:manage\.py test|setup\.py test)\b/,
      /^node (?:--\S+ )*--test\b/,
      /^deno (?:task )?test\b/,
      /^(?:go|swift|mix|dotnet|zig build|dart|flutter|lein|sbt|bazel|rake|rails) test\b/,
      /^cargo (?:\+\S+ )?(?:test|nextest run|t)\b/,
      /^(?:make|just|task|ninja) (?:-\S+ )*(?:test|tests|check|unittest)\b/,
      /^(?:mvn|mvnw)(?: -\S+| clean)* (?:test|verify)\b/,
      /^(?:gradle|gradlew)(?: -\S+| clean)* (?:test|check)\b/,
      /^(?:sh|bash|zsh|node|python3?|ruby|perl) (?:\S*\/)?(?:run[-_]?)?tests?(?:\.\w+)?(?: |$)/,
      /^(?:run[-_]?)?tests?\.(?:sh|py|js|mjs|rb|pl)(?: |$)/,
    ],
  },
  {
    kinds: ["build"],
    patterns: [
      /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?:build|compile|bundle)(?::\S+)?(?: |$)/,
      /^(?:go|swift|dotnet|zig|mix compile|bazel|next|vite|nx|turbo|ng|astro|remix) build\b/,
      /^(?:webpack|rollup|rolldown|esbuild|tsup|tsdown|parcel build|javac|gcc|g\+\+|clang|clang\+\+|rustc|ghc|kotlinc)\b/,
      /^cargo (?:\+\S+ )?(?:build|b)\b/,
      /^(?:make|just|task|ninja)(?: -\S+)*(?: (?:build|all|compile))?$/,
      /^(?:mvn|mvnw)(?: -\S+| clean)* (?:compile|package|install)\b/,
      /^(?:gradle|gradlew)(?: -\S+| clean)* (?:build|assemble|compile\w*)\b/,
      /^(?:cmake) --build\b/,
      /^(?:python|python3) -m (?:build|compileall)\b/,
    ],
  },
  {
    kinds: ["build", "types"],
    patterns: [
      /^tsc\b(?!.*(?:--version|-v$|--init|--help|--watch|-w\b))/,
      /^vue-tsc\b/,
      /^cargo (?:\+\S+ )?(?:check|c)\b/,
    ],
  },
  {
    kinds: ["types"],
    patterns: [
      /^(?:mypy|pyright|basedpyright|pyre check|flow check|svelte-check|ty check)\b/,
      /^(?:python|python3) -m mypy\b/,
      /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?:type-?check|types|tsc|check-types)(?::\S+)?(?: |$)/,
    ],
  },
  {
    kinds: ["lint"],
    patterns: [
      /^(?:eslint|oxlint|standard|xo|stylelint|flake8|pylint|shellcheck|golangci-lint run|hadolint|yamllint|markdownlint|rubocop|ktlint|checkstyle|staticcheck)\b(?!.*--fix)/,
      /^biome (?:check|lint|ci)\b(?!.*(?:--write|--apply|--fix))/,
      /^ruff check\b(?!.*--fix)/,
      /^(?:prettier|black|isort|rustfmt|ruff format)\b.* (?:--check|-c)\b/,
      /^cargo (?:\+\S+ )?(?:clippy\b(?!.*--fix)|fmt\b.*--check)/,
      /^go vet\b/,
      /^gofmt -l\b/,
      /^(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?:lint|eslint|format:check)(?!\S*fix)(?::\S+)?(?: |$)/,
      /^(?:make|just|task) (?:-\S+ )*lint\b/,
    ],
  },
];

/** They print what there is to check, or help, or skip what they are named after: nothing is checked. */
export const checksNothing: readonly RegExp[] = [
  /(?: --(?:list|listTests|list-tests|collect-only|co|help|version|usage|dry-run|showConfig|passWithNoTests|no-run|setup-only|setup-plan|if-present|ignore-scripts|script-shell|ignore-errors)| -(?:h|n|N))(?: |=|$)/,
  /^(?:npm|pnpm|yarn|bun)\b.* (?:-[vVlHC?]|--(?:prefix|dir|cwd))(?: |=|$)/,
  /^(?:vitest|jest|mocha|ava|eslint|stylelint|tsc|biome|oxlint)\b.* -[vV](?: |$)/,
  / -D(?:skipTests|maven\.test\.(?:skip|failure\.ignore))\b/,
  /^(?:gradle|gradlew)\b.* (?:-x|--exclude-task|-m)(?: |$)/,
  /^(?:make|ninja)\b.* -[a-z]*[iqt](?: |$)/,
  /^go test\b.* -(?:c|exec|list)(?: |=|$)/,
];
