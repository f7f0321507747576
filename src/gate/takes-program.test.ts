import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { runsUnseenInput, takesProgram, wordsToRun } from "./takes-program.ts";

/** What runs besides the words of a command: its input, words that only the shell knows. `told` is an input that the text spells out. */
const tables = {
  input: [
    "python3 < a",
    "cat a | python3",
    "cat a | python3 -u -",
    "python3 -i b.py < a",
    "python3 -W ignore < a",
    "python3 -E < a",
    "python3 -m code < a",
    "python3 manage.py shell < a",
    "python3 -c 'import sys; exec(sys.stdin.read())' < a",
    "python3 -c 'import importlib' < a",
    "node < a",
    "node - < a",
    "node -r ./b.js < a",
    "node --input-type=module < a",
    "node --import ./b.js < a",
    "node -e 'eval(x)' < a",
    "node -e 'require(x)' < a",
    "npx tsx < a",
    "npx -p node tsx < a",
    "uv run - < a",
    "deno run - < a",
    "deno repl < a",
    "bun < a",
    "perl < a",
    "perl -ne 'eval' a | perl",
    "ruby -w < a",
    "php < a",
    "psql x < a",
    "make -f - < a",
    "make -f- < a",
    "make -f /dev/fd/3 3< a",
    "rails console < a",
    ".venv/bin/python < a",
    "timeout 5 node < a",
  ],
  told: ["python3 <<< 'print(1)'", "echo 'print(1)' | python3", "node <<'EOF'\n1\nEOF"],
  words: [
    "python3 $f",
    'node "$f"',
    "node -r $f b.js",
    "node --test b.js $f",
    "deno test b.ts $f",
    "deno run -A $f",
    "python3 -m pytest $f",
    'python3 -c "$f"',
    "python3 -c 'import sys; exec(open(sys.argv[1]).read())' $f",
    "npx tsx $f",
    "npx -p node tsx $f",
    "npm --prefix $f test",
    "npm exec -- $f",
    "node_modules/.bin/jest $f",
    ".venv/bin/python $f",
    "make -C $f",
    "make -j4 $f",
    "make -j$f",
    "cat a | xargs python3",
    "cat a | xargs -I% node %",
    "find . -exec node {} ';'",
    "npx eslint -c $f b.js",
    "npx eslint --config=$f b.js",
    "npx -p $f eslint",
    "psql -f $f",
  ],
  neither: [
    "python3 b.py",
    "python3 -u b.py < a",
    "python3 -m pytest < a",
    "python3 -m json.tools < a",
    "python3 -c 'import sys, re; re.compile(x); print(json.load(sys.stdin))' < a",
    "python3 -c 'print(1)' $f",
    "node b.js < a",
    "node --enable-source-maps b.js < a",
    "node -e 'process.stdin.on(x, function (y) {})' < a",
    "node -p 'require(\"./b.json\").x' < a",
    "node b.js $f",
    "node --check $f",
    "deno run -A b.ts $f",
    "deno lint $f",
    "perl -pi -e 's/a/b/' $f",
    "perl -ne 'print if /x/' < a",
    "ruby b.rb $f",
    "./b.sh $f < a",
    "npm test < a",
    "npm run b -- $f",
    "cargo run -- $f",
    "make < a",
    "make -j$(nproc)",
    'make -j"$n"',
    "make V=1",
    "git commit -m $f",
    "git commit -F - < a",
    "gh pr view $f",
    "npx eslint $f",
    "npx --no-install prettier --write $f",
    "cat a | xargs npx eslint --fix",
    "python3 -m black $f",
    "psql $f -c 'select 1'",
    "cat a | grep b",
    "xargs cat < a",
  ],
} as const;

test.each(Object.entries(tables))("besides their words these run: %s", (kind, commands) => {
  const { shell } = makeFixture({ a: "", "b.js": "" });
  const found = (command: string) => {
    const { parts } = shell(command);
    const exec = parts.filter(({ effects }) => effects.some(({ op }) => op === "exec"));
    if (exec.some((part) => wordsToRun(part).length > 0)) return "words";
    if (exec.some(runsUnseenInput)) return "input";
    return parts.some(takesProgram) ? "told" : "neither";
  };
  expect(Object.fromEntries(commands.map((command) => [command, found(command)]))).toEqual(
    Object.fromEntries(commands.map((command) => [command, kind])),
  );
});

test("a word that vanishes leaves the input to be run", () => {
  const { shell } = makeFixture({ a: "" });
  expect(shell("python3 $f < a").parts.some(runsUnseenInput)).toBe(true);
  expect(shell("python3 b.py $f < a").parts.some(runsUnseenInput)).toBe(false);
});
