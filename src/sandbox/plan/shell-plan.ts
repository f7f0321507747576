import { type BigIntStats, existsSync, lstatSync } from "node:fs";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { Metadata, SpawnRequest } from "../../contract/ports.ts";
import { unlessTooLarge } from "../../host/files/read-small-text.ts";
import type { Scan } from "../../host/files/scan.ts";
import { nestedConfigurations } from "../git/nested-configurations.ts";
import { maskFor, type PreparedGit, prepareGit, seal } from "../git/prepare-git.ts";
import { makeLogs } from "../git/repositories.ts";
import { offlineVariables } from "../network/bridge.ts";
import type { OnlineParts } from "../network/go-online.ts";
import type { BubblewrapOptions } from "../run/backend.ts";
import { isPlaceholder, type Placeholders } from "../run/placeholders.ts";
import type { Placeholder } from "./closed-paths.ts";
import { sandboxHome, withAdditions } from "./environment.ts";
import { isShown, type Mount, planMounts, type ReplacedFile, withPrograms } from "./mount-plan.ts";
import { cacheParts, type HomeName, homeNames } from "./package-managers.ts";
import { type SandboxFile, sandboxFiles } from "./system-layout.ts";

/** Must contain everything that a sandbox depends on, or one that was started ahead could be wrong. */
export interface ShellPlan {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly names: readonly HomeName[];
  readonly files: readonly SandboxFile[];
  readonly online?: OnlineParts | undefined;
  readonly scratch?: string | undefined;
}

export interface PreparedShell {
  readonly plan: ShellPlan;
  readonly holdsPlaceholders: boolean;
  readonly giveBack: () => void;
  readonly check: () => Failure | undefined;
}

export interface Looks {
  readonly metadata: Metadata;
  readonly scan: Scan;
}

interface ShellPlanOptions extends BubblewrapOptions {
  readonly looks: Looks;
  readonly placeholders: Placeholders;
  readonly online: OnlineParts | undefined;
  readonly ownPrograms: Iterable<string>;
}

export function prepareShell(
  { profile, env }: Pick<SpawnRequest, "profile" | "env">,
  options: ShellPlanOptions,
): Outcome<PreparedShell> {
  const { looks, system, toolchains, workspaceRoots } = options;
  const alsoShown = [...system.directories, ...toolchains];
  const { masked, sealed } = maskFor(profile, workspaceRoots);
  const nested = nestedConfigurations({ profile, roots: workspaceRoots, system: alsoShown, scan: looks.scan });
  const closedToAll = [...options.toolchainSecrets, ...nested.unreplaced].map(
    (path) => ({ path, scope: "file", reason: "closed to every command" }) as const,
  );
  makeLogs(profile);
  const closed = { ...profile, masked: [...masked, ...closedToAll] };
  const planned = planMounts({ profile: closed, alsoShown, isPlaceholder, ...looks });
  if (!planned.ok) return planned;
  const held = options.placeholders.hold(planned.value.placeholders);
  if (!held.ok) return held;
  const { impossible, giveBack } = held.value;
  const isPossible = ({ path }: { readonly path: string }) => !impossible.has(path);
  const placeholders = planned.value.placeholders.filter(isPossible);
  const git = unlessTooLarge(() =>
    prepareGit({
      profile,
      roots: workspaceRoots,
      closedInHistory: options.closedInHistory,
      ownConfiguration: { path: `${sandboxHome}/.gitconfig`, content: options.ownGit.text },
      ownExcludes: options.ownGit.excludes,
      placeholders,
    }),
  );
  if (!git.ok) {
    giveBack();
    return git;
  }
  const asCommitted = new Set(masked.flatMap((one) => (one.asCommitted ? [one.path] : [])));
  const cover = (mount: Mount): Mount => {
    const content = mount.kind === "hide_file" && asCommitted.has(mount.path) ? options.coverOf(mount.path) : undefined;
    return content === undefined ? seal(mount, sealed) : { kind: "replace_file", path: mount.path, content };
  };
  const mounts = planned.value.mounts.filter(isPossible).map(cover);
  return ok({
    plan: makePlan({ profile, env, mounts, git: git.value, replaced: nested.replaced }, options),
    holdsPlaceholders: planned.value.placeholders.length > 0,
    giveBack,
    check: () => lostPlaceholder(placeholders),
  });
}

