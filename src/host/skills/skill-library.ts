import { existsSync } from "node:fs";
import path from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside } from "../../contract/path-scope.ts";
import { plainText } from "../../contract/plain-text.ts";
import type { SkillFacts, SkillLibrary } from "../../contract/skill.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { readSmallText } from "../read-small-text.ts";
import { type ParsedSkill, parseSkill } from "./parse-skill.ts";
import { skillFiles, skillFolders, skillHash } from "./skill-folder.ts";

export interface SkillPlaces {
  readonly workspace: string;
  readonly home: string;
  readonly gauntletHome: string;
  /** Hashes that somebody trusts. */
  readonly trusted: ReadonlySet<string>;
  /** Nobody may read a file of this name, wherever it lies. */
  readonly isSecret: (name: string, file: string) => boolean;
}

const names = [".gauntlet/skills", ".agents/skills", ".claude/skills"];

/** Nearest first: the project's, then the person's. */
export function createSkillLibrary(places: SkillPlaces): SkillLibrary {
  const inProject = names.map((name) => path.join(places.workspace, name));
  const ofPerson = [
    ...names.slice(1).map((name) => path.join(places.home, name)),
    path.join(places.gauntletHome, "skills"),
  ];
  const roots = [
    ...inProject.map((place) => ({ place, origin: "project" as const })),
    ...ofPerson.filter((place) => !inProject.includes(place)).map((place) => ({ place, origin: "user" as const })),
  ].filter(({ place }) => existsSync(place));

  /** As they are now: somebody may write one while the session lasts. */
  async function list(): Promise<readonly SkillFacts[]> {
    const found = roots.flatMap(({ place, origin }) => skillFolders(place).map((folder) => ({ folder, origin })));
    const read = await Promise.all(found.map(({ folder, origin }) => readSkill(folder, origin, places)));
    const nearest = new Map<string, SkillFacts>();
    for (const skill of read)
      if (skill.ok && !nearest.has(skill.value.name)) nearest.set(skill.value.name, skill.value);
    return [...nearest.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    some: roots.length > 0,
    list,
    find: async (name) => (await list()).find((skill) => skill.name === name),
    files: ({ directory }) => openFiles(directory, places),
    read: (skill, file) => readFile(skill, file, places),
    offers: () =>
      inProject.flatMap(skillFolders).map((folder) => {
        const files = skillFiles(folder);
        const hash = files.ok ? skillHash(folder, files.value) : files;
        const item = { kind: "skill", origin: path.join(folder, "SKILL.md") } as const;
        const name = visibleText(path.basename(folder));
        if (!files.ok || !hash.ok) {
          const why = hash.ok ? "" : hash.failure.message;
          return { ...item, text: name, hash: `sha256:${"0".repeat(64)}`, refused: why, trusted: false };
        }
        const others = files.value.filter((file) => file !== "SKILL.md").map(visibleText);
        const text = others.length === 0 ? name : `${name} (with ${others.join(", ")} as they are now)`;
        return { ...item, text, hash: hash.value, trusted: places.trusted.has(hash.value) };
      }),
  };
}

/** The folder of a skill of the project that nobody trusts as it is now, where the path leads into one. */
export function untrustedSkill(file: string, { workspace, trusted }: SkillPlaces): string | undefined {
  for (const name of names) {
    const place = path.join(workspace, name);
    if (!isInside(file, place) || file === place) continue;
    const folder = path.join(place, path.relative(place, file).split(path.sep)[0] ?? "");
    const files = skillFiles(folder);
    const hash = files.ok ? skillHash(folder, files.value) : files;
    return hash.ok && trusted.has(hash.value) ? undefined : folder;
  }
  return undefined;
}

async function readSkill(
  folder: string,
  origin: SkillFacts["origin"],
  { trusted }: SkillPlaces,
): Promise<Outcome<SkillFacts>> {
  const parsed = await parsedSkill(folder);
  if (!parsed.ok) return parsed;
  const files = skillFiles(folder);
  if (!files.ok) return files;
  const hash = skillHash(folder, files.value);
  if (!hash.ok) return hash;
  const { body: _, ...facts } = parsed.value;
  return ok({
    ...facts,
    origin,
    directory: folder,
    hash: hash.value,
    trusted: origin === "user" || trusted.has(hash.value),
  });
}

async function parsedSkill(folder: string): Promise<Outcome<ParsedSkill>> {
  const text = textOf(path.join(folder, "SKILL.md"));
  return text.ok ? parseSkill(text.value, path.basename(folder)) : text;
}

function textOf(file: string): Outcome<string> {
  try {
    const text = readSmallText(file);
    return text === undefined ? fail("bad_request", `There is no ${file}.`) : ok(text);
  } catch {
    return fail("bad_request", `${file} is no text file of at most 1 MiB that can be read.`);
  }
}

function openFiles(directory: string, { isSecret }: SkillPlaces): readonly string[] {
  const files = skillFiles(directory);
  if (!files.ok) return [];
  return files.value.filter((file) => !isSecret(path.basename(file), path.join(directory, file)));
}

async function readFile(skill: SkillFacts, file: string | undefined, places: SkillPlaces) {
  if (file === undefined || file === "SKILL.md") {
    const parsed = await parsedSkill(skill.directory);
    return parsed.ok ? ok({ file: "SKILL.md", text: plainText(parsed.value.body) }) : parsed;
  }
  // Only what the folder itself was seen to hold: `..`, links and absolute paths are none of it.
  const known = openFiles(skill.directory, places);
  if (!known.includes(file)) {
    return fail("runtime_precondition_failed", `The skill ${skill.name} has no file ${JSON.stringify(file)}.`, {
      recovery: `It has: ${known.slice(0, 30).join(", ")}.`,
      happened: "nothing",
    });
  }
  const text = textOf(path.join(skill.directory, file));
  return text.ok ? ok({ file, text: plainText(text.value) }) : text;
}
