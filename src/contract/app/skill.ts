import type { Outcome } from "../codes.ts";

/** A folder with a `SKILL.md`. Its words are advice from whoever wrote it, never permission. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly origin: "project" | "user";
  /** Absolute. */
  readonly directory: string;
  /** `sha256:` over every file of the folder, by name and content. */
  readonly hash: string;
  /** Its scripts may run. Those of a project only after somebody trusts exactly this folder. */
  readonly trusted: boolean;
  /** Files that are there to be run, relative. Where there are none nobody has to trust it. */
  readonly scripts: readonly string[];
  /** Names of tools, without patterns. While the skill is followed nothing else is offered. */
  readonly allowedTools?: readonly string[];
  readonly compatibility?: string;
  /** What is odd about it, for people. */
  readonly warnings: readonly string[];
}

export interface SkillText {
  /** Relative to the skill's folder. */
  readonly file: string;
  readonly text: string;
}

/** Skills that the session may read. Looked for when somebody asks, not before. */
export interface SkillLibrary {
  /** Whether there may be any: one look at the places, none into them. */
  readonly some: boolean;
  /** In order of their names; of two with the same name the person's own. */
  list(): Promise<readonly SkillFacts[]>;
  find(name: string): Promise<SkillFacts | undefined>;
  /** The body of its `SKILL.md`, or another file of its folder. Never a path out of it. */
  read(skill: SkillFacts, file?: string): Promise<Outcome<SkillText>>;
  /** Files of the folder, relative. */
  files(skill: SkillFacts): readonly string[];
  /** Those of the project, for whoever decides what is trusted. */
  offers(): readonly (UntrustedItem & { readonly trusted: boolean })[];
}

/** One look at what does not run: files of the project's skills that nobody trusts as they are now. */
export interface UntrustedSkills {
  /** Whether there may be any. Where there is no place for skills nothing else has to be asked. */
  readonly some: boolean;
  /** The folder that a path leads into: by its name, by links, or as another name of one of its files. */
  leadsInto(path: string): string | undefined;
  /** All files and folders of theirs, absolute: a `SKILL.md` can be run like any other. */
  entries(): readonly string[];
}

/** A skill as people are shown it. */
export interface ListedSkill extends SkillFacts {
  /** Beside its `SKILL.md`, relative. */
  readonly files: readonly string[];
  /** Why nobody can trust it as it is. */
  readonly refused?: string;
  /** Somebody trusted the folder of that name as it was before. */
  readonly changed?: true;
}

/** All that lies where skills are looked for. */
export interface SkillSurvey {
  /** In order of their names. */
  readonly skills: readonly ListedSkill[];
  /** Folders with a `SKILL.md` that no session reads, and places that have more folders than are looked at. */
  readonly unread: readonly { readonly directory: string; readonly why: string }[];
}

/** Skills for people: no session is opened, and nothing of them runs. */
export interface SkillDesk {
  survey(): Promise<Outcome<SkillSurvey>>;
  /** Best first. */
  search(words: string): Promise<Outcome<readonly ListedSkill[]>>;
  read(name: string, file?: string): Promise<Outcome<{ readonly skill: ListedSkill; readonly content: SkillText }>>;
}

/** The person's own skills, which lie in our state and are no part of it. */
export function ownSkills(stateDirectory: string): string {
  return `${stateDirectory}/skills`;
}

/** Something in the repository that would run or widen, and is not in force until a person trusts exactly it. */
export interface UntrustedItem {
  readonly kind: "allow_rule" | "hook" | "directory" | "mcp_server" | "skill";
  readonly origin: string;
  /** As it would be used, in one line: the rule, the hook with its whole command. */
  readonly text: string;
  /** The same, a line for each thing that it asks for, where that is more than one line can say well. */
  readonly lines?: readonly string[];
  /**
   * `sha256:` over kind, origin's place in the project and the whole definition, with the content of the
   * project's files that it covers. Any change gives another.
   */
  readonly hash: string;
  /** The project's files that it covers: those that a hook or a server names literally. */
  readonly bound?: readonly (readonly [file: string, hash: string])[];
  /** What a person should know beyond that before they trust it, in a sentence. */
  readonly notCovered?: string;
  /** Why it can never take effect, whoever trusts it. */
  readonly refused?: string;
}
