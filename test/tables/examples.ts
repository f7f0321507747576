import * as classes from "../../src/effects/path-classes.ts";
import * as shapes from "../../src/log/redact/secret-patterns.ts";
import * as losses from "../../src/programs/git/losses.ts";
import { network } from "../../src/programs/network.ts";
import type { ProgramEntry } from "../../src/programs/program-entry.ts";
import * as known from "../../src/programs/programs.ts";
import * as running from "../../src/programs/runners.ts";
import { refused, unread } from "../../src/programs/tables/refused.ts";
import { commandWrappers, tests } from "../../src/shell/wrappers.ts";
import { type EntryExamples, withExamples } from "./entry-examples.ts";
import { gitLossExamples } from "./git-losses.ts";
import { gitReadExamples } from "./git-reads.ts";
import { pathClassExamples } from "./path-classes.ts";
import { ownProgramExamples } from "./programs.ts";
import { runnerExamples } from "./runners.ts";
import { secretPatternExamples } from "./secret-patterns.ts";
import { testExamples, wrapperExamples } from "./wrappers.ts";

/** Words that, standing alone, only print a version: of programs of which nothing else is understood. */
export const versions: Readonly<Record<string, readonly string[]>> = {
  curl: ["--version", "-V"],
  ssh: ["--version", "-V"],
  aws: ["--version"],
  gh: ["--version"],
  psql: ["--version", "-V"],
  docker: ["--version", "-v"],
};

const namesOf = ({ names }: { readonly names: readonly string[] }) => names;
const nameOf = ({ names }: { readonly names: readonly string[] }) => names[0] ?? "";
const versionsOf = (entry: ProgramEntry) =>
  (versions[nameOf(entry)] ?? []).flatMap((version) => entry.names.map((name) => `${name} ${version}`));

const networkExamples = network.map((entry): EntryExamples => {
  const calls = entry.names.map((name) => `${name} x`);
  return { entry: nameOf(entry), examples: { match: [...calls, ...versionsOf(entry)], noMatch: calls } };
});

const refusedExamples = [...refused, ...unread].map((entry): EntryExamples => {
  const calls = entry.names.map((name) => `${name} x`);
  return { entry: nameOf(entry), examples: { match: versionsOf(entry), noMatch: calls } };
});

const runnerProgramExamples = runnerExamples.map(({ entry, examples }): EntryExamples => {
  const noMatch = [...examples.run, ...examples.connect];
  return { entry, examples: { match: Object.values(examples).flat(), noMatch } };
});

export const programs = withExamples(
  known.programs,
  [...ownProgramExamples, ...runnerProgramExamples, ...networkExamples, ...refusedExamples],
  namesOf,
);
export const runners = withExamples(running.runners, runnerExamples, namesOf);
export const gitReads = gitReadExamples;
export const gitLosses = withExamples(losses.gitLosses, gitLossExamples, ({ command }) => [command]);
export const pathClasses = withExamples(classes.pathClasses, pathClassExamples, ({ what }) => [what]);
export const secretPatterns = withExamples(shapes.secretPatterns, secretPatternExamples, ({ kind }) => [kind]);
export const wrappers = withExamples([...commandWrappers, tests], [...wrapperExamples, ...testExamples], namesOf);
