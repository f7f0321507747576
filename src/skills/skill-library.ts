import { existsSync, lstatSync, realpathSync } from "node:fs";
import path from "node:path";
import { nearest } from "../base/nearest.ts";
import { plainText, visibleText } from "../base/text.ts";
import {
  type ListedSkill,
  ownSkills,
  type SkillCatalog,
  type SkillFacts,
  type SkillLibrary,
  type SkillSurvey,
} from "../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isInside } from "../contract/effect.ts";
import { readSmallText } from "../host/files/read-small-text.ts";
import { notCovered } from "../host/state/trust.ts";
import { type ParsedSkill, parseSkill } from "./parse-skill.ts";
import { hashedContent, isPlainName, isScript, type SkillContent, skillContent, skillFolders } from "./skill-folder.ts";

export interface SkillPlaces {
  readonly workspace: string;
  readonly home: string;
  readonly gauntletHome: string;
  readonly trusted: ReadonlySet<string>;
  readonly isSecret: (name: string, file: string) => boolean;
}

interface SurveyPlaces extends SkillPlaces {
  readonly isTool: (name: string) => boolean;
  readonly wasTrusted: (name: string) => boolean;
}

const closedPlaceName = ".gauntlet/skills";
const openPlaceNames = [".agents/skills", ".claude/skills"];
export const skillPlaceNames = [closedPlaceName, ...openPlaceNames];

function skillRoots(places: SkillPlaces) {
  const closed = path.join(places.workspace, closedPlaceName);
  const inProject = openPlaceNames.map((name) => path.join(places.workspace, name));
  const ofPerson = [
    ...openPlaceNames.map((name) => path.join(places.home, name)),
    ownSkills(places.gauntletHome),
  ].filter((place) => ![closed, ...inProject].includes(place));
  const roots = [
    ...ofPerson.map((place) => ({ place, origin: "user" as const })),
    ...inProject.map((place) => ({ place, origin: "project" as const })),
  ];
  return { closed, inProject, roots: roots.filter(({ place }) => existsSync(place)) };
}

export function createSkillLibrary(places: SkillPlaces): SkillLibrary {
  const { inProject, roots } = skillRoots(places);

  async function list(): Promise<readonly SkillFacts[]> {
    return (await firstSkills(roots, places)).skills;
  }

  return {
    some: roots.length > 0,
    list,
    find: async (name) => (await list()).find((skill) => skill.name === name),
    files: ({ directory }) => openFiles(directory, places),
    read: (skill, file) => readFile(skill, file, places),
    offers: () =>
      inProject
        .flatMap((place) => skillFolders(place).folders)
        .filter((folder) => isPlainName(path.basename(folder)))
        .map((folder) => {
          const name = visibleText(path.basename(folder));
          const item = { kind: "skill", origin: path.join(folder, "SKILL.md"), text: name } as const;
          const found = hashedContent(folder);
          if (!found.ok) {
            const hash = `sha256:${"0".repeat(64)}`;
            return { ...item, hash, refused: found.failure.message, trusted: false };
          }
          const { hash, files } = found.value;
          const refused = leadsElsewhere(found.value);
          if (refused !== undefined) return { ...item, hash, refused, trusted: false };
          const others = files.filter((file) => file !== "SKILL.md").map(visibleText);
          const text = others.length === 0 ? name : `${name} (with ${others.join(", ")} in their current state)`;
          return { ...item, text, hash, notCovered, trusted: places.trusted.has(hash) };
        }),
  };
}

type SkillRoot = ReturnType<typeof skillRoots>["roots"][number];
type Unread = SkillSurvey["unread"][number];

