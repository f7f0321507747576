import { counted } from "../cli/render/table.ts";
import type { Agent } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { modelName } from "../contract/model.ts";
import { type Mode, modes } from "../contract/verdict.ts";

const modeWords: Readonly<Record<Mode, string>> = {
  default: "reads run; edits, commands with effects and the network ask",
  acceptEdits: "edits inside the workspace run too",
  plan: "reads and searches; everything else is denied",
  dontAsk: "what would ask is denied",
  bypass: "what would ask runs, except where a rule, a hook or a protected path asks",
  auto: "edits and project code run while the sandbox holds; deletes, installs, network still ask",
};

/** All modes, and which one it is. */
export function modesText(now: Mode): string {
  return marked(modes.map((mode) => ({ name: mode, words: modeWords[mode], isChosen: mode === now })));
}

/** The models that the settings name. */
export function modelsInSettings(app: Pick<App, "settings">, options: DoorOptions): readonly string[] {
  const settings = app.settings(options);
  if (!settings.ok) return [];
  const { model, fallback, providers } = settings.value.models;
  const described = Object.entries(providers).flatMap(([provider, { models = {} }]) =>
    Object.keys(models).map((id) => `${provider}/${id}`),
  );
  return [...new Set([...(model === undefined ? [] : [model]), ...fallback, ...described])];
}

/** Which model it is and why, and which others could be named. */
export async function modelsText(
  app: Pick<App, "settings" | "findModels">,
  agent: Pick<Agent, "chain" | "context">,
  options: DoorOptions,
): Promise<string> {
  const [first, ...others] = agent.chain.models.map(({ ref }) => modelName(ref));
  const name = first ?? "";
  // The reason begins with the name that stands in front of it here.
  const why = agent.chain.reason.startsWith(`${name}: `)
    ? agent.chain.reason.slice(name.length + 2)
    : agent.chain.reason;
  const known = new Map([
    [name, why],
    ...others.map((other) => [other, "stands in when the one above does not answer"] as const),
    ...(await app.findModels())
      .filter((found) => found.name !== name)
      .map((found) => [found.name, found.from] as const),
    ...modelsInSettings(app, options)
      .filter((other) => other !== name && !others.includes(other))
      .map((other) => [other, "settings"] as const),
  ]);
  const rows = marked([...known].map(([one, words]) => ({ name: one, words, isChosen: one === name })));
  const hint = known.size === 1 ? "no other model was found; " : `${counted(known.size, "model")}; `;
  const { assumed } = agent.context();
  const { provider, id } = agent.chain.models[0].ref;
  const setting = `\nThe context window of ${name} is not known. To set it: providers.${provider}.models["${id}"].contextTokens in your settings.`;
  return `${rows}\n${hint}/model provider/id takes any other${assumed ? setting : ""}`;
}

interface Choice {
  readonly name: string;
  readonly words: string;
  readonly isChosen: boolean;
}

const longestName = 34;

function marked(choices: readonly Choice[]): string {
  const width = Math.min(longestName, Math.max(...choices.map(({ name }) => name.length)));
  return choices
    .map(({ name, words, isChosen }) => `${isChosen ? "●" : " "} ${name.padEnd(width)}  ${words}`)
    .join("\n");
}
