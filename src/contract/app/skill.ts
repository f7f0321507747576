import type { Outcome } from "../codes.ts";

/** A folder with a `SKILL.md`. Its text is advice from its author, never permission. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly origin: "project" | "user";
  readonly directory: string;
  readonly hash: string;
  readonly trusted: boolean;
  readonly scripts: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly compatibility?: string;
  readonly warnings: readonly string[];
}

export interface SkillText {
  readonly file: string;
  readonly text: string;
}

export interface SkillLibrary {
  readonly some: boolean;
  /** In order of their names; of two with the same name the person's own. */
  list(): Promise<readonly SkillFacts[]>;
  find(name: string): Promise<SkillFacts | undefined>;
  /** The body of its `SKILL.md`, or another file of its folder. Never a path out of it. */
  read(skill: SkillFacts, file?: string): Promise<Outcome<SkillText>>;
  files(skill: SkillFacts): readonly string[];
  offers(): readonly (UntrustedItem & { readonly trusted: boolean })[];
}

export interface UntrustedSkills {
  readonly some: boolean;
  leadsInto(path: string): string | undefined;
  entries(): readonly string[];
}

export interface ListedSkill extends SkillFacts {
  readonly files: readonly string[];
  readonly refused?: string;
  readonly changed?: true;
}

export interface SkillSurvey {
  /** In order of their names. */
  readonly skills: readonly ListedSkill[];
  readonly unread: readonly { readonly directory: string; readonly why: string }[];
}

export interface SkillCatalog {
  survey(): Promise<Outcome<SkillSurvey>>;
  search(words: string): Promise<Outcome<readonly ListedSkill[]>>;
  read(name: string, file?: string): Promise<Outcome<{ readonly skill: ListedSkill; readonly content: SkillText }>>;
}

export function ownSkills(stateDirectory: string): string {
  return `${stateDirectory}/skills`;
}

/** Something in the repository that would run or widen, and is not in force until a person trusts exactly it. */
export interface UntrustedItem {
  readonly kind: "allow_rule" | "hook" | "directory" | "mcp_server" | "skill";
  readonly origin: string;
  readonly text: string;
  readonly lines?: readonly string[];
  readonly hash: string;
  readonly bound?: readonly (readonly [file: string, hash: string])[];
  readonly notCovered?: string;
  /** Why it can never take effect, even when trusted. */
  readonly refused?: string;
}
