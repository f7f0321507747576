import { expect, test } from "vitest";
import { indexContent } from "./content-index.ts";

const contents: Readonly<Record<string, string>> = { a: "one", b: "two", c: "one", d: "four", closed: "???" };

function index(names: readonly string[], mayRead: (bytes: number) => boolean = () => true) {
  const reads: string[] = [];
  const digest = (file: string) => {
    reads.push(file);
    if (file === "closed" || file === "shut") throw new Error("it cannot be read");
    return contents[file];
  };
  const sized = (file: string) => ({ file, size: (contents[file] ?? "???").length });
  const { sameAs } = indexContent(names.map(sized), { digest, mayRead });
  return { reads, sameAs: (file: string, size?: number) => sameAs({ file, size: size ?? sized(file).size }) };
}

test("files are the same by their content, and each is read once", () => {
  const { reads, sameAs } = index(["a", "b", "d"]);
  expect([sameAs("c"), sameAs("c"), sameAs("x", 99), sameAs("a")]).toEqual([["a"], ["a"], [], ["a"]]);
  expect(reads).toEqual(["a", "b", "c"]);
});

test("what cannot be read is the same as anything of its size", () => {
  const { sameAs } = index(["a", "closed"]);
  expect([sameAs("c"), sameAs("b"), sameAs("shut")]).toEqual([["a", "closed"], ["closed"], ["a", "closed"]]);
});

test("where no more may be read nothing is said", () => {
  let left = 6;
  const { reads, sameAs } = index(["a", "b", "d"], (bytes) => {
    left -= bytes;
    return left >= 0;
  });
  expect([sameAs("c"), sameAs("d"), sameAs("x", 99)]).toEqual([undefined, undefined, []]);
  expect(reads).toEqual(["a", "b"]);
});
