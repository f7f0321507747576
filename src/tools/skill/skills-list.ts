import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { SkillFacts } from "../../contract/app/skill.ts";
import type { EffectReport } from "../../contract/effect.ts";
import { type Concurrency, defineTool } from "../../contract/tool.ts";
import { sessionEffects } from "../../contract/verdict.ts";
import { rankTools } from "../session/rank-tools.ts";
import { summarizer } from "../summary.ts";
import { skillsSummary, skillsVisible } from "./skill-input.ts";

const common = {
  version: "1",
  family: "session",
  risks: ["read"],
  requiresWorkspace: false,
  readOnly: () => true,
  concurrency: (): Concurrency => "safe",
  visible: skillsVisible,
  effects: (): EffectReport => ({ effects: [{ op: "session", what: sessionEffects.listSkills }] }),
} as const;

export const skillsList = defineTool<Record<never, never>, readonly SkillFacts[]>({
  ...common,
  name: "skills_list",
  description: "Lists the available skills.",
  searchHint: "procedures how-to instructions",
  input: () => z.strictObject({}),
  run: async (_, { skills }) => ({ ok: true, data: await skills.list() }),
  summarize: summarizer(
    () => "Skills",
    (skills) => skillsSummary(skills, skills.length),
  ),
});

const searchInput = lazy(() =>
  z.strictObject({
    query: z.string().min(1).max(500).describe("What you want to do"),
    limit: z.exactOptional(z.int().min(1).max(50)).describe("8 if absent"),
  }),
);

export const skillsSearch = defineTool<
  z.infer<ReturnType<typeof searchInput>>,
  { readonly found: readonly SkillFacts[]; readonly outOf: number }
>({
  ...common,
  name: "skills_search",
  description: "Finds skills by purpose.",
  searchHint: "find procedure how-to",
  input: searchInput,
  async run({ query, limit = 8 }, { skills }) {
    const all = await skills.list();
    return { ok: true, data: { found: rankTools(query, all).slice(0, limit), outOf: all.length } };
  },
  summarize: summarizer(
    ({ query }) => `Skills for ${query}`,
    ({ found, outOf }) => skillsSummary(found, outOf),
  ),
});
