import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "@modelcontextprotocol/server";
import { atMostEvery } from "../../base/async.ts";
import { withoutSecrets } from "../../base/secret-span.ts";
import type { Archive } from "../../contract/app/archive.ts";
import type { Door, DoorOptions } from "../../contract/app/door.ts";
import type { Unanswered } from "../../contract/app/policy.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { Ids } from "../../contract/ids.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import type { JsonSchema, MenuEntry } from "../../contract/tool-facts.ts";
import { mayBelongTo } from "../tools/menu-names.ts";
import { type ReportProblem, secretName } from "./admit-offers.ts";
import type { ReadBytes } from "./contents.ts";
import { createGateway } from "./gateway.ts";
import type { McpOffer } from "./offer.ts";
import { createProtocolServer, type ProtocolServer } from "./protocol-server.ts";
import { sessionResources } from "./resources.ts";
import { clientCalls } from "./tools.ts";

export interface ServedSession {
  readonly door: Door;
  readonly protocol: ProtocolServer;
  close(): Promise<void>;
}

const arrivalMs = 15_000;
const lookMs = 10;
const tellMs = 1_000;
const mostBytes = 1024 * 1024;

export async function serveSession(parts: {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly open: (live: Pick<DoorOptions, "ask" | "elicit" | "onNotice">) => Promise<Outcome<Door>>;
  readonly archive: () => Archive | undefined;
  readonly unanswered: Unanswered;
  readonly ids: Ids;
  readonly passesOn: boolean;
  readonly severalClients: boolean;
  readonly approvalMs: number;
  readonly onTrouble: (status: ServerStatus) => void;
}): Promise<Outcome<ServedSession>> {
  let door: Door | undefined;
  let protocol: ProtocolServer | undefined;
  const opened = (): Door => {
    if (door === undefined) throw new Error("The session is not open yet.");
    return door;
  };
  const readBytes: ReadBytes = (id) => {
    const page = parts.archive()?.artifact(opened().sessionId, id, { offset: 0, length: mostBytes });
    return page?.ok && page.value.ref.bytes <= mostBytes ? page.value.content : undefined;
  };
  const calls = clientCalls(opened, { ...parts, readBytes: parts.passesOn ? readBytes : undefined });
  const tellOfOthers = atMostEvery(tellMs, () => {
    protocol?.tell.promptsChanged();
    protocol?.tell.resourcesChanged();
  });
  const troubles = reportOnce(opened, parts.onTrouble);
  const own = sessionResources(opened, { ...parts, calls });
  const passed = parts.passesOn
    ? createGateway(opened, {
        calls,
        tell: troubles.tell,
        readBytes,
        own,
        patienceMs: arrivalMs,
        onUpdate: (uri) => protocol?.tell.resourceUpdated(uri),
      })
    : undefined;
  const opening = await parts.open({
    ask: calls.ask,
    elicit: calls.elicit,
    onNotice(notice) {
      calls.notice(notice);
      if (notice.kind === "menu_changed") protocol?.tell.toolsChanged();
      if (notice.kind === "resource_updated") passed?.updated(notice);
      if (notice.kind !== "server") return;
      troubles.changed(notice.status);
      if (protocol !== undefined) door?.projectContext({});
      if (parts.passesOn && notice.status.state === "ready") tellOfOthers();
    },
  });
  if (!opening.ok) return opening;
  const session = opening.value;
  door = session;
  const offer: McpOffer = {
    info: { name: parts.name, version: parts.version },
    instructions: parts.instructions,
    tools: {
      async list() {
        await allArrived(session);
        session.projectContext({});
        return shownTools(session, parts.passesOn, troubles.tell);
      },
      call: calls.call,
    },
    ...(passed === undefined ? { resources: own } : passed.offer),
  };
  protocol = await createProtocolServer(offer, parts);
  const served = protocol;
  return ok({
    door: session,
    protocol: served,
    async close() {
      protocol = undefined;
      await served.close();
      await session.close();
    },
  });
}

async function allArrived(door: Door): Promise<void> {
  const until = performance.now() + arrivalMs;
  while (door.servers().some(({ state }) => state === "connecting") && performance.now() < until) await delay(lookMs);
}

function shownTools(door: Door, passesOn: boolean, tell: ReportProblem): readonly Tool[] {
  const offered = door.menu().filter(({ visible, source }) => visible && (!passesOn || source === "mcp"));
  const shown = offered.map((entry) => shownTool(entry, door.outputSchema(entry.name), door.redact));
  const refused = offered.filter((_, at) => shown[at] === undefined);
  for (const { name: server } of door.servers()) {
    const left = refused.filter(({ name }) => mayBelongTo(name, server)).length;
    tell(server, "tools", left === 0 ? undefined : `${left} not offered: ${secretName}`);
  }
  return shown.filter((tool) => tool !== undefined);
}

/** Reports each problem of a server once, until it changes. */
export function reportOnce(door: () => Pick<Door, "servers">, onTrouble: (status: ServerStatus) => void) {
  const told = new Map<string, string>();

  function once(key: string, why: string, status: ServerStatus): void {
    if (told.get(key) === why) return;
    told.set(key, why);
    onTrouble(status);
  }

  const tell: ReportProblem = (server, what, why) => {
    const key = `${server} ${what}`;
    if (why === undefined) return void told.delete(key);
    const status = door()
      .servers()
      .find(({ name }) => name === server);
    if (status?.state === "ready") once(key, why, { ...status, detail: `${what}: ${why}` });
  };
  const changed = (status: ServerStatus): void => {
    const { name, state, detail = "" } = status;
    if (state === "ready") told.delete(name);
    if (state === "failed" || state === "needs_login") once(name, detail, status);
  };
  return { changed, tell };
}

function shownTool(
  { name, description, inputSchema, risks }: MenuEntry,
  promised: JsonSchema | undefined,
  redact: Door["redact"],
): Tool | undefined {
  const readOnly = risks.every((risk) => risk === "read");
  const tool: Tool = {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    outputSchema: promised && { ...promised, type: "object" },
    annotations: { readOnlyHint: readOnly, openWorldHint: risks.includes("network") },
  };
  return withoutSecrets(tool, redact);
}
