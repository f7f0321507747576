import path from "node:path";
import type { CheckKind } from "../../contract/verification.ts";
import { parseShell } from "../../shell/parse-shell.ts";
import { decisiveCommands, type PlacedCommand } from "./decisive-commands.ts";
import { checksNothing, knownChecks } from "./known-checks.ts";
import { cannotFail, isNegated } from "./script-end.ts";

/** What is known of the project that a command runs in. */
export interface ProjectChecks {
  /** From the settings. */
  readonly configured: readonly { readonly kind: CheckKind; readonly command: string }[];
  /** The text of a script that `npm run` and its like would run. */
  script(name: string): string | undefined;
}

/** A check that a command line holds, and how far its exit code speaks about it. */
export interface FoundCheck extends Pick<PlacedCommand, "exit" | "afterOthers"> {
  readonly kinds: readonly CheckKind[];
  /** Something else in the text may have changed files before it ran, or after that. */
  readonly changesBefore: boolean;
  readonly changesAfter: boolean;
  /** The directories that the text goes to before it, as they are written. */
  readonly moves: readonly string[];
}

/** All that a command line checks. What cannot be told apart is left out: it is then no evidence. */
export function checksOf(command: string, project: ProjectChecks): readonly FoundCheck[] {
  const parsed = parseShell(command);
  if (parsed.syntaxError !== undefined || isNegated(command)) return [];
  const all = decisiveCommands(parsed.root).map((placed) => ({ ...placed, kinds: kindsOf(placed.words, project, 3) }));
  const changes = (one: (typeof all)[number]) => one.mayChange && one.kinds.length === 0;
  const [firstChange, lastChange] = [all.findIndex(changes), all.findLastIndex(changes)];
  const besideChange = all.some((one) => one.beside && changes(one));
  const moves = all.flatMap(({ words: [program, to = "~"] }, at) => (program === "cd" ? [{ at, to }] : []));
  return all.flatMap(({ kinds, exit, afterOthers }, index) => {
    if (kinds.length === 0) return [];
    return {
      kinds,
      exit,
      afterOthers,
      changesBefore: firstChange !== -1 && firstChange < index,
      changesAfter: lastChange > index || besideChange,
      moves: moves.filter(({ at }) => at < index).map(({ to }) => to),
    };
  });
}

function kindsOf(words: readonly string[], project: ProjectChecks, depth: number): readonly CheckKind[] {
  const plain = withoutWrappers(words);
  const text = plain.join(" ");
  if (text === "") return [];
  const configured = project.configured.filter(({ command }) => text === command || text.startsWith(`${command} `));
  if (checksNothing.some((pattern) => pattern.test(text))) return [];
  const script = scriptOf(plain, project);
  if (configured.length === 0 && script !== undefined && cannotFail(script)) return [];
  const known = knownChecks.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)));
  const kinds = new Set([...configured.map(({ kind }) => kind), ...known.flatMap((check) => check.kinds)]);
  if (kinds.size > 0 || depth === 0) return [...kinds];
  const inner = script ?? innerText(plain);
  if (inner === undefined) return [];
  const parsed = parseShell(inner);
  if (parsed.syntaxError !== undefined || isNegated(inner)) return [];
  const inside = decisiveCommands(parsed.root).filter(({ exit }) => exit === "decides");
  return [...new Set(inside.flatMap((one) => kindsOf(one.words, project, depth - 1)))];
}

/** The text that `npm test` and its like would run. */
function scriptOf([program = "", first = "", second = ""]: readonly string[], project: ProjectChecks) {
  if (!runners.has(program)) return undefined;
  return project.script(first === "run" || first === "run-script" ? second : (shortNames[first] ?? first));
}

function innerText([program, first, second]: readonly string[]): string | undefined {
  return (program === "bash" || program === "sh") && first === "-c" ? second : undefined;
}

const shortNames: Readonly<Record<string, string>> = { t: "test", tst: "test" };
const runners = new Set(["npm", "pnpm", "yarn", "bun"]);
/** What only starts another program, with those of its flags that leave it at that. */
const bareWrappers: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^-i$/],
  ["time", /^-p$/],
  ["nice", /^-\d+$/],
  ["nohup", /^$/],
  ["command", /^--$/],
  ["exec", /^$/],
  ["xvfb-run", /^-a$/],
  ["npx", /^(?:--no|--no-install|-y|--yes|-q|--quiet|--offline|--prefer-offline|--)$/],
  ["bunx", /^--bun$/],
  ["pnpx", /^$/],
  ["timeout", /^(?:--foreground|--preserve-status|(?:-s|--signal=|-k|--kill-after=)\w+)$/],
]);
/** Their names mean something only where the system's own are called. */
const ofTheSystem = /^(?:npm|pnpm|yarn|bun|node|deno|python[\d.]*|go|cargo|make|just|bash|sh|env|npx|timeout)$/;
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
  const flags = bareWrappers.get(first);
  if (flags !== undefined) {
    const inner = rest.slice(firstWord(rest));
    if (!rest.slice(0, rest.length - inner.length).every((flag) => flags.test(flag))) return [];
    return withoutWrappers(first === "timeout" ? inner.slice(1) : inner);
  }
  const launcher = launchers.find((one) => one.every((word, index) => words[index] === word));
  if (launcher !== undefined && !(launcher[0] === "yarn" && isScript(words))) {
    return withoutWrappers(words.slice(launcher.length));
  }
  const program = path.basename(first);
  if (program !== first && ofTheSystem.test(program) && !/^\/(?:usr|bin|opt|nix)\//.test(first)) return [];
  return [program, ...rest];
}

function isScript(words: readonly string[]): boolean {
  return knownChecks.some(({ patterns }) => patterns.some((pattern) => pattern.test(words.join(" "))));
}

/** Behind the wrapper's own flags. */
function firstWord(words: readonly string[]): number {
  const index = words.findIndex((word) => !word.startsWith("-"));
  return index === -1 ? words.length : index;
}
