import type { Agent } from "../contract/app/agent.ts";
import type { App, DoctorCheck } from "../contract/app/app.ts";
import type { DoorOptions } from "../contract/app/door.ts";
import { modelName } from "../contract/model.ts";

/** What this machine offers, from inside of a session: that has a model, also where none is set up. */
export async function sessionChecks(
  app: Pick<App, "doctor" | "settings">,
  agent: Pick<Agent, "chain">,
  options: DoorOptions,
): Promise<readonly DoctorCheck[]> {
  const checks = await app.doctor({ fix: false });
  const settings = app.settings(options);
  if (!settings.ok || settings.value.models.model !== undefined) return checks;
  const detail = `${modelName(agent.chain.models[0].ref)} in this session; the settings name none for the next`;
  return checks.map((check) => (check.name === "model" ? { name: check.name, state: "ok", detail } : check));
}
