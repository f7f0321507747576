import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { SkillFacts } from "../../contract/app/skill.ts";
import { defineTool } from "../../contract/tool.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { summarizer } from "../summary.ts";
import { labelled, noSuchSkill, readsSkill, skillName, skillsVisible } from "./skill-input.ts";

const input = lazy(() =>
  z.strictObject({
    name: skillName(),
    arguments: z.exactOptional(z.string().max(4_000)).describe("Arguments for the skill"),
  }),
);
type SkillInput = z.infer<ReturnType<typeof input>>;

interface FollowedSkill {
  readonly skill: SkillFacts;
  readonly text: string;
  readonly files: readonly string[];
}

/** Activates a skill: returns its text and limits the tools to those that it names. */
export const skill = defineTool<SkillInput, FollowedSkill>({
  name: "skill",
  version: "1",
  description: "Loads a skill: instructions that you then follow with the other tools.",
  family: "session",
  risks: ["read"],
  searchHint: "run follow procedure how-to",
  aliases: ["Skill"],
  inputAliases: { skill: "name", args: "arguments" },
  input,
  requiresWorkspace: false,
  readOnly: () => true,
  visible: skillsVisible,
  async effects({ name }, view) {
    const report = await readsSkill(name, "SKILL.md", view);
    return { effects: [...report.effects, { op: "session", what: sessionEffects.followSkill(name) }] };
  },
  describeCall: ({ name }) => `Load the skill ${name}`,

  async run({ name }, { skills, session }) {
    const found = await skills.find(name);
    if (found === undefined) return noSuchSkill(name, skills);
    const read = await skills.read(found);
    if (!read.ok) return read;
    session.followSkill(found);
    return { ok: true, data: { skill: found, text: read.value.text, files: skills.files(found) } };
  },

  summarize: summarizer(
    ({ name }) => `Skill ${name}`,
    ({ skill: found, text, files }, { name, arguments: given = "" }) => {
      const { allowedTools, directory, scripts, trusted } = found;
      const narrowed =
        allowedTools === undefined ? "" : ` Tools are limited to ${allowedTools.join(", ")} until the next message.`;
      const untrusted =
        trusted || scripts.length === 0 ? "" : " Its scripts cannot run until a user trusts the folder.";
      const parts = { "SKILL.md": text, arguments: given, files: files.length < 2 ? "" : files.join("\n") };
      return {
        summary: `Follow ${name} in ${directory}.${narrowed}${untrusted}`,
        model: labelled(parts),
        user: found.description,
        data: { name, hash: found.hash, trusted },
      };
    },
  ),
});