interface PlannedParts extends Pick<SpawnRequest, "profile" | "env"> {
  readonly mounts: readonly Mount[];
  readonly git: PreparedGit;
  readonly replaced: readonly ReplacedFile[];
}

function makePlan({ profile, env, mounts, git, replaced }: PlannedParts, options: ShellPlanOptions): ShellPlan {
  const { environment, identity, menu, online, system, toolchains, workspaceRoots } = options;
  const npm = options.ownNpm.map(({ at, content }) => ({ path: `${sandboxHome}/${at}`, content }));
  const files = [...sandboxFiles({ identity, menu, system }), ...git.files, ...npm, ...(online?.files ?? [])];
  const cached = cacheParts(profile.caches ? options.caches : [], {
    layered: profile.view === true,
    online: online !== undefined,
    roots: workspaceRoots,
  });
  const shown = [
    ...withUnder(mounts, git.under),
    ...git.mounts,
    ...hiddenBelow(git.mounts, mounts),
    ...unhidden(replaced, mounts),
  ];
  const known = [...workspaceRoots, ...git.apart];
  const outside = mounts.filter((mount) => isShown(mount) && !isInsideAny(mount.path, known));
  const taken = [...files, ...cached.names].map(({ path }) => path);
  return {
    environment: {
      ...(online === undefined ? offlineVariables : {}),
      ...withAdditions({ ...environment, ...git.environment }, env),
      ...online?.environment,
      ...cached.environment,
    },
    mounts: [...cached.mounts, ...withPrograms(options.ownPrograms, shown, [...system.directories, ...toolchains])],
    names: [
      ...cached.names,
      ...homeNames(
        outside.map(({ path }) => path),
        { person: options.personHome, taken },
      ),
    ],
    files,
    online,
    scratch: profile.scratch,
  };
}

function withUnder(mounts: readonly Mount[], under: readonly Mount[]): readonly Mount[] {
  return mounts.flatMap((mount, index) => {
    const isFirst = ({ path }: Mount) =>
      isInside(mount.path, path) && !mounts.slice(0, index).some((before) => isInside(before.path, path));
    return [...under.filter(isFirst), mount];
  });
}

/** A hidden file has no content, and a hidden tree has no mount point for one. */
function unhidden(replaced: readonly ReplacedFile[], mounts: readonly Mount[]): readonly Mount[] {
  const hidden = mounts.filter(({ kind }) => kind === "hide_file" || kind === "hide_tree").map(({ path }) => path);
  return replaced.filter(({ path }) => !isInsideAny(path, hidden));
}

/** A rebuilt directory shows the entries of the host, so its hidden entries must be hidden again. */
function hiddenBelow(rebuilt: readonly Mount[], mounts: readonly Mount[]): readonly Mount[] {
  const places = rebuilt.map(({ path }) => path);
  return mounts.filter(({ kind, path }) => (kind === "hide_file" || kind === "hide_tree") && isInsideAny(path, places));
}

/** Another runtime may remove one when it ends, just before it sees our claim. */
function lostPlaceholder(held: readonly Placeholder[]): Failure | undefined {
  const lost = held.find(({ path }) => !existsSync(path));
  if (lost === undefined) return undefined;
  return fail("sandbox_unavailable", `The placeholder ${lost.path} was removed. Nothing was run.`).failure;
}

// A mount covers a file, not its name: if the file is replaced, a waiting sandbox shows the new file without the mount.
export function planKey(plan: ShellPlan): string {
  return JSON.stringify([plan, plan.mounts.map(identityOf), plan.files.map(contentOf)]);
}

function identityOf({ kind, path }: Mount): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return "missing";
  // A directory's times change with its entries, but it stays the same directory.
  return stats.isDirectory() && (kind === "show" || kind === "view")
    ? directoryIdentity(stats)
    : `${directoryIdentity(stats)} ${stats.ctimeNs}`;
}

/** A free inode number is reused; the birth time distinguishes the two files. */
function directoryIdentity({ dev, ino, birthtimeNs, mode }: BigIntStats): string {
  return `${dev} ${ino} ${birthtimeNs} ${mode}`;
}

function contentOf(file: ShellPlan["files"][number]): string {
  if (!("copyOf" in file)) return "";
  const stats = lstatSync(file.copyOf, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "missing" : `${stats.ino} ${stats.mtimeNs}`;
}
