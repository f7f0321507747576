import type { CheckKind } from "../contract/verification.ts";

interface KnownCheck {
  readonly kinds: readonly CheckKind[];
  readonly words: readonly RegExp[];
}

const script = (names: string) =>
  new RegExp(`^(?:npm|pnpm|yarn|bun) (?:run |run-script )?(?:${names})(?::\\S+)?(?: |$)`);

/** Matched against the words of one simple command, without the wrappers and the path in front of its program. */
const knownChecks: readonly KnownCheck[] = [
  {
    kinds: ["tests"],
    words: [
      /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|cypress run|playwright test|bats|pytest|py\.test|tox|nox|rspec|phpunit|ctest|busted)\b/,
      /^(?:npm|pnpm|yarn|bun) (?:test|t|tst)\b/,
      script("test|tests|unit|e2e|spec"),
      /^(?:coverage run|python3?(?:\.\d+)?) -m (?:pytest|unittest|nose2|doctest)\b/,
      /^python3?(?:\.\d+)? (?:manage\.py test|setup\.py test)\b/,
      /^node (?:--\S+ )*--test\b/,
      /^deno (?:task )?test\b/,
      /^(?:go|swift|mix|dotnet|zig build|dart|flutter|lein|sbt|bazel|rake|rails) test\b/,
      /^cargo (?:\+\S+ )?(?:test|nextest run|t)\b/,
      /^(?:make|just|task|ninja) (?:-\S+ )*(?:test|tests|check|unittest)\b/,
      /^mvnw?(?: -\S+| clean)* (?:test|verify)\b/,
      /^gradlew?(?: -\S+| clean)* (?:test|check)\b/,
      /^(?:sh|bash|zsh|node|python3?|ruby|perl) (?:\S*\/)?(?:run[-_]?)?tests?(?:\.\w+)?(?: |$)/,
      /^(?:run[-_]?)?tests?\.(?:sh|py|js|mjs|rb|pl)(?: |$)/,
    ],
  },
  {
    kinds: ["build"],
    words: [
      script("build|compile|bundle"),
      /^(?:go|swift|dotnet|zig|mix compile|bazel|next|vite|nx|turbo|ng|astro|remix) build\b/,
      /^(?:webpack|rollup|rolldown|esbuild|tsup|tsdown|parcel build|javac|gcc|g\+\+|clang|clang\+\+|rustc|ghc|kotlinc)\b/,
      /^cargo (?:\+\S+ )?(?:build|b)\b/,
      /^(?:make|just|task|ninja)(?: -\S+)*(?: (?:build|all|compile))?$/,
      /^mvnw?(?: -\S+| clean)* (?:compile|package|install)\b/,
      /^gradlew?(?: -\S+| clean)* (?:build|assemble|compile\w*)\b/,
      /^cmake --build\b/,
      /^python3? -m (?:build|compileall)\b/,
    ],
  },
  {
    kinds: ["build", "types"],
    words: [
      /^tsc\b(?!.*(?:--version|-v$|--init|--help|--watch|-w\b))/,
      /^vue-tsc\b/,
      /^cargo (?:\+\S+ )?(?:check|c)\b/,
    ],
  },
  {
    kinds: ["types"],
    words: [
      /^(?:mypy|pyright|basedpyright|pyre check|flow check|svelte-check|ty check)\b/,
      /^python3? -m mypy\b/,
      script("type-?check|types|tsc|check-types"),
    ],
  },
  {
    kinds: ["lint"],
    words: [
      /^(?:eslint|oxlint|standard|xo|stylelint|flake8|pylint|shellcheck|golangci-lint run|hadolint|yamllint|markdownlint|rubocop|ktlint|checkstyle|staticcheck)\b(?!.*--fix)/,
      /^biome (?:check|lint|ci)\b(?!.*(?:--write|--apply|--fix))/,
      /^ruff check\b(?!.*--fix)/,
      /^(?:prettier|black|isort|rustfmt|ruff format)\b.* (?:--check|-c)\b/,
      /^cargo (?:\+\S+ )?(?:clippy\b(?!.*--fix)|fmt\b.*--check)/,
      /^go vet\b/,
      /^gofmt -l\b/,
      script("(?:lint|eslint|format:check)(?!\\S*fix)"),
      /^(?:make|just|task) (?:-\S+ )*lint\b/,
    ],
  },
];

/** They print what there is to check, or help, or skip what they are named after: nothing is checked. */
const checksNothing: readonly RegExp[] = [
  /(?: --(?:list|listTests|list-tests|collect-only|co|help|version|usage|dry-run|showConfig|passWithNoTests|no-run|setup-only|setup-plan|if-present|ignore-scripts|script-shell|ignore-errors)| -(?:h|n|N))(?: |=|$)/,
  /^(?:npm|pnpm|yarn|bun)\b.* (?:-[vVlHC?]|--(?:prefix|dir|cwd))(?: |=|$)/,
  /^(?:vitest|jest|mocha|ava|eslint|stylelint|tsc|biome|oxlint)\b.* -[vV](?: |$)/,
  / -D(?:skipTests|maven\.test\.(?:skip|failure\.ignore))\b/,
  /^gradlew?\b.* (?:-x|--exclude-task|-m)(?: |$)/,
  /^(?:make|ninja)\b.* -[a-z]*[iqt](?: |$)/,
  /^go test\b.* -(?:c|exec|list)(?: |=|$)/,
];

/** What the words of a command check. `undefined` when they only look like a check. */
export function checkedBy(words: readonly string[]): readonly CheckKind[] | undefined {
  const text = words.join(" ");
  if (text === "" || checksNothing.some((pattern) => pattern.test(text))) return undefined;
  return knownChecks.filter((check) => check.words.some((one) => one.test(text))).flatMap(({ kinds }) => kinds);
}

export function scriptRunBy([program = "", first = "", second = ""]: readonly string[]): string | undefined {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return undefined;
  if (first === "run" || first === "run-script") return second;
  return first === "t" || first === "tst" ? "test" : first;
}

/** Its name counts only for a program of the system: elsewhere it may be anything. */
export function belongsToSystem(program: string): boolean {
  return /^(?:npm|pnpm|yarn|bun|node|deno|python[\d.]*|go|cargo|make|just|bash|sh|env|npx|bunx|timeout)$/.test(program);
}

/** A filter that leaves the end of what comes in as it is. */
export function keepsLastLines([program = "", ...rest]: readonly string[]): boolean {
  if (program === "tee") return true;
  return (program === "tail" || program === "cat") && rest.every((word) => /^-[\w=+-]*$|^\+?\d+$/.test(word));
}

export function alwaysSucceeds(words: readonly string[]): boolean {
  const [program = ""] = words;
  return program === "exit" ? words.join(" ") === "exit 0" : /^(?:true|:|echo|printf)$/.test(program);
}
