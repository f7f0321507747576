import fc from "fast-check";

/** What surrounds a command without changing that it would run. Each takes texts and gives a text. */
type Shape = (inner: string, beside: string) => string;

const lists: readonly Shape[] = [
  (inner, beside) => `${beside}; ${inner}`,
  (inner, beside) => `${inner}; ${beside}`,
  (inner, beside) => `${beside} && ${inner}`,
  (inner, beside) => `${inner} && ${beside}`,
  (inner, beside) => `${beside} || ${inner}`,
  (inner, beside) => `${beside} | ${inner}`,
  (inner, beside) => `${inner} | ${beside}`,
  (inner, beside) => `${inner} |& ${beside}`,
  (inner, beside) => `${beside} & ${inner}`,
  (inner, beside) => `${inner} & ${beside}`,
  (inner, beside) => `${beside}\n${inner}`,
  (inner, beside) => `${inner}\n\n${beside}`,
  (inner, beside) => `${beside} # it's only\n${inner}`,
  (inner, beside) => `${beside} &&\n  ${inner}`,
  (inner, beside) => `${beside} |\n# and then\n${inner}`,
];

const compounds: readonly Shape[] = [
  (inner) => `(${inner})`,
  (inner) => `( ( ${inner} ) )`,
  (inner) => `{ ${inner}\n}`,
  (inner) => `(! ${group(inner)})`,
  (inner) => `(time ${group(inner)})`,
  (inner) => `${group(inner)} 2>/dev/null`,
  (inner) => `${group(inner)} 2>&1`,
  (inner) => `(${inner}) < README.md`,
  (inner, beside) => `if ${beside}; then ${inner}\nfi`,
  (inner, beside) => `if ${beside}; then ${beside}; else ${inner}\nfi`,
  (inner, beside) => `if ${inner}\nthen ${beside}; fi`,
  (inner, beside) => `if ${beside}; then ${beside}; elif ${inner}\nthen ${beside}; fi`,
  (inner) => `for f in src/*.ts; do ${inner}\ndone`,
  (inner, beside) => `for f in a b; do ${beside}; ${inner}\ndone`,
  (inner) => `for ((i = 0; i < 2; i++)); do ${inner}\ndone`,
  (inner, beside) => `while ${beside}; do ${inner}\nbreak; done`,
  (inner, beside) => `until ${inner}\ndo ${beside}; break; done`,
  (inner) => `while read -r line; do ${inner}\ndone < README.md`,
  (inner) => `case $PWD in *) ${inner}\n;; esac`,
  (inner, beside) => `case x in y) ${beside};; (*) ${inner}\nesac`,
  (inner) => `f() { ${inner}\n}; f`,
  (inner) => `function f { ${inner}\n}\nf`,
  (inner, beside) => `f() (${inner}); ${beside} && f`,
  (inner, beside) => `cd src && cd .. && ${beside} && ${group(inner)}`,
];

const substitutions: readonly Shape[] = [
  (inner) => `echo "$(${inner}\n)"`,
  (inner) => `echo $(${inner}\n)`,
  (inner) => `echo a"b$(${inner}\n)c"d`,
  (inner) => `x=$(${inner}\n)`,
  (inner) => `x=$(${inner}\n); echo "$x"`,
  (inner, beside) => `${beside} < <(${inner}\n)`,
  (inner) => `cat <(${inner}\n)`,
  (inner) => `[ -n "$(${inner}\n)" ]`,
  (inner) => `[[ -n $(${inner}\n) ]]`,
  (inner) => `for f in $(${inner}\n); do echo "$f"; done`,
  (inner) => `case $(${inner}\n) in *) pwd;; esac`,
  (inner) => `cat <<< "$(${inner}\n)"`,
  (inner) => `cat << ${endOf(inner)}\nsome $(${inner}\n) text\n${endOf(inner)}`,
  (inner) => `cat <<- "${endOf(inner)}" | cat\n\tplain\n\t${endOf(inner)}\n${inner}`,
  (inner) => `echo "\${x:-$(${inner}\n)}"`,
  (inner) => `echo $((1 + $(${inner}\n)))`,
  (inner) => `: "$(${inner}\n)"`,
];

