import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { withMarks } from "../../base/secret-span.ts";
import { defineTool } from "../../contract/tool.ts";
import { summarizer } from "../summary.ts";
import { labelled, noSuchSkill, readsSkill, skillName, skillsVisible } from "./skill-input.ts";

const input = lazy(() =>
  z.strictObject({
    name: skillName(),
    file: z.exactOptional(z.string().min(1).max(500)).describe("Another file of its folder; SKILL.md if absent"),
    max_chars: z.exactOptional(z.int().min(100).max(100_000)).describe("24000 if absent"),
  }),
);
type SkillsReadInput = z.infer<ReturnType<typeof input>>;

interface ReadSkill {
  readonly file: string;
  readonly text: string;
  readonly files: readonly string[];
}

const usual = 24_000;

export const skillsRead = defineTool<SkillsReadInput, ReadSkill>({
  name: "skills_read",
  version: "1",
  description: "Reads a skill, or another file of its folder.",
  family: "session",
  risks: ["read"],
  searchHint: "open procedure how-to reference",
  inputAliases: { maxChars: "max_chars", path: "file" },
  input,
  requiresWorkspace: false,
  readOnly: () => true,
  concurrency: () => "safe",
  visible: skillsVisible,
  effects: ({ name, file = "SKILL.md" }, view) => readsSkill(name, file, view),
  describeCall: ({ name, file }) => `Read the skill ${name}${file === undefined ? "" : `, ${file}`}`,

  async run({ name, file }, { skills, secretsIn }) {
    const skill = await skills.find(name);
    if (skill === undefined) return noSuchSkill(name, skills);
    const read = await skills.read(skill, file);
    if (!read.ok) return read;
    const text = withMarks(read.value.text, secretsIn(read.value.text));
    return { ok: true, data: { ...read.value, text, files: skills.files(skill) } };
  },

  summarize: summarizer(
    ({ name, file = "SKILL.md" }) => `Skill ${name}, ${file}`,
    ({ file, text, files }, { name, max_chars = usual }) => {
      const shown = text.slice(0, max_chars);
      const omitted = Buffer.byteLength(text) - Buffer.byteLength(shown);
      const others = file === "SKILL.md" ? files.filter((other) => other !== "SKILL.md") : [];
      return {
        summary: `${file} of the skill ${name}${omitted === 0 ? "" : `, its first ${max_chars} characters`}.`,
        model: [{ format: "text", text: shown, label: file }, ...labelled({ "other files": others.join("\n") })],
        user: shown,
        data: { file, truncated: omitted > 0 },
        omittedBytes: omitted === 0 ? undefined : omitted,
      };
    },
  ),
});