async function firstSkills(roots: readonly SkillRoot[], places: SkillPlaces) {
  const looks = roots.map((root) => ({ ...root, ...skillFolders(root.place) }));
  const found = looks.flatMap(({ folders, origin }) => folders.map((folder) => ({ folder, origin })));
  const read = await Promise.all(
    found.map(async ({ folder, origin }) => ({ folder, skill: await readSkill(folder, origin, places) })),
  );
  const first = new Map<string, SkillFacts>();
  const unread: Unread[] = [];
  for (const { folder, skill } of read) {
    const before = first.get(path.basename(folder));
    if (!skill.ok) unread.push({ directory: folder, why: skill.failure.message });
    else if (before === undefined) first.set(skill.value.name, skill.value);
    else unread.push({ directory: folder, why: `${before.directory} has the same name and comes first.` });
  }
  const leftOut = looks.flatMap(({ place, leftOut: why }): Unread[] => (why ? [{ directory: place, why }] : []));
  return {
    skills: [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    unread: [...unread, ...leftOut],
  };
}

async function surveySkills(places: SurveyPlaces): Promise<SkillSurvey> {
  const { closed, roots } = skillRoots(places);
  const { skills, unread } = await firstSkills(roots, places);
  const why = `Models never see the .gauntlet directory of a project. Move it to ${openPlaceNames.join(" or ")}.`;
  const shut = skillFolders(closed).folders.map((directory) => ({ directory, why }));
  return { skills: skills.map((skill) => listedSkill(skill, places)), unread: [...unread, ...shut] };
}

function listedSkill(skill: SkillFacts, places: SurveyPlaces): ListedSkill {
  const { name, directory, origin, trusted, allowedTools = [] } = skill;
  const content = skillContent(directory);
  const files = openFiles(directory, places).filter((file) => file !== "SKILL.md");
  const refused = origin === "project" && content.ok ? leadsElsewhere(content.value) : undefined;
  return {
    ...skill,
    files,
    refused,
    changed: origin === "project" && !trusted && places.wasTrusted(name) ? true : undefined,
    warnings: [...skill.warnings, ...oddTools(allowedTools, places)],
  };
}

function oddTools(names: readonly string[], { isTool }: SurveyPlaces): readonly string[] {
  const odd = names.filter((name) => !isTool(name)).map(visibleText);
  return odd.length === 0 ? [] : [`its allowed-tools name unknown tools: ${odd.join(", ")}`];
}

function leadsElsewhere({ others: [link] }: SkillContent): string | undefined {
  return link && `its ${visibleText(link)} is not a regular file, and its target may change at any time`;
}

async function readSkill(
  folder: string,
  origin: SkillFacts["origin"],
  places: SkillPlaces,
): Promise<Outcome<SkillFacts>> {
  const { trusted } = places;
  const name = path.basename(folder);
  if (!isPlainName(name)) return fail("bad_request", oddName(name));
  const parsed = await parsedSkill(folder, places);
  if (!parsed.ok) return parsed;
  const content = hashedContent(folder);
  if (!content.ok) return content;
  const { hash, others } = content.value;
  const { body: _, ...facts } = parsed.value;
  return ok({
    ...facts,
    origin,
    directory: folder,
    hash,
    scripts: openOf(content.value, folder, places).filter((file) => file !== "SKILL.md" && isScript(folder, file)),
    trusted: origin === "user" || (others.length === 0 && trusted.has(hash)),
  });
}

function oddName(name: string): string {
  const shown = visibleText(JSON.stringify(name.slice(0, 100)));
  return `Its name ${shown} is not plain: at most 64 letters, digits, "-", "_" and ".", with single blanks between.`;
}

async function parsedSkill(folder: string, places: SkillPlaces): Promise<Outcome<ParsedSkill>> {
  const text = textOf(folder, "SKILL.md", places);
  return text.ok ? parseSkill(text.value, path.basename(folder)) : text;
}

/** A program in the workspace can put a link there after the check, so the opened file is checked again. */
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
    return fail("bad_request", `${file} is not a readable text file of at most 1 MiB.`);
  }
}

function openFiles(directory: string, places: SkillPlaces): readonly string[] {
  const content = skillContent(directory);
  return content.ok ? openOf(content.value, directory, places) : [];
}

function openOf({ files }: SkillContent, directory: string, { isSecret }: SkillPlaces): readonly string[] {
  return files.filter((file) => !isSecret(path.basename(file), path.join(directory, file)));
}

async function readFile(skill: SkillFacts, file: string | undefined, places: SkillPlaces) {
  if (file === undefined || file === "SKILL.md") {
    const parsed = await parsedSkill(skill.directory, places);
    return parsed.ok ? ok({ file: "SKILL.md", text: plainText(parsed.value.body) }) : parsed;
  }
  // Only files from the listing of the folder: this excludes `..`, links and absolute paths.
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

interface SkillDeskParts {
  places(): Outcome<SurveyPlaces>;
  rank(words: string, skills: readonly ListedSkill[]): readonly ListedSkill[];
}

export function createSkillDesk({ places, rank }: SkillDeskParts): SkillCatalog {
  return {
    async survey() {
      const where = places();
      return where.ok ? ok(await surveySkills(where.value)) : where;
    },
    async search(words) {
      const where = places();
      return where.ok ? ok(rank(words, (await surveySkills(where.value)).skills)) : where;
    },
    async read(name, file) {
      const where = places();
      if (!where.ok) return where;
      const { skills, unread } = await surveySkills(where.value);
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined) {
        const folder = unread.find(({ directory }) => path.basename(directory) === name);
        return folder === undefined ? noSuchSkill(name, skills) : notRead(name, folder);
      }
      const content = await createSkillLibrary(where.value).read(skill, file);
      if (content.ok) return ok({ skill, content: content.value });
      const isThere = file === undefined || skill.files.includes(path.normalize(file));
      return isThere ? content : { ok: false, failure: { ...content.failure, code: "bad_request" } };
    },
  };
}

function notRead(name: string, { directory, why }: SkillSurvey["unread"][number]): Outcome<never> {
  return fail("bad_request", `The skill ${JSON.stringify(name)} exists, but is not loaded: ${why}`, {
    recovery: `Check ${path.join(directory, "SKILL.md")}.`,
  });
}

function noSuchSkill(name: string, skills: readonly ListedSkill[]): Outcome<never> {
  const names = skills.map((skill) => skill.name);
  const meant = nearest(name, names);
  const hint = meant.length === 0 ? "`gauntlet skills list` lists them." : `Did you mean ${meant.join(" or ")}?`;
  return fail("bad_request", `There is no skill named ${JSON.stringify(name)} here.`, { recovery: hint });
}
