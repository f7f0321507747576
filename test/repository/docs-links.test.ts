import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((page) => existsSync(path.join(root, page)));

/** As a heading's address is made. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test.each(pages)("every link of %s leads somewhere", (page) => {
  const text = readFileSync(path.join(root, page), "utf8").replace(/```[\s\S]*?```/g, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const dead = links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const to = file === "" ? path.join(root, page) : path.resolve(root, path.dirname(page), file);
    if (!existsSync(to)) return true;
    if (anchor === undefined) return false;
    const headings = [...readFileSync(to, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    return !headings.includes(anchor);
  });
  expect(dead).toEqual([]);
});

test("every path of the repository that a page names exists", () => {
  const written = pages.filter((page) => /^(?:docs\/|README\.md$|CONTRIBUTING\.md$)/.test(page));
  const dead = written.flatMap((page) => {
    const text = readFileSync(path.join(root, page), "utf8").replace(/```[\s\S]*?```/g, "");
    const named = [...text.matchAll(/`((?:src|test|scripts|bench|docs)\/[\w./*-]*)`/g)].map(([, name = ""]) => name);
    return named.filter((name) => globSync(name, { cwd: root }).length === 0).map((name) => `${page}: ${name}`);
  });
  expect(dead).toEqual([]);
});

test("the front page and the guides stay short", () => {
  const long = pages.filter((page) => {
    const most = page === "docs/security.md" ? 200 : page === "README.md" || page.startsWith("docs/guide/") ? 150 : 0;
    return most > 0 && readFileSync(path.join(root, page), "utf8").split("\n").length > most;
  });
  expect(long).toEqual([]);
});
