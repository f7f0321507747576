import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { calculate } from "./arithmetic.ts";
import { assign, freshState, type ShellState, someNumber, someText } from "./shell-state.ts";

const numbers = ["a", "b"].reduce((state, name) => assign(state, name, [someNumber]), freshState(["/"]));
const values = (state: ShellState, name: string) => state.variables.get(name);

test("what is accepted is no error to bash, whatever numbers it is given", () => {
  const sign = fc.constantFrom(
    ..."a b c $a 1 0 7 010 0x1F 16#f + - * / % ** ++ -- ! ~ < > <= == != && || & | ^ << ? : ( ) , = += /=".split(" "),
    " ",
  );
  const texts = fc.sample(
    fc.array(sign, { minLength: 1, maxLength: 6 }).map((signs) => signs.join("")),
    { numRuns: 20_000, seed: 4_711 },
  );
  const accepted = [...new Set(texts.filter((text) => !("why" in calculate(text, numbers))))];
  expect(accepted.length).toBeGreaterThan(200);
  const script = accepted.map((text, index) =>
    ["-5", "0", "3"].map((a) => `( a=${a} b=-2 c=4; : $((${text})) ) || echo ${index}`).join("; "),
  );
  const run = spawnSync("bash", ["--noprofile", "--norc"], { input: script.join("\n"), encoding: "utf8" });
  const wrong = [...new Set(run.stdout.split("\n").filter((line) => line !== ""))].map(
    (line) => accepted[Number(line)],
  );
  expect(wrong).toEqual([]);
});

test.each(["1/0", "1%a", "a/=2-2", "1/2**64", "2**-1", "08", "2 2", "x[0]", "d", "1+", "a-$a", "PATH=1", "(", "a?1"])(
  "%s is refused",
  (expression) => {
    expect(calculate(expression, assign(numbers, "d", [{ text: "x" }]))).toHaveProperty("why");
  },
);

test("a change that may be left out keeps the value before it", () => {
  const before = assign(numbers, "n", [{ text: "5 rm a" }]);
  const after = (expression: string) => {
    const read = calculate(expression, before);
    return "why" in read ? read : values(read.state, "n");
  };
  expect(after("n = 1")).toEqual([someNumber]);
  for (const expression of ["0 && (n = 1)", "1 || (n = 1)", "a ? (n = 1) : 0"]) {
    expect(after(expression)).toEqual([{ text: "5 rm a" }, someNumber]);
  }
  const fresh = calculate("1 || (m = 1)", before);
  expect("why" in fresh ? fresh : values(fresh.state, "m")).toEqual([someText]);
});
