import path from "node:path";
import type { UntrustedSkills } from "../contract/app/skill.ts";
import { isInside } from "../contract/effect.ts";
import { entriesIn, isFile, realPathOf, statsOf } from "../host/files/look.ts";
import { hashedContent, skillContent } from "./skill-folder.ts";
import { type SkillPlaces, skillPlaceNames } from "./skill-library.ts";

/** For one question: programs in the workspace can change them before the next. */
export function lookAtUntrustedSkills({
  workspace,
  trusted,
}: Pick<SkillPlaces, "workspace" | "trusted">): UntrustedSkills {
  const places = skillPlaceNames.map((name) => path.join(workspace, name)).filter((place) => statsOf(place));
  // A skill directory may itself be a link: its target counts by both names.
  const roots = [...new Set(places.flatMap((place) => [place, realPathOf(place) ?? place]))];
  const known = new Map<string, boolean>();
  const isTrusted = (folder: string): boolean => {
    const found = known.get(folder) ?? (trusted.size > 0 && trusted.has(hashOf(folder) ?? ""));
    known.set(folder, found);
    return found;
  };
  const folderOf = (file: string): string | undefined => {
    const root = roots.find((one) => isInside(file, one) && file !== one);
    if (root === undefined) return undefined;
    const folder = path.join(root, path.relative(root, file).split(path.sep)[0] ?? "");
    return isTrusted(folder) ? undefined : folder;
  };
  const entries = () =>
    places
      .flatMap((place) => entriesIn(place).map(({ name }) => path.join(place, name)))
      .filter((folder) => !isTrusted(folder))
      .flatMap((folder) => [folder, ...contentOf(folder)]);
  const leadsInto = (file: string) => {
    const stats = statsOf(file);
    const real = (stats && realPathOf(file)) ?? file;
    const { ino, dev, nlink = 0 } = (stats && statsOf(real)) ?? {};
    // A hard link is the script itself under another name.
    const isIt = (entry: string) => statsOf(entry)?.ino === ino && statsOf(entry)?.dev === dev;
    const same = nlink > 1 && isFile(real) ? entries().find(isIt) : undefined;
    return folderOf(file) ?? folderOf(real) ?? (same && folderOf(same));
  };
  return { some: places.length > 0, leadsInto, entries };
}

function contentOf(folder: string): readonly string[] {
  const content = skillContent(folder);
  const files = content.ok ? content.value.files : [];
  const folders = new Set(files.map((file) => path.dirname(file)).filter((name) => name !== "."));
  return [...folders, ...files].map((name) => path.join(folder, name));
}

function hashOf(folder: string): string | undefined {
  const content = hashedContent(folder);
  return content.ok && content.value.others.length === 0 ? content.value.hash : undefined;
}
