import path from "node:path";
import type { SkillFacts } from "../contract/app/skill.ts";
import type { IdentifiedIntent } from "../contract/intent.ts";
import { askable } from "./askable.ts";
import type { Journey } from "./journey.ts";

/**
 * May a call be told of a skill? What one of the project says of itself is content of a file: where reading that is
 * not allowed, no list has it either. The person's own were put there to be read.
 */
export function skillOpenness(journey: Journey, call: IdentifiedIntent): (skill: SkillFacts) => Promise<boolean> {
  return async ({ origin, directory }) => {
    if (origin === "user") return true;
    const tool = journey.registry.find("read")?.tool;
    if (tool === undefined) return false;
    const input = { path: path.join(directory, "SKILL.md") };
    const question = await askable({ journey }, { ...call, tool, input });
    const { decision } = await journey.gate.judge({ ...question, explainOnly: true });
    return decision === "allow";
  };
}
