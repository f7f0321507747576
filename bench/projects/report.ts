import type { Mode } from "../../src/index.ts";
import type { Difference } from "./run-row.ts";

export interface Result {
  readonly user: "root" | "a user";
  readonly project: string;
  readonly kinds: readonly string[];
  readonly command: string;
  readonly setup?: string;
  readonly mode: Mode;
  readonly bareExit: string;
  readonly exit: string;
  readonly differences: readonly Difference[];
  /** Two bare runs differ; what they differ in is not compared. */
  readonly nondeterministic: boolean;
  /** The first lines of both outputs, where the command ended differently. */
  readonly outputs?: readonly [bare: string, ours: string];
  readonly reasons: readonly string[];
  readonly questions: { readonly before: number; readonly after: number };
  readonly bareMs: number;
  readonly ms: number;
}

export function isSame({ differences }: Result): boolean {
  return differences.every(({ what }) => what === "caches" || what === "output");
}

export function isSlow({ bareMs, ms }: Result): boolean {
  return ms > 1.5 * bareMs + 200;
}

const counted = ["exit", "files", "left behind", "git"] as const;
const causes = [...counted, "caches", "output"] as const;

/** A table for each mode: a line for each project, and the totals. */
export function tables(results: readonly Result[]): string[] {
  return [...new Set(results.map(({ mode }) => mode))].flatMap((mode) => {
    const own = results.filter((result) => result.mode === mode);
    const projects = [...new Set(own.map(({ project }) => project))];
    return [
      `Mode \`${mode}\`:`,
      "",
      "| project | kind | rows | same | differ in: exit code | files | left behind | git state | only caches | questions a row | slow |",
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
      ...projects.map((project) => {
        const rows = own.filter((result) => result.project === project);
        return line([project, rows[0]?.kinds.join(", ") ?? ""], rows);
      }),
      line(["**all**", ""], own),
      "",
    ];
  });
}

function line(names: readonly string[], rows: readonly Result[]): string {
  const within = (cause: Difference["what"]) =>
    rows.filter(({ differences }) => differences.some(({ what }) => what === cause));
  const onlyCaches = within("caches").filter(isSame).length;
  const asked = rows.reduce((sum, { questions }) => sum + questions.before + questions.after, 0);
  const figures = [
    rows.length,
    rows.filter(isSame).length,
    ...counted.map((cause) => within(cause).length),
    onlyCaches,
    (asked / rows.length).toFixed(2),
    rows.filter(isSlow).length,
  ];
  return `| ${[...names, ...figures].join(" | ")} |`;
}

/** Rows that differ, also only in caches or output, and rows that are slow; each on a few lines. */
export function details(results: readonly Result[]): string[] {
  return results.flatMap((result) => {
    const { project, mode, command, differences, bareMs, ms } = result;
    const name = `${project} [${mode}] ${oneLine(command, 120)}`;
    const slow = isSlow(result) ? [`SLOW ${name}: ${seconds(ms)} instead of ${seconds(bareMs)}`] : [];
    if (differences.length === 0) return slow;
    const parts = causes.flatMap((cause) => {
      const found = differences.filter(({ what }) => what === cause);
      if (found.length === 0) return [];
      const more = found.length > 3 ? `; and ${found.length - 3} more` : "";
      return [
        `     ${cause}: ${found
          .slice(0, 3)
          .map(({ detail }) => oneLine(detail, 160))
          .join("; ")}${more}`,
      ];
    });
    return [`${isSame(result) ? "same" : "DIFF"} ${name}`, ...parts, ...slow];
  });
}

export function oneLine(text: string, most: number): string {
  const line = text.replaceAll("\n", "⏎");
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