/** What surrounds it cannot be followed, so nobody can tell how often it runs, or whether at all. */
export const uncertain: readonly Shape[] = [
  (inner) => `for f in $(frobnicate); do ${inner}\ndone`,
  (inner) => `case $(frobnicate) in *) ${inner}\nesac`,
  (inner) => `while frobnicate; do ${inner}\ndone`,
  (inner) => `frobnicate && f() { ${inner}\n}; f`,
  (inner) => `if frobnicate; then f() { ${inner}\n}; fi; f`,
  (inner) => `frobnicate "$(${inner}\n)"`,
  (inner) => `eval ${singleQuoted(inner)}`,
  (inner) => `trap ${singleQuoted(inner)} EXIT`,
];

/** Another shell reads the text once more. */
const quoted: readonly Shape[] = [
  (inner) => `bash -c ${singleQuoted(inner)}`,
  (inner) => `sh -c ${singleQuoted(inner)}`,
  (inner) => `bash -c ${doubleQuoted(inner)}`,
  (inner) => `env bash -c ${singleQuoted(inner)}`,
  (inner) => `timeout 5 bash -c ${singleQuoted(inner)}`,
  (inner) => `bash << '${endOf(inner)}'\n${inner}\n${endOf(inner)}`,
  (inner) => `echo \`${inner.replace(/[\\`$]/g, "\\$&")}\``,
];

/** In front of one simple command. */
const wrappers = ["timeout 5", "nice", "nohup", "env", "command", "stdbuf -oL", "env LC_ALL=C", "nice -n 5"];

/** Where a blank may stand, more may stand as well. */
const blanks = ["  ", "\t", " \\\n ", "\\\n "];

interface Twist {
  readonly shapes: readonly { readonly family: number; readonly choice: number; readonly beside: string }[];
  readonly wrapper: number | undefined;
  readonly blank: number | undefined;
}

/** One of the fragments inside up to five layers, with harmless ones `beside` it for company. */
export function compositions(
  fragments: readonly string[],
  beside: readonly string[],
  more: readonly Shape[] = [],
): fc.Arbitrary<string> {
  const families = [lists, lists, compounds, compounds, substitutions, quoted, ...(more.length === 0 ? [] : [more])];
  const twist: fc.Arbitrary<Twist> = fc.record({
    shapes: fc.array(
      fc.record({ family: fc.nat(families.length - 1), choice: fc.nat(200), beside: fc.constantFrom(...beside) }),
      { maxLength: 5 },
    ),
    wrapper: fc.option(fc.nat(wrappers.length - 1), { nil: undefined, freq: 3 }),
    blank: fc.option(fc.nat(blanks.length - 1), { nil: undefined, freq: 3 }),
  });
  return fc.tuple(fc.constantFrom(...fragments), twist).map(([fragment, { shapes, wrapper, blank }]) => {
    let text = wrapper === undefined || !isPlain(fragment) ? fragment : `${wrappers[wrapper]} ${fragment}`;
    if (blank !== undefined) text = text.replace(/ (?=[^'"{}]*$)/, blanks[blank] ?? " ");
    for (const { family, choice, beside: company } of shapes) {
      const members = families[family] ?? lists;
      const shape = members[choice % members.length];
      // A here-document's end must keep its line to itself.
      if (shape !== undefined) text = shape(endsInHereDocument(text) ? group(text) : text, company);
    }
    return text;
  });
}

function isPlain(fragment: string): boolean {
  return /^[a-z]/.test(fragment) && !/^(?:source|eval|trap|exec|cd) /.test(fragment);
}

function group(inner: string): string {
  return `{ ${inner}\n}`;
}

function endsInHereDocument(text: string): boolean {
  return /END\d+$/.test(text);
}

/** Different from that of every here-document inside, which is shorter. */
function endOf(inner: string): string {
  return `END${inner.length}`;
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/["\\$`]/g, "\\$&")}"`;
}
