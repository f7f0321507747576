import type { DoctorCheck } from "../contract/app/app.ts";
import { examineModel, type ModelExamination } from "./examine-model.ts";
import { findModels, keysIn } from "./find-models.ts";
import { type LocalServer, localServers } from "./known-providers.ts";

/** Which models could be asked from here. Of keys, only the names of the variables are told. */
export async function examineModels(
  examination: ModelExamination & { readonly servers?: readonly LocalServer[] },
): Promise<readonly DoctorCheck[]> {
  const { environment, models, servers = localServers } = examination;
  const own = Object.values(models.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const keys = [...new Set([...keysIn(environment), ...keysIn(environment, own)])];
  const [set, askable] = await Promise.all([examineModel(examination), findModels({ ...examination, servers })]);
  const found = askable.filter(({ from }) => !keys.includes(from));
  const places = servers.map(({ called, port }) => `${called} on ${port}`).join(", ");
  return [
    set ?? noModel(askable[0]?.name),
    keys.length === 0
      ? { name: "keys", state: "absent", detail: "none set" }
      : { name: "keys", state: "ok", detail: `set: ${keys.join(", ")}` },
    found.length === 0
      ? { name: "model servers", state: "absent", detail: `at their usual places on this machine: none (${places})` }
      : {
          name: "model servers",
          state: "ok",
          detail: found.map(({ name, from }) => `${name} (${from})`).join(", "),
        },
  ];
}

function noModel(one: string | undefined): DoctorCheck {
  const name = "model";
  return one === undefined
    ? {
        name,
        state: "warning",
        detail: "none is set up, no key is set, and no model server answers on this machine",
        fix: "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or GEMINI_API_KEY), or start a server such as Ollama",
      }
    : {
        name,
        state: "warning",
        detail: "none is set up: `gauntlet` asks which one to use, and `gauntlet run` needs --model",
        fix: `gauntlet run --model ${one} '<task>', or "model": "${one}" in ~/.gauntlet/settings.json`,
      };
}
