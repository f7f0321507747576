import path from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny, isNeverShown, kernelTrees, systemTrees } from "../../contract/effect.ts";
import type { Clock, Ids } from "../../contract/ids.ts";
import type { Metadata, Sandbox } from "../../contract/ports.ts";
import { isNamed, type Launch, type PackageSource, sourceOf } from "../../contract/server/package-source.ts";
import type { ServerEntry, StdioServer } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { resolvePath } from "../../effects/resolve-path.ts";
import { deniesEveryChange } from "../../gate/closed-paths.ts";
import type { GatePolicy } from "../../gate/policy.ts";
import { readSmallText } from "../../host/files/read-small-text.ts";
import type { Places } from "../../host/state/find-places.ts";
import { scriptEnding } from "../../programs/interpreters.ts";
import { findToolchains } from "../../sandbox/plan/toolchains.ts";
import { describeFetch, readLaunch } from "../../settings/package-launch.ts";
import { absolutePath } from "../../settings/resolve-setting.ts";
import { serverDirectory } from "./server-state.ts";

export interface ServerWorld {
  readonly places: Places;
  readonly settings: Settings;
  readonly sandbox: Sandbox;
  readonly gatePolicy: GatePolicy;
  readonly metadata: Metadata;
  readonly isInForce: (entry: ServerEntry) => boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ProgramNeeds {
  readonly cwd: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: readonly string[];
  readonly fetched?: { readonly launch: Launch; readonly source: PackageSource };
  readonly withheld: readonly string[];
  readonly refused?: string;
  readonly beyond: readonly string[];
}

export function programNeeds(world: ServerWorld, entry: ServerEntry, filled: StdioServer): Outcome<ProgramNeeds> {
  const { places, environment } = world;
  const { sandbox = {}, cwd = "." } = filled;
  const stated: string[] = [];
  for (const written of [cwd, ...(sandbox.read ?? []), ...(sandbox.write ?? [])]) {
    const found = resolveIn(world, written);
    if (!found.ok) return found;
    if (isLed(world, written, found.value.resolved)) return ledAway(written, found.value.resolved);
    stated.push(found.value.resolved);
  }
  const [at = "", ...others] = stated;
  const reads = sandbox.read?.length ?? 0;
  const implied =
    sandbox.read === undefined && !isProjects(entry, places) ? impliedReads(world, filled) : { read: [], beyond: [] };
  // The user approved the written entry: a variable must not turn it into a launcher.
  const written = readLaunch(entry.setting, places.workspace);
  const isLaunched = written !== undefined && written.refused === undefined;
  const { launch, refused } = (isLaunched ? readLaunch(filled, places.workspace) : written) ?? {};
  const source =
    launch === undefined ? undefined : sourceOf(launch, { environment, home: places.home, readText: readSmallText });
  if (launch !== undefined && source === undefined) {
    return fail("bad_request", `The registry for ${launch.packages.join(" and ")} is unknown.`, {
      recovery: "Correct the registry in your npm configuration, or in UV_DEFAULT_INDEX and PIP_INDEX_URL.",
    });
  }
  const network = sandbox.network ?? (refused === undefined ? source?.hosts : undefined) ?? [];
  const withheld = (source?.hosts ?? []).filter((host) => !isNamed(host, network));
  return ok({
    cwd: at,
    read: [...others.slice(0, reads), ...implied.read],
    write: others.slice(reads),
    network,
    fetched: launch && source && { launch, source },
    withheld,
    refused,
    beyond: implied.beyond,
  });
}

export function resolveIn({ metadata, places }: Pick<ServerWorld, "metadata" | "places">, written: string) {
  return resolvePath(written, { metadata, base: places.workspace, home: places.home });
}

function ledAway(written: string, resolved: string): Outcome<never> {
  return fail("bad_request", `${written} is a link of the project to ${resolved}.`, {
    recovery: `Write ${resolved} in the server's entry, or replace the link with a directory.`,
  });
}

function isLed({ places, settings }: ServerWorld, written: string, resolved: string): boolean {
  const named = absolutePath(written, places);
  return named !== resolved && isInsideAny(named, settings.roots);
}

export function unshownPaths(
  world: ServerWorld,
  filled: StdioServer,
  { read, write }: ProgramNeeds,
): readonly string[] {
  const { environment, places, sandbox, settings } = world;
  if (sandbox.description.backend !== "bubblewrap") return [];
  const toolchains = findToolchains({
    path: environment.PATH ?? "",
    home: places.home,
    extra: settings.sandbox.toolchains,
    workspaceRoots: settings.roots,
  });
  const shown = [...read, ...write, ...toolchains.directories];
  return readsOf(world, filled).filter((place) => !isInsideAny(place, shown));
}

export function readsOf(world: ServerWorld, filled: StdioServer): readonly string[] {
  return impliedReads(world, filled).read;
}

export function packageCache(entry: ServerEntry, { gauntletHome, workspace }: Places): string {
  return path.join(gauntletHome, "servers", serverDirectory(entry, workspace), "packages");
}

function isProjects({ origin }: ServerEntry, { workspace }: Places): boolean {
  return path.isAbsolute(origin) && isInside(origin, workspace);
}

const socketPlaces = ["/run", "/var/run"];
const packageMarks = ["package.json", "pyproject.toml", "pyvenv.cfg"];
const mostAbove = 3;

function impliedReads(world: ServerWorld, { command, args = [] }: StdioServer): Pick<ProgramNeeds, "read" | "beyond"> {
  const { gatePolicy, metadata, places, settings } = world;
  const read = new Set<string>();
  const beyond = new Set<string>();
  const exists = (place: string) => metadata.lstat(place) !== undefined;
  const isSeen = (place: string) => isInsideAny(place, [...settings.roots, ...systemTrees, ...kernelTrees]);
  const isTooWide = (place: string) => isNeverShown(place) || isInside(places.home, place);
  const add = (place: string) => {
    const closed = gatePolicy.classify(place);
    if (isTooWide(place) || closed === "secret" || closed === "state") beyond.add(place);
    else read.add(place);
  };
  const directoryOf = (program: string): string => {
    const [installed] = /^.*?\/node_modules(?=\/)/.exec(program) ?? [];
    if (installed !== undefined) return installed;
    const own = path.dirname(program);
    let above = own;
    for (let level = 0; level < mostAbove && !isTooWide(above); level++, above = path.dirname(above)) {
      if (packageMarks.some((mark) => exists(path.join(above, mark)))) return above;
    }
    return isTooWide(own) ? program : own;
  };
  for (const [index, word] of [command, ...args].entries()) {
    const written = path.isAbsolute(word) ? word : word.slice(word.indexOf("=") + 1);
    if (!path.isAbsolute(written)) continue;
    const found = resolveIn(world, written);
    if (!found.ok || !exists(found.value.resolved) || isSeen(found.value.resolved)) continue;
    const { resolved } = found.value;
    const kind = metadata.lstat(resolved)?.kind;
    const isOther = kind !== "file" && kind !== "directory";
    if (isOther || isInsideAny(resolved, socketPlaces) || isLed(world, written, resolved)) {
      beyond.add(resolved);
      continue;
    }
    const isProgram = index === 0 || (scriptEnding.test(resolved) && kind === "file");
    add(isProgram ? directoryOf(resolved) : resolved);
    // A program is started under its written name, which may be a link.
    const linked = resolveIn(world, path.dirname(written));
    if (index === 0 && path.resolve(written) !== resolved && linked.ok && !isSeen(linked.value.resolved)) {
      add(linked.value.resolved);
    }
  }
  return { read: outermost([...read]), beyond: [...beyond] };
}

function outermost(places: readonly string[]): readonly string[] {
  return places.filter((place) => !places.some((other) => other !== place && isInside(place, other)));
}

export function confinementOf(world: ServerWorld, entry: ServerEntry): string {
  const { name, setting, inProcess } = entry;
  const from = path.isAbsolute(entry.origin) ? `configured in ${entry.origin}` : `named by ${entry.origin}`;
  if (inProcess !== undefined) return `The server ${name} runs in this process, ${from}, without a sandbox.`;
  if ("url" in setting) {
    return `The server ${name}, ${from}, runs at ${siteOf(setting.url)}, outside the sandbox. The input is sent to it.`;
  }
  const { description } = world.sandbox;
  const program = `The program of the server ${name}, ${from},`;
  if (description.backend !== "bubblewrap") {
    return `${program} runs without a sandbox: ${description.detail}`;
  }
  // Variables are not filled in: they may hold secrets.
  const found = programNeeds(world, entry, setting);
  if (!found.ok) return `${program} cannot start: ${found.failure.message}`;
  const needs = found.value;
  const write = world.gatePolicy.rules.some(deniesEveryChange) ? [] : needs.write;
  const download = fetchesOf(entry, world);
  return [
    `${program} runs in the sandbox: ${limitsText({ ...needs, write }, setting)}`,
    ...(download === undefined ? [] : [`It ${download}.`]),
    ...(needs.beyond.length === 0 ? [] : [`In its entry, but hidden from it: ${needs.beyond.join(", ")}.`]),
  ].join(" ");
}

/** The description of its download, for the user. */
export function fetchesOf(
  { setting }: ServerEntry,
  { places, environment }: Pick<ServerWorld, "places" | "environment">,
): string | undefined {
  return describeFetch(setting, places.workspace, { environment, home: places.home, readText: readSmallText });
}

type ShownNeeds = Pick<ProgramNeeds, "read" | "write" | "network">;

function limitsText({ read, write, network }: ShownNeeds, { sandbox }: StdioServer): string {
  const asks = sandbox?.otherHosts === "ask" ? " and others after approval" : "";
  return [
    `it reads ${["the workspace without its secrets", ...read].join(", ")};`,
    `writes ${write.length === 0 ? "nothing" : write.join(", ")};`,
    `reaches ${network.length === 0 ? "no host" : network.join(", ")}${asks}.`,
  ].join(" ");
}

export function programLimits(world: ServerWorld, entry: ServerEntry): string | undefined {
  const { setting } = entry;
  if (!("command" in setting) || world.sandbox.description.backend !== "bubblewrap") return undefined;
  const needs = programNeeds(world, entry, setting);
  return needs.ok ? limitsText(needs.value, setting) : undefined;
}

/** The rest of an address may be a secret. */
function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an address with variables";
}
