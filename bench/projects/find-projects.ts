import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { byKind, everywhere, type Kind, type Names, type Template, usual } from "./rows.ts";

export interface Row {
  readonly command: string;
  /** Run in bare bash before each run of the command. */
  readonly setup?: string;
  readonly cwd: string;
}

export interface Project {
  readonly name: string;
  readonly root: string;
  /** Where a user would start: the root, a package of a monorepo, a linked worktree. */
  readonly cwd: string;
  readonly kinds: readonly Kind[];
  readonly rows: readonly Row[];
}

/** What the files of rows in `/tmp` begin with; another run may be under way. */
export const temporary = `/tmp/row-${process.pid}-`;

/**
 * The checkouts below a directory. Each takes every row of its kinds and of `everywhere`, and a share of `usual`; with
 * share 0, only those of its own list.
 */
export function findProjects(directory: string, share: number): readonly Project[] {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
  return names.map((name, index) => {
    const root = path.join(directory, name);
    const { start, usualToo, listed } = readList(`${root}.commands`);
    const cwd = path.join(root, start ?? (existsSync(path.join(root, ".git")) ? "." : linkedWorktree(root)));
    const kinds = kindsOf(root, cwd);
    const chosen = usualToo && share > 0 ? chooseRows(name, cwd, kinds, (row) => row % share === index % share) : [];
    const own = [...new Set([...chosen, ...listed])];
    const rows = own.map((row) => (typeof row === "string" ? { command: row } : { setup: row[0], command: row[1] }));
    const ownTemporary = (command: string) => command.replaceAll("/tmp/row-", temporary);
    return { name, root, cwd, kinds, rows: rows.map((row) => ({ ...row, command: ownTemporary(row.command), cwd })) };
  });
}

/**
 * One command a line; `+` in front of a line makes it the setup of the next one, `@ directory` is where the user starts,
 * `*` stands for the commands that are chosen by kind. A line in double quotes is JSON, for commands of several lines.
 */
function readList(file: string): List {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const listed: Template[] = [];
  let start: string | undefined;
  let usualToo = false;
  let setup: string | undefined;
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== "" && !one.startsWith("#"))) {
    if (line.startsWith("@ ")) start = line.slice(2);
    else if (line === "*") usualToo = true;
    else if (line.startsWith("+ ")) setup = line.slice(2);
    else {
      const command: string = line.startsWith('"') ? JSON.parse(line) : line;
      listed.push(setup === undefined ? command : [setup, command]);
      setup = undefined;
    }
  }
  return { start, usualToo: usualToo || listed.length === 0, listed };
}

interface List {
  readonly start: string | undefined;
  readonly usualToo: boolean;
  readonly listed: readonly Template[];
}

function linkedWorktree(root: string): string {
  const isLinked = (name: string) => statSync(path.join(root, name, ".git"), { throwIfNoEntry: false })?.isFile();
  return readdirSync(root).find(isLinked) ?? ".";
}

function kindsOf(root: string, cwd: string): Kind[] {
  const has = (name: string) => existsSync(path.join(cwd, name));
  const above = (name: string) => has(name) || existsSync(path.join(root, name));
  const kinds: Kind[] = [];
  if (tracked(cwd, ".").length > 30_000) return ["large"];
  if (has("package.json")) kinds.push(above("pnpm-lock.yaml") ? "pnpm" : above("yarn.lock") ? "yarn" : "npm");
  if (has("pyproject.toml") || has("setup.py")) kinds.push("python");
  if (has("go.mod") && isInstalled("go")) kinds.push("go");
  if (!kinds.includes("python") && (has("Makefile") || has("makefile") || has("configure"))) kinds.push("c");
  if (statSync(path.join(cwd, ".git"), { throwIfNoEntry: false })?.isFile()) kinds.push("worktree");
  if (!has(".git")) kinds.push("package");
  return kinds;
}

function tracked(cwd: string, ...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", ...patterns], { cwd, encoding: "utf8", maxBuffer: 2 ** 28 });
  return listed.split("\0").filter((name) => name !== "");
}

function chooseRows(name: string, cwd: string, kinds: readonly Kind[], isMine: (row: number) => boolean): Template[] {
  const readme = tracked(cwd, ":(icase)readme*")[0] ?? tracked(cwd, "*.md", ".")[0] ?? "README.md";
  const sources = tracked(cwd, "*.js", "*.mjs", "*.ts", "*.py", "*.c", "*.go").filter(
    (one) => !/(?:^|\/)\.|\s|config|\.d\.ts$|benchmarks?\//.test(one),
  );
  const source = sources.find((one) => /^(?:src|lib|source)\//.test(one)) ?? sources[0] ?? readme;
  const names: Names = {
    name,
    readme,
    source,
    folder: path.dirname(source) === "." ? "docs-copy" : path.dirname(source),
  };
  const scripts = has(cwd, "package.json")
    ? (JSON.parse(readFileSync(path.join(cwd, "package.json"), "utf8")).scripts ?? {})
    : {};
  const needsScript = /(?:npm|pnpm|yarn) run ([\w:-]+)/;
  return [
    ...everywhere(names),
    ...usual(names).filter((_, row) => isMine(row)),
    ...kinds.flatMap((kind) => byKind[kind](names)),
  ].filter((row) => {
    const script = needsScript.exec(typeof row === "string" ? row : row[1])?.[1];
    return script === undefined || script in scripts;
  });
}

/** On the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((directory) => existsSync(path.join(directory, program)));
}

function has(cwd: string, name: string): boolean {
  return existsSync(path.join(cwd, name));
}
