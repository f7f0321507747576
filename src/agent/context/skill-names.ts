import path from "node:path";
import { clip } from "../../base/text.ts";
import type { Door } from "../../contract/app/door.ts";
import type { SkillFacts, SkillLibrary } from "../../contract/app/skill.ts";
import type { ContextDecision } from "../../contract/events/run.ts";

const most = { skills: 60, characters: 300 } as const;

/** Name and purpose of every skill that may be read here. The rest of it comes when it is asked for. */
export async function skillNames(
  library: SkillLibrary,
  explain: Door["explain"],
): Promise<{ readonly text: string; readonly decisions: readonly ContextDecision[] }> {
  if (!library.some) return { text: "", decisions: [] };
  const skills = await library.list();
  const closed = await Promise.all(skills.map((skill) => closedReason(skill, explain)));
  const open = skills.filter((_, index) => closed[index] === undefined);
  const decisions = skills.flatMap(({ name }, index): ContextDecision[] => {
    const reason = closed[index];
    return reason === undefined ? [] : [{ what: `skill ${name}`, decision: "exclude", reason }];
  });
  const lines = open
    .slice(0, most.skills)
    .map(({ name, description }) => `${name}: ${clip(description, most.characters)}`);
  const left = open.length - lines.length;
  return { text: [...lines, ...(left === 0 ? [] : [`and ${left} more: skills_search`])].join("\n"), decisions };
}

/** A skill of the project that the model may not read is not named to it. */
async function closedReason(skill: SkillFacts, explain: Door["explain"]): Promise<string | undefined> {
  if (skill.origin === "user") return undefined;
  const verdict = await explain({ tool: "read", input: { path: path.join(skill.directory, "SKILL.md") } });
  return verdict.decision === "allow" ? undefined : `reading it is not allowed: ${verdict.reason}`;
}
