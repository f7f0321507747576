import type { z } from "zod";
import type { JsonPlace } from "../base/json.ts";
import { visibleText } from "../base/text.ts";
import { type ServerSetting, serverName } from "../contract/server/server.ts";
import type { BrokenServer } from "../contract/settings.ts";
import { type FieldProblem, problemsUnder, problemText } from "./parse-settings-text.ts";

interface WrittenServer {
  readonly name: string;
  readonly value: unknown;
  readonly schema: z.ZodType<ServerSetting>;
}

/** Describing each problem takes time. */
const mostExplained = 100;

interface ServersFile {
  readonly path: string;
  readonly placeOf: (field: string) => JsonPlace;
}

/** An invalid entry removes only that server. */
export function readServers(written: readonly WrittenServer[], file: ServersFile) {
  const servers: [string, ServerSetting][] = [];
  const broken: BrokenServer[] = [];
  const isName = serverName();
  for (const { name, value, schema } of written) {
    const named = isName.safeParse(name);
    const parsed = schema.safeParse(value, { jitless: true });
    if (named.success && parsed.success) {
      servers.push([name, parsed.data]);
      continue;
    }
    const issues = [...(named.error?.issues ?? []), ...(parsed.error?.issues ?? [])];
    const problems = broken.length < mostExplained ? problemsUnder(["mcpServers", name], issues) : [];
    broken.push({ name, origin: file.path, problem: wordsOf(problems, file) });
  }
  return { servers: Object.fromEntries(servers), broken };
}

const shownProblems = 5;

function wordsOf([first, ...others]: readonly FieldProblem[], { path, placeOf }: ServersFile): string {
  if (first === undefined) return `${path}: this is not a server`;
  const shown = others.slice(0, shownProblems - 1).map((other) => {
    const { line, column } = placeOf(other.field);
    return visibleText(`; ${line}:${column}: ${other.field}: ${other.problem}`);
  });
  const left = others.length - shown.length;
  const more = left === 0 ? "" : `; and ${left} more`;
  return [problemText(path, { ...first, place: placeOf(first.field) }), ...shown, more].join("");
}

const shownEntries = 5;

export function brokenNotices(path: string, broken: readonly BrokenServer[]): readonly string[] {
  const shown = broken.slice(0, shownEntries).map(({ problem }) => `${problem}. ${leftOut}`);
  const others = broken.length - shown.length;
  return others === 0
    ? shown
    : [...shown, `${path}: ${others} more servers are ignored; \`gauntlet mcp list\` lists them.`];
}

const leftOut = "This MCP server is ignored until you fix or remove its entry.";
