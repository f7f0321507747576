import type { EffectPart } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";

/** Only git itself has business in `.git`; through any other command its configuration could be redirected. */
export function runsGit({ report }: GateQuestion): boolean {
  return (report.parts ?? []).some((part) => part.words?.[0] === "git");
}

/** Sub-commands that compare and record files, and show nothing of them to anybody else. */
const recording = new Set(
  "add branch checkout cherry-pick commit merge notes rebase reset restore revert stage stash switch tag".split(" "),
);

/** Every part is a git command that was understood, or one that reaches no file at all. */
export function runsGitAlone({ report }: GateQuestion): boolean {
  return (report.parts ?? []).every((part) => (part.words?.[0] === "git" ? recordsOnly(part) : reachesNothing(part)));
}

function recordsOnly({ effects, words }: EffectPart): boolean {
  if (effects.every(({ op }) => op === "read" || op === "list")) return true;
  return recording.has(words?.[1] ?? "") && effects.every(({ op }) => op === "exec" || op === "read" || op === "list");
}

/** `cd` only looks at the directory it enters. */
function reachesNothing({ effects, words }: EffectPart): boolean {
  return words !== undefined && effects.every((effect) => effect.op === "list" && effect.scope === "file");
}
