import type { Outcome } from "./codes.ts";
import type { UntrustedItem } from "./untrusted-item.ts";

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
  /** In order of their names; of two with the same name the nearest. */
  list(): Promise<readonly SkillFacts[]>;
  find(name: string): Promise<SkillFacts | undefined>;
  /** The body of its `SKILL.md`, or another file of its folder. Never a path out of it. */
  read(skill: SkillFacts, file?: string): Promise<Outcome<SkillText>>;
  /** Files of the folder, relative. */
  files(skill: SkillFacts): readonly string[];
  /** Those of the project, for whoever decides what is trusted. */
  offers(): readonly (UntrustedItem & { readonly trusted: boolean })[];
}
