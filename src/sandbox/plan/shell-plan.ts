import { type BigIntStats, existsSync, lstatSync } from "node:fs";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { Metadata, SpawnRequest } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { unlessTooLarge } from "../../host/files/read-small-text.ts";
import type { Scan } from "../../host/files/scan.ts";
import { nestedConfigurations } from "../git/nested-configurations.ts";
import { maskFor, prepareGit, seal } from "../git/prepare-git.ts";
import { makeLogs } from "../git/repositories.ts";
import { offlineVariables } from "../network/bridge.ts";
import type { OnlineParts } from "../network/go-online.ts";
import type { BubblewrapOptions } from "../run/backend.ts";
import { isPlaceholder, type Placeholders } from "../run/placeholders.ts";
import type { Placeholder } from "./closed-paths.ts";
import { sandboxHome, withAdditions } from "./environment.ts";
import { isShown, type Mount, planMounts, type ReplacedFile, withPrograms } from "./mount-plan.ts";
import { type CacheParts, cacheParts, type HomeName, homeNames } from "./package-managers.ts";
import { type SandboxFile, sandboxFiles } from "./system-layout.ts";

/** Whatever a sandbox depends on must be in here, or one that was started ahead could be wrong. */
export interface ShellPlan {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly names: readonly HomeName[];
  readonly files: readonly SandboxFile[];
  readonly online?: OnlineParts;
  readonly scratch?: string;
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

export function prepareShell(
  { profile, env }: Pick<SpawnRequest, "profile" | "env">,
  options: BubblewrapOptions & {
    readonly looks: Looks;
    readonly placeholders: Placeholders;
    readonly online: OnlineParts | undefined;
    readonly ownPrograms: Iterable<string>;
  },
): Outcome<PreparedShell> {
  const {
    closedInHistory,
    environment,
    identity,
    looks,
    menu,
    online,
    personHome,
    placeholders,
    system,
    toolchains,
    workspaceRoots,
  } = options;
  const alsoShown = [...system.directories, ...toolchains];
  const { masked, sealed } = maskFor(profile, workspaceRoots);
  const nested = nestedConfigurations({ profile, roots: workspaceRoots, system: alsoShown, scan: looks.scan });
  const alsoMasked = [...options.toolchainSecrets, ...nested.unreplaced].map(
    (path) => ({ path, scope: "file", reason: "closed to every command" }) as const,
  );
  const closed = { ...profile, masked: [...masked, ...alsoMasked] };
  makeLogs(profile);
  const planned = planMounts({ profile: closed, alsoShown, isPlaceholder, ...looks });
  if (!planned.ok) return planned;
  const held = placeholders.hold(planned.value.placeholders);
  if (!held.ok) return held;
  const { impossible, giveBack } = held.value;
  const ownConfiguration = { path: `${sandboxHome}/.gitconfig`, content: options.ownGit.text };
  const prepared = unlessTooLarge(() =>
    prepareGit({
      profile,
      roots: workspaceRoots,
      closedInHistory,
      ownConfiguration,
      ownExcludes: options.ownGit.excludes,
      placeholders: planned.value.placeholders.filter(({ path }) => !impossible.has(path)),
    }),
  );
  if (!prepared.ok) {
    giveBack();
    return prepared;
  }
  const git = prepared.value;
  const mounts = planned.value.mounts.filter(({ path }) => !impossible.has(path));
  const asCommitted = new Set(masked.flatMap((one) => (one.asCommitted ? [one.path] : [])));
  const cover = (mount: Mount): Mount => {
    const content = mount.kind === "hide_file" && asCommitted.has(mount.path) ? options.coverOf(mount.path) : undefined;
    return content === undefined ? mount : { kind: "replace_file", path: mount.path, content };
  };
  const closing = mounts.map((mount) => seal(cover(mount), sealed));
  const shown = [
    ...withUnder(closing, git.under),
    ...git.mounts,
    ...hiddenBelow(git.mounts, closing),
    ...unhidden(nested.replaced, mounts),
  ];
  const npm = options.ownNpm.map(({ at, content }) => ({ path: `${sandboxHome}/${at}`, content }));
  const files = [...sandboxFiles({ identity, menu, system }), ...git.files, ...npm, ...(online?.files ?? [])];
  const cached = cachedFor(profile, options);
  const known = [...workspaceRoots, ...git.apart];
  const outside = mounts.filter((mount) => isShown(mount) && !isInsideAny(mount.path, known));
  return ok({
    plan: {
      environment: {
        ...(online === undefined ? offlineVariables : {}),
        ...cached.environment,
        ...withAdditions({ ...environment, ...git.environment }, env),
        ...online?.environment,
        ...cached.online,
        ...(online === undefined ? {} : cached.environment),
      },
      mounts: [...cached.mounts, ...withPrograms(options.ownPrograms, shown, alsoShown)],
      names: [
        ...cached.names,
        ...homeNames(
          outside.map(({ path }) => path),
          { person: personHome, own: sandboxHome, taken: [...files, ...cached.names].map(({ path }) => path) },
        ),
      ],
      files,
      ...(online === undefined ? {} : { online }),
      ...(profile.scratch === undefined ? {} : { scratch: profile.scratch }),
    },
    holdsPlaceholders: planned.value.placeholders.length > 0,
    giveBack,
    check: () => lostPlaceholder(planned.value.placeholders.filter(({ path }) => !impossible.has(path))),
  });
}

function cachedFor(
  { caches, view }: SandboxProfile,
  {
    online,
    workspaceRoots,
    ...options
  }: Pick<BubblewrapOptions, "caches" | "workspaceRoots"> & {
    readonly online: OnlineParts | undefined;
  },
): CacheParts {
  if (!caches || (online !== undefined && !view)) return { mounts: [], names: [], environment: {}, online: {} };
  const all = cacheParts(options.caches, { home: sandboxHome, layered: view === true, roots: workspaceRoots });
  if (online === undefined) return { ...all, online: {} };
  return { ...all, names: all.names.filter(({ path }) => !isInside(path, `${sandboxHome}/.cache`)) };
}

function withUnder(mounts: readonly Mount[], under: readonly Mount[]): readonly Mount[] {
  return mounts.flatMap((mount, index) => {
    const isFirst = ({ path }: Mount) =>
      isInside(mount.path, path) && !mounts.slice(0, index).some((before) => isInside(before.path, path));
    return [...under.filter(isFirst), mount];
  });
}

/** What nobody may see has no content, and a tree that is hidden has no place for any. */
function unhidden(replaced: readonly ReplacedFile[], mounts: readonly Mount[]): readonly Mount[] {
  const hidden = mounts.filter(({ kind }) => kind === "hide_file" || kind === "hide_tree").map(({ path }) => path);
  return replaced.filter(({ path }) => !isInsideAny(path, hidden));
}

/** A directory that is put together anew shows its entries as the host has them: what was hidden in it is so again. */
function hiddenBelow(rebuilt: readonly Mount[], mounts: readonly Mount[]): readonly Mount[] {
  const places = rebuilt.map(({ path }) => path);
  return mounts.filter(({ kind, path }) => (kind === "hide_file" || kind === "hide_tree") && isInsideAny(path, places));
}

/** Another runtime that ends may take one away just before it learns of us. */
function lostPlaceholder(held: readonly Placeholder[]): Failure | undefined {
  const lost = held.find(({ path }) => !existsSync(path));
  if (lost === undefined) return undefined;
  return fail("sandbox_unavailable", `${lost.path} could not be kept free. Nothing was run.`).failure;
}

// A mount is on a file, not on its name: when the file is replaced, a waiting sandbox shows the new one without the
// mount.
export function planKey(plan: ShellPlan): string {
  return JSON.stringify([plan, plan.mounts.map(identityOf), plan.files.map(contentOf)]);
}

function identityOf({ kind, path }: Mount): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return "missing";
  // A directory changes whenever a name in it does, and stays the same directory.
  return stats.isDirectory() && (kind === "show" || kind === "view")
    ? directoryIdentity(stats)
    : `${directoryIdentity(stats)} ${stats.ctimeNs}`;
}

/** An inode number is used again as soon as it is free; the time of birth tells the two apart. */
function directoryIdentity({ dev, ino, birthtimeNs, mode }: BigIntStats): string {
  return `${dev} ${ino} ${birthtimeNs} ${mode}`;
}

function contentOf(file: ShellPlan["files"][number]): string {
  if (!("copyOf" in file)) return "";
  const stats = lstatSync(file.copyOf, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "missing" : `${stats.ino} ${stats.mtimeNs}`;
}
