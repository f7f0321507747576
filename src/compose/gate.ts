import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ClassifierPort } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import { isInside } from "../contract/path-scope.ts";
import type { Metadata } from "../contract/ports.ts";
import type { Settings } from "../contract/settings.ts";
import { absentProtected } from "../effects/believed-names.ts";
import { classifyPath, isProtectedName, isSecretName } from "../effects/classify-path.ts";
import { linkedRepository } from "../effects/linked-repository.ts";
import { isRepositoryPart, objectStoresBelow, repositoriesBelow } from "../effects/repositories.ts";
import { compileRules } from "../gate/compile-rules.ts";
import { createClassifier } from "../gate/deterministic-classifier.ts";
import type { Policy as GatePolicy } from "../gate/policy.ts";
import type { Places } from "../host/find-places.ts";
import { linkedWorktree } from "../host/linked-worktree.ts";
import { readSmallText } from "../host/read-small-text.ts";
import type { Scan } from "../host/scan.ts";
import type { SkillPlaces } from "../host/skills/skill-library.ts";
import { lookAtUntrustedSkills } from "../host/skills/untrusted-skills.ts";
import { isPlaceholder } from "../sandbox/placeholders.ts";
import { deniedPathRules, describeProblem, isError } from "../session/policy/load-policy.ts";

export function skillPlaces({ trust }: Settings, places: Places): SkillPlaces {
  return { ...places, trusted: new Set(trust), isSecret: isSecretName };
}

/** What the gate judges by: the rules of the settings, and where on this machine it looks. */
export function composeGatePolicy(
  settings: Settings,
  places: Places,
  machine: { readonly clock: Clock; readonly metadata: Metadata; readonly scan: Scan },
  classifier: ClassifierPort | undefined,
): Outcome<GatePolicy> {
  const { rules, problems } = compileRules([...settings.rules, ...deniedPathRules(settings)], places);
  const errors = problems.filter(isError);
  if (errors.length > 0) {
    const listed = errors.map(describeProblem).join("; ");
    return fail("bad_request", `The permission rules cannot be used: ${listed}`, {
      recovery: "Correct or remove these rules.",
    });
  }
  const stateDirectory = places.gauntletHome;
  const { metadata, scan } = machine;
  // What cannot be looked into now may hold anything by the time a command looks.
  const findGuarded: typeof scan.find = (root, matches) => scan.find(root, matches, { shut: true });
  const repositories = { find: findGuarded, roots: settings.roots, metadata, readText: readSmallText };
  const findLinked = (root: string) => {
    const found = linkedWorktree(root, settings.roots);
    return "why" in found ? undefined : linkedRepository(found, repositories);
  };
  const inodeOf = (file: string) => machine.metadata.lstat(file)?.inode;
  return ok({
    rules,
    isSecretByAnotherName: (file, roots) => {
      const inode = inodeOf(file);
      return roots.some((root) => machine.scan.find(root, isSecretName).some((secret) => inodeOf(secret) === inode));
    },
    classify: (file) =>
      classifyPath(file, { roots: settings.roots, home: places.home, stateDirectory }) ??
      (isRepositoryPart(file, repositories) ? "protected" : undefined),
    // Whatever it is called: a state directory inside the workspace is as closed as one beside it.
    findSecrets: (root) => [
      ...findGuarded(root, isSecretName),
      ...(isInside(stateDirectory, root) ? [stateDirectory] : []),
    ],
    findRepositories: (root) => repositoriesBelow(root, repositories),
    findLinked,
    findObjectStores: (root) => objectStoresBelow(root, repositories),
    findAbsent: (root, options) => absentProtected(root, { ...metadata, isStandIn: isPlaceholder }, options),
    findProtected: (root) => findGuarded(root, isProtectedName),
    find: (root, matches) => machine.scan.find(root, matches),
    untrustedSkills: () => lookAtUntrustedSkills(skillPlaces(settings, places)),
    clock: machine.clock,
    approvalMs: settings.limits.approvalMs,
    privateHosts: settings.network.privateHosts,
    classifier: createClassifier(classifier),
  });
}
