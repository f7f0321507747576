import path from "node:path";
import { messageOf, visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerEntry } from "../../contract/server/server.ts";
import { heldName, type Settings } from "../../contract/settings.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import { isSameFile, placeInRepository } from "../../host/git/work-trees.ts";
import { readMcpFile } from "../../settings/read-mcp-file.ts";
import { brokenNotices } from "../../settings/read-servers.ts";

export interface NamedServers {
  readonly servers: readonly ServerEntry[];
  readonly notices: readonly string[];
}

interface ServerProject {
  readonly workspace: string;
  readonly settings: () => Outcome<Settings>;
}

export function namedServers(file: string, project: ServerProject): Outcome<NamedServers> {
  let text: string | undefined;
  try {
    text = readSmallText(file);
  } catch (error) {
    return fail("bad_request", `${file} cannot be read (${messageOf(error)}).`, { recovery: otherFile });
  }
  if (text === undefined) return fail("bad_request", `The file ${file} does not exist.`, { recovery: otherFile });
  const own = ownFiles.map((name) => path.join(project.workspace, name)).find((name) => isSameFile(name, file));
  if (own !== undefined) return trustedOf(project, own);
  const place = placeInRepository(file, project.workspace);
  if (place !== undefined) {
    const known = place.name === file ? file : `${file}, which is ${place.name},`;
    return fail(
      "policy_denied",
      `${known} is in the repository ${place.tree}, so it belongs to the project and is not trusted.`,
      {
        recovery: `Move its servers to .mcp.json and run gauntlet trust, or move the file out of ${place.tree}.`,
      },
    );
  }
  const read = readMcpFile({ path: file, text });
  if (!read.ok) return read;
  const settings = project.settings();
  if (!settings.ok) return settings;
  const { notes, broken = [] } = read.value;
  const entries = Object.entries(read.value.file.mcpServers ?? {});
  const servers = entries.map(([name, setting]): ServerEntry => ({ name, setting, origin: file, named: true }));
  return ok({
    servers: servers.filter(({ name }) => heldName(name, settings.value) === undefined),
    notices: [
      ...notes.map((note) => visibleText(`${file}: ${note}`)),
      ...brokenNotices(file, broken),
      ...servers.flatMap((entry) => nameNotice(entry, settings.value) ?? []),
    ],
  });
}

const otherFile = "Pass a file in the format of .mcp.json: --config FILE.";

function nameNotice({ name, origin }: ServerEntry, settings: Settings): string | undefined {
  const held = heldName(name, settings);
  if (held !== undefined) return `MCP server ${name} of ${origin} is not used: ${held}.`;
  const replaced = settings.servers.find((entry) => entry.name === name);
  return replaced === undefined
    ? undefined
    : `MCP server ${name} of ${origin} replaces the one in ${replaced.origin}: rules for mcp__${name} now apply to it.`;
}

const ownFiles = [".mcp.json", ".gauntlet/settings.json"];

function trustedOf(project: ServerProject, own: string): Outcome<NamedServers> {
  const settings = project.settings();
  if (!settings.ok) return settings;
  const isOwn = ({ origin }: { readonly origin: string }) => origin === own;
  const { servers, idleServers, brokenServers } = settings.value;
  if (servers.some(isOwn)) return ok({ servers: [], notices: [] });
  const waiting = idleServers.filter(({ entry, because }) => because === "untrusted" && isOwn(entry));
  if (waiting.length > 0) {
    const names = waiting.map(({ entry }) => entry.name).join(", ");
    return fail("policy_denied", `${own} belongs to the project, and these servers are not trusted: ${names}.`, {
      recovery: "Review and trust them: gauntlet trust",
    });
  }
  const [broken] = brokenServers.filter(isOwn);
  return fail("bad_request", broken?.problem ?? `No server in ${own} can be started.`, {
    recovery: `Fix ${own}. To see what is wrong: gauntlet mcp list`,
  });
}
