import path from "node:path";
import type { CheckKind } from "../../contract/verification.ts";
import { parseShell } from "../../effects/shell/parse-shell.ts";
import { decisiveCommands, type PlacedCommand } from "./decisive-commands.ts";
import { knownChecks, lists } from "./known-checks.ts";

/** What is known of the project that a command runs in. */
export interface ProjectChecks {
  /** From the settings. */
  readonly configured: readonly { readonly kind: CheckKind; readonly command: string }[];
  /** The text of a script that `npm run` and its like would run. */
  script(name: string): string | undefined;
}

/** A check that a command line holds, and how far its exit code speaks about it. */
export interface FoundCheck extends Omit<PlacedCommand, "words"> {
  readonly kinds: readonly CheckKind[];
}

/** All that a command line checks. What cannot be told apart is left out: it is then no evidence. */
export function checksOf(command: string, project: ProjectChecks): readonly FoundCheck[] {
  const parsed = parseShell(command);
  if (parsed.syntaxError !== undefined) return [];
  return decisiveCommands(parsed.root).flatMap(({ words, ...placed }) => {
    const kinds = kindsOf(words, project, 3);
    return kinds.length === 0 ? [] : [{ ...placed, kinds }];
  });
}

function kindsOf(words: readonly string[], project: ProjectChecks, depth: number): readonly CheckKind[] {
  const plain = withoutWrappers(words);
  const text = plain.join(" ");
  if (text === "" || lists.test(text)) return [];
  const configured = project.configured.filter(({ command }) => text === command || text.startsWith(`${command} `));
  const known = knownChecks.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)));
  const kinds = new Set([...configured.map(({ kind }) => kind), ...known.flatMap((check) => check.kinds)]);
  if (kinds.size > 0 || depth === 0) return [...kinds];
  const inner = innerText(plain, project);
  if (inner === undefined) return [];
  const parsed = parseShell(inner);
  if (parsed.syntaxError !== undefined) return [];
  const inside = decisiveCommands(parsed.root).filter(({ exit }) => exit === "decides");
  return [...new Set(inside.flatMap((one) => kindsOf(one.words, project, depth - 1)))];
}

/** The text that a script runner or `bash -c` would run. */
function innerText(words: readonly string[], project: ProjectChecks): string | undefined {
  const [program, first, second] = words;
  if ((program === "bash" || program === "sh") && first === "-c") return second;
  if (program !== undefined && runners.has(program)) {
    return project.script((first === "run" || first === "run-script" ? second : first) ?? "");
  }
  return undefined;
}

const runners = new Set(["npm", "pnpm", "yarn", "bun"]);
const bareWrappers = new Set(["env", "time", "nice", "nohup", "command", "exec", "xvfb-run", "npx", "bunx", "pnpx"]);
const launchers: readonly (readonly string[])[] = [
  ["npm", "exec", "--"],
  ["npm", "exec"],
  ["pnpm", "exec"],
  ["pnpm", "dlx"],
  ["yarn", "exec"],
  ["yarn", "run"],
  ["bundle", "exec"],
  ["poetry", "run"],
  ["pipenv", "run"],
  ["uv", "run"],
  ["rye", "run"],
  ["hatch", "run"],
  ["pdm", "run"],
  ["coverage", "run", "-m"],
];

/** `CI=1 timeout 60 npx --no vitest run` is `vitest run`, and a path before the program does not matter. */
function withoutWrappers(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  if (/^[A-Za-z_]\w*=/.test(first)) return withoutWrappers(rest);
  if (bareWrappers.has(first)) return withoutWrappers(rest.slice(firstWord(rest)));
  if (first === "timeout") return withoutWrappers(rest.slice(firstWord(rest) + 1));
  const launcher = launchers.find((one) => one.every((word, index) => words[index] === word));
  if (launcher !== undefined && !(launcher[0] === "yarn" && isScript(words))) {
    return withoutWrappers(words.slice(launcher.length));
  }
  return [path.basename(first), ...rest];
}

function isScript(words: readonly string[]): boolean {
  return knownChecks.some(({ patterns }) => patterns.some((pattern) => pattern.test(words.join(" "))));
}

/** Behind the wrapper's own flags. */
function firstWord(words: readonly string[]): number {
  const index = words.findIndex((word) => !word.startsWith("-"));
  return index === -1 ? words.length : index;
}
