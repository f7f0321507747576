import { existsSync, lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { ownSkills } from "../../contract/own-skills.ts";
import { isInside } from "../../contract/path-scope.ts";
import { plainText } from "../../contract/plain-text.ts";
import type { ListedSkill, SkillFacts, SkillLibrary, SkillSurvey } from "../../contract/skill.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { readSmallText } from "../read-small-text.ts";
import { type ParsedSkill, parseSkill } from "./parse-skill.ts";
import { isScript, type SkillContent, skillContent, skillFolders, skillHash } from "./skill-folder.ts";

export interface SkillPlaces {
  readonly workspace: string;
  readonly home: string;
  readonly gauntletHome: string;
  /** Hashes that somebody trusts. */
  readonly trusted: ReadonlySet<string>;
  /** Nobody may read a file of this name, wherever it lies. */
  readonly isSecret: (name: string, file: string) => boolean;
}

export const skillPlaceNames = [".gauntlet/skills", ".agents/skills", ".claude/skills"];

/** Nearest first: the project's, then the person's. */
function skillRoots(places: SkillPlaces) {
  const inProject = skillPlaceNames.map((name) => path.join(places.workspace, name));
  const ofPerson = [
    ...skillPlaceNames.slice(1).map((name) => path.join(places.home, name)),
    ownSkills(places.gauntletHome),
  ].filter((place) => !inProject.includes(place));
  const roots = [
    ...inProject.map((place) => ({ place, origin: "project" as const })),
    ...ofPerson.map((place) => ({ place, origin: "user" as const })),
  ];
  return { inProject, roots: roots.filter(({ place }) => existsSync(place)) };
}

export function createSkillLibrary(places: SkillPlaces): SkillLibrary {
  const { inProject, roots } = skillRoots(places);

  /** As they are now: somebody may write one while the session lasts. */
  async function list(): Promise<readonly SkillFacts[]> {
    return (await nearestSkills(roots, places)).skills;
  }

  return {
    some: roots.length > 0,
    list,
    find: async (name) => (await list()).find((skill) => skill.name === name),
    files: ({ directory }) => openFiles(directory, places),
    read: (skill, file) => readFile(skill, file, places),
    offers: () =>
      inProject.flatMap(skillFolders).map((folder) => {
        const content = skillContent(folder);
        const hash = content.ok ? skillHash(folder, content.value) : content;
        const item = { kind: "skill", origin: path.join(folder, "SKILL.md") } as const;
        const name = visibleText(path.basename(folder));
        if (!content.ok || !hash.ok) {
          const why = hash.ok ? "" : hash.failure.message;
          return { ...item, text: name, hash: `sha256:${"0".repeat(64)}`, refused: why, trusted: false };
        }
        const refused = leadsElsewhere(content.value);
        if (refused !== undefined) return { ...item, text: name, hash: hash.value, refused, trusted: false };
        const others = content.value.files.filter((file) => file !== "SKILL.md").map(visibleText);
        const text = others.length === 0 ? name : `${name} (with ${others.join(", ")} as they are now)`;
        return { ...item, text, hash: hash.value, trusted: places.trusted.has(hash.value) };
      }),
  };
}

type SkillRoot = ReturnType<typeof skillRoots>["roots"][number];

/** Of two with the same name the nearest counts. */
async function nearestSkills(roots: readonly SkillRoot[], places: SkillPlaces) {
  const found = roots.flatMap(({ place, origin }) => skillFolders(place).map((folder) => ({ folder, origin })));
  const read = await Promise.all(
    found.map(async ({ folder, origin }) => ({ folder, skill: await readSkill(folder, origin, places) })),
  );
  const nearest = new Map<string, SkillFacts>();
  const unread: { readonly directory: string; readonly why: string }[] = [];
  for (const { folder, skill } of read) {
    const before = nearest.get(path.basename(folder));
    if (!skill.ok) unread.push({ directory: folder, why: skill.failure.message });
    else if (before === undefined) nearest.set(skill.value.name, skill.value);
    else unread.push({ directory: folder, why: `${before.directory} has the same name and is nearer.` });
  }
  return { skills: [...nearest.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), unread };
}

/** With what people want to know before they trust one, and with what no session reads. */
export async function surveySkills(places: SkillPlaces): Promise<SkillSurvey> {
  const { skills, unread } = await nearestSkills(skillRoots(places).roots, places);
  return { skills: skills.map((skill) => listedSkill(skill, places)), unread };
}

function listedSkill(skill: SkillFacts, places: SkillPlaces): ListedSkill {
  const { directory, origin } = skill;
  const content = skillContent(directory);
  const files = openFiles(directory, places).filter((file) => file !== "SKILL.md");
  const refused = origin === "project" && content.ok ? leadsElsewhere(content.value) : undefined;
  return {
    ...skill,
    files,
    scripts: files.filter((file) => isScript(directory, file)),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** Nobody can say what a link will lead to. */
function leadsElsewhere({ others: [link] }: SkillContent): string | undefined {
  return link && `its ${visibleText(link)} is no file and may lead to something else at any time`;
}

async function readSkill(
  folder: string,
  origin: SkillFacts["origin"],
  places: SkillPlaces,
): Promise<Outcome<SkillFacts>> {
  const { trusted } = places;
  const parsed = await parsedSkill(folder, places);
  if (!parsed.ok) return parsed;
  const content = skillContent(folder);
  if (!content.ok) return content;
  const hash = skillHash(folder, content.value);
  if (!hash.ok) return hash;
  const { body: _, ...facts } = parsed.value;
  return ok({
    ...facts,
    origin,
    directory: folder,
    hash: hash.value,
    trusted: origin === "user" || (content.value.others.length === 0 && trusted.has(hash.value)),
  });
}

async function parsedSkill(folder: string, places: SkillPlaces): Promise<Outcome<ParsedSkill>> {
  const text = textOf(folder, "SKILL.md", places);
  return text.ok ? parseSkill(text.value, path.basename(folder)) : text;
}

/** Whoever can write to the workspace can put a link there after it was looked at: what counts is what was opened. */
function textOf(folder: string, name: string, { workspace, isSecret }: SkillPlaces): Outcome<string> {
  const file = path.join(folder, name);
  try {
    const root = realpathSync(isInside(folder, workspace) ? workspace : path.dirname(folder));
    const text = readSmallText(file, (opened) => {
      const real = realpathSync(file);
      const { ino, dev } = lstatSync(real);
      return ino === opened.ino && dev === opened.dev && isInside(real, root) && !isSecret(path.basename(real), real);
    });
    return text === undefined ? fail("bad_request", `There is no ${file}.`) : ok(text);
  } catch {
    return fail("bad_request", `${file} is no text file of at most 1 MiB that can be read.`);
  }
}

function openFiles(directory: string, { isSecret }: SkillPlaces): readonly string[] {
  const content = skillContent(directory);
  if (!content.ok) return [];
  return content.value.files.filter((file) => !isSecret(path.basename(file), path.join(directory, file)));
}

async function readFile(skill: SkillFacts, file: string | undefined, places: SkillPlaces) {
  if (file === undefined || file === "SKILL.md") {
    const parsed = await parsedSkill(skill.directory, places);
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
  const text = textOf(skill.directory, file, places);
  return text.ok ? ok({ file, text: plainText(text.value) }) : text;
}
