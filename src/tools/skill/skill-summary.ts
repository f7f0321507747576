import type { Summary } from "../../contract/tool.ts";
import type { listed } from "./skill-input.ts";

/** A list of skills, each with the call that reads it. */
export function skillsSummary(title: string, skills: readonly ReturnType<typeof listed>[], outOf: number): Summary {
  const [first] = skills;
  return {
    title,
    summary: skills.length === 0 ? `None of ${outOf} skills.` : `${skills.length} of ${outOf} skills.`,
    model: skills.length === 0 ? [] : [{ format: "json", text: JSON.stringify(skills, null, 1) }],
    user: skills.map(({ name, description }) => `${name}: ${description}`).join("\n"),
    ...(first === undefined ? {} : { next: first.next }),
    data: { skills: skills.map(({ name }) => name) },
  };
}
