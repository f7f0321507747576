import { join, relative } from "node:path";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { readText } from "../../host/files/read-small-text.ts";
import { treeAbove } from "../../host/git/work-trees.ts";
import type { Placeholder } from "../plan/closed-paths.ts";
import type { Mount } from "../plan/mount-plan.ts";
import type { SandboxFile } from "../plan/system-layout.ts";
import { gitAttributes } from "./attributes.ts";
import {
  namedPrograms,
  neutralGit,
  sharesAnother,
  submodulesOf,
  takesTextElsewhere,
  viewGit,
} from "./configuration.ts";
import { infoMount, linkedMounts, shownRepositories } from "./repositories.ts";

interface GitOptions {
  readonly profile: SandboxProfile;
  readonly roots: readonly string[];
  readonly closedInHistory: string;
  readonly placeholders: readonly Placeholder[];
  readonly ownConfiguration: { readonly path: string; readonly content: string };
  readonly ownExcludes?: string;
}

export interface PreparedGit {
  readonly environment: Readonly<Record<string, string>>;
  readonly apart: readonly string[];
  readonly under: readonly Mount[];
  readonly mounts: readonly Mount[];
  readonly files: readonly SandboxFile[];
}

const excludesPath = "/run/git-excludes";

export function prepareGit(options: GitOptions): PreparedGit {
  const { ownConfiguration, ownExcludes = "", placeholders, profile, roots } = options;
  const readOnly = profile.writable.length === 0;
  const closed = [...profile.masked, ...(profile.kept?.paths ?? [])];
  const hidden = profile.view ? closed : [...placeholders, ...(readOnly ? [] : closed)];
  const excludes = [ownExcludes, gitExcludes(hidden, roots)].filter((text) => text !== "").join("\n");
  const excludesFile = excludes === "" ? undefined : excludesPath;
  const files: SandboxFile[] = excludesFile === undefined ? [] : [{ path: excludesFile, content: excludes }];
  if (ownConfiguration.content !== "") files.unshift(ownConfiguration);
  if (profile.view) {
    // Git itself may need to write it, and never prints it in encoded form.
    const mounts = profile.caches ? roots.flatMap((root) => withoutCredentials(join(root, ".git/config"))) : [];
    return { environment: viewGit(roots, excludesFile), apart: [], under: [], mounts, files };
  }
  const isHeld = (path: string) => placeholders.some((one) => one.path === path && one.kind === "directory");
  const repositories = shownRepositories(profile, roots);
  const linked = linkedMounts(repositories, profile);
  const attributes = repositories.map((one, index) => ({ ...one, path: `/run/git-attributes-${index}` }));
  const attributesFile = attributes[0]?.path;
  return {
    environment: neutralGit(roots, { readOnly, noUpkeep: linked.under.length > 0, excludesFile, attributesFile }),
    apart: repositories.filter(({ apart }) => apart).map(({ directory }) => directory),
    under: linked.under,
    mounts: [
      ...linked.over,
      ...attributes.flatMap(({ apart, directory, path }) => {
        const info = infoMount(directory, { attributes: path, writable: canWrite(directory, profile), apart, isHeld });
        return [...(info === undefined ? [] : [info]), ...(sharesAnother(directory) ? [notShared(directory)] : [])];
      }),
    ],
    files: [
      ...attributes.map(({ roots: trees, path }) => {
        const programs = trees.map(namedPrograms);
        const hasAny = programs.some(({ any }) => any);
        const content = gitAttributes({
          closed: options.closedInHistory,
          paths: trees.flatMap((root) =>
            closed.filter((one) => isInside(one.path, root)).map((one) => relative(root, one.path)),
          ),
          withoutDiffDrivers: hasAny,
          withoutFilters: hasAny && readOnly,
          withoutMergeDrivers: programs.some(({ mergeDrivers }) => mergeDrivers),
        });
        return { path, content };
      }),
      ...files,
    ],
  };
}

/** Credentials in the URL of a remote must not be visible to code of the project. */
function withoutCredentials(path: string): readonly Mount[] {
  const text = readText(path);
  const content = text
    .replace(/(https?:\/\/)[^/@\s"]+@/gi, "$1")
    .replace(/^\s*(?:extraheader|password|proxy)\s*=.*\n?/gim, "");
  return content === text ? [] : [{ kind: "replace_file", path, content }];
}

/** Git would follow the configuration and attributes of the other repository, which are not controlled here. */
function notShared(directory: string): Mount {
  return { kind: "replace_file", path: join(directory, "commondir"), content: ".\n" };
}

function canWrite(path: string, profile: SandboxProfile): boolean {
  return isInsideAny(path, profile.writable) && !isInsideAny(path, profile.protected);
}

// For git alone, closed files stay visible, or git would record the mask as a change. Otherwise they are unreadable, //
// so that git stops instead of recording them as empty.
export function maskFor(
  { kept, masked }: SandboxProfile,
  roots: readonly string[],
): { readonly masked: SandboxProfile["masked"]; readonly sealed: readonly string[] } {
  if (kept === undefined) return { masked, sealed: [] };
  const plain = roots.every(
    (root) => !namedPrograms(root).any && !takesTextElsewhere(root) && submodulesOf(root).length === 0,
  );
  if (kept.alone && plain) return { masked, sealed: [] };
  return { masked: [...masked, ...kept.paths], sealed: kept.paths.map(({ path }) => path) };
}

export function seal(mount: Mount, sealed: readonly string[]): Mount {
  if (mount.kind !== "hide_file" && mount.kind !== "hide_tree") return mount;
  const holds = sealed.some((path) => isInside(path, mount.path) || isInside(mount.path, path));
  return holds ? { ...mount, sealed: true } : mount;
}

/** Keeps placeholders and closed files out of `git status` and `git add`. */
function gitExcludes(paths: readonly { readonly path: string }[], roots: readonly string[]): string {
  return paths
    .flatMap(({ path }) => {
      const tree = treeAbove(path);
      const tops = [...roots, ...(tree === undefined ? [] : [tree])].filter((top) => isInside(path, top));
      return [...new Set(tops)].map((top) => relative(top, path));
    })
    .map((path) => `/${path.replaceAll(/[\\*?[\]!# ]/g, "\\$&")}\n`)
    .join("");
}
