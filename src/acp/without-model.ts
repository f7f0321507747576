import type { App } from "../contract/app/app.ts";
import type { Failure } from "../contract/codes.ts";

const ownFile = "~/.gauntlet/settings.json";
const none =
  "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY where the editor starts it, or start a server such as Ollama on this machine.";

/** Why a new session has nobody to ask, where that is why: which models could be asked, and where an editor's person says so. */
export async function withoutModel(app: Pick<App, "findModels" | "settings">, failure: Failure): Promise<Failure> {
  const settings = app.settings({});
  if (!settings.ok || settings.value.models.model !== undefined) return failure;
  const providers = Object.values(settings.value.models.providers);
  if (providers.some(({ models = {} }) => Object.keys(models).length > 0)) return failure;
  const found = await app.findModels();
  const [first] = found;
  const message = "No model is set up.";
  if (first === undefined)
    return { ...failure, message, recovery: `${none} Then name a model: "model" in ${ownFile}.` };
  const named = found.map(({ name, from }) => `${name} (${from})`).join(", ");
  const choose = `Write "model": "${first.name}" into ${ownFile}, or start the agent with "args": ["acp", "--model", "${first.name}"].`;
  return { ...failure, message, recovery: `These can be asked as things are: ${named}. ${choose}` };
}
