import { canBeEnabled, failedWords } from "../cli/commands/mcp/list.ts";
import { say } from "../cli/render/shown.ts";
import { counted } from "../cli/render/table.ts";
import { besideMargin } from "../cli/render/wrap.ts";
import type { ListedServer } from "../contract/server/desk.ts";
import type { ServerStatus } from "../contract/server/server.ts";

interface Row {
  readonly name: string;
  readonly state: string;
  readonly transport: string;
  /** Why it is so, what it brings, or what to do. */
  readonly facts: string;
}

/**
 * The servers of a session, and those that it does not have: what came into force since it began, and what is
 * configured and not in force.
 */
export function serversText(
  here: readonly ServerStatus[],
  listed: readonly ListedServer[],
  { columns }: { readonly columns: number },
): string {
  const isHere = (one: ListedServer) => here.some((server) => isSame(server, one));
  const rows = [
    ...here.map((server) =>
      rowHere(
        server,
        listed.find((one) => isSame(server, one)),
      ),
    ),
    ...listed.filter((one) => !isHere(one)).map(rowElsewhere),
  ];
  const [name, state] = [rows.map((row) => row.name), rows.map((row) => row.state)].map(widest);
  return rows.flatMap((row) => rowLines(row, { columns, name: name ?? 0, state: state ?? 0 })).join("\n") || none;
}

const none = "No MCP server is configured: `gauntlet mcp add --help` shows how.";

/** One that is not in force is another one, also where it has the name and the file of one that is. */
function isSame(server: ServerStatus, one: ListedServer): boolean {
  return server.name === one.name && server.origin === one.origin && (one.inForce || one.broken === true);
}

function rowHere({ name, state, transport, protocol, tools, detail }: ServerStatus, listed?: ListedServer): Row {
  if (state !== "ready" && listed?.broken === true)
    return { name, state: "broken", transport, facts: listed.detail ?? "" };
  if (state === "configured" && listed?.failed !== undefined) {
    const { what, text, again } = failedWords(name, listed.failed);
    return { name, state: what, transport, facts: `${text}\nagain: ${again}` };
  }
  const facts = state === "ready" ? `${counted(tools, "tool")}, protocol ${protocol ?? "unknown"}` : (detail ?? "");
  return { name, state: state.replace("_", " "), transport, facts };
}

function rowElsewhere(listed: ListedServer): Row {
  const { name, transport = "", detail = "", inForce, broken, disabled, hash } = listed;
  if (inForce) return { name, state: "new", transport, facts: "in force from the next session on: /new begins one" };
  if (broken === true) return { name, state: "broken", transport, facts: detail };
  if (disabled === true)
    return {
      name,
      state: "switched off",
      transport,
      facts: canBeEnabled(listed) ? `gauntlet mcp enable ${name}` : detail,
    };
  return hash === undefined
    ? { name, state: "not in force", transport, facts: detail }
    : { name, state: "not trusted", transport, facts: `${detail}: gauntlet trust` };
}

interface Widths {
  readonly columns: number;
  readonly name: number;
  readonly state: number;
}

/** What does not fit beside a server stands below it. */
function rowLines({ name, state, transport, facts }: Row, widths: Widths): readonly string[] {
  const line = `${name.padEnd(widths.name)}  ${state.padEnd(widths.state)}  ${transport.padEnd(mostTransport)}`;
  if (!facts.includes("\n") && `${line}  ${facts}`.length <= widths.columns) return [`${line}  ${facts}`.trimEnd()];
  const below = facts.split("\n").flatMap((row) => {
    const words = row.trimStart();
    const first = say`    ${row.slice(0, row.length - words.length)}`;
    return besideMargin(say`${words}`, { columns: widths.columns, first });
  });
  return [line.trimEnd(), ...below.map(({ text }) => text)];
}

const mostTransport = "stdio".length;

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}
