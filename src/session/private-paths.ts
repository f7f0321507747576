import { ownSkills } from "../contract/app/skill.ts";
import type { PrivatePath } from "../observation/observation-input.ts";

/** Our state is nobody's business. Skills of the person's own have scripts, which are run by their path. */
export function privatePaths(stateDirectory: string): readonly PrivatePath[] {
  return [{ path: stateDirectory, shown: "<gauntlet state>", except: ownSkills(stateDirectory) }];
}
