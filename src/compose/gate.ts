import { dirname } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isInside, isInsideAny } from "../contract/effect.ts";
import type { ClassifierPort } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { Metadata } from "../contract/ports.ts";
import type { Settings } from "../contract/settings.ts";
import { classifyPath, isProtectedName, isProtectedWhenOpen, isSecretName } from "../effects/classify-path.ts";
import { configuredPaths } from "../effects/configured-paths.ts";
import { beginsEntry } from "../effects/path-class-index.ts";
import {
  absentProtected,
  isRepositoryPart,
  linkedRepository,
  objectStoresBelow,
  repositoriesBelow,
} from "../effects/repositories.ts";
import { resolvePath } from "../effects/resolve-path.ts";
import { createClassifier } from "../gate/deterministic-classifier.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { compileRules } from "../gate/rules/compile-rules.ts";
import { namesSecret } from "../gate/rules/match-rules.ts";
import { deniedPathRules, describeProblem, isError } from "../history/policy/load-policy.ts";
import { readSmallText } from "../host/files/read-small-text.ts";
import type { Scan } from "../host/files/scan.ts";
import { indexLook } from "../host/git/committed-files.ts";
import { gitDirectories, linkedWorktree, treeAbove } from "../host/git/work-trees.ts";
import type { Places } from "../host/state/find-places.ts";
import type { KnownValues } from "../log/redact/known-values.ts";
import { isPlaceholder } from "../sandbox/run/placeholders.ts";
import { type SecretStandings, secretStandings } from "../session/secret-standings.ts";
import type { SkillPlaces } from "../skills/skill-library.ts";
import { lookAtUntrustedSkills } from "../skills/untrusted-skills.ts";

export function skillPlaces({ trust }: Settings, places: Places): SkillPlaces {
  return { ...places, trusted: new Set(trust), isSecret: isSecretName };
}

export function composeGatePolicy(
  settings: Settings,
  places: Places,
  machine: {
    readonly clock: Clock;
    readonly metadata: Metadata;
    readonly scan: Scan;
    readonly known: KnownValues;
  },
  classifier: ClassifierPort | undefined,
): Outcome<SecretStandings & { readonly gatePolicy: GatePolicy }> {
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
  // A directory that is unreadable now may be readable when the command runs.
  const findGuarded: typeof scan.find = (root, matches) => scan.find(root, matches, { shut: true });
  const repositories = { find: findGuarded, roots: settings.roots, metadata, readText: readSmallText };
  const findLinked = (root: string) => {
    const found = linkedWorktree(root, settings.roots);
    return "why" in found ? undefined : linkedRepository(found, repositories);
  };
  const standings = secretStandings({
    roots: settings.roots,
    hideCommitted: settings.secrets.hideCommitted,
    shows: (file) => namesSecret(rules, file, machine.clock.now()),
    metadata,
    find: findGuarded,
    known: machine.known,
  });
  const { standing } = standings;
  const closedNames = (root: string) => findGuarded(root, isSecretName).filter((file) => standing(file) === undefined);
  const findConfigured = oncePerTurn((tree: string) => {
    const git = gitDirectories(tree);
    const named = configuredPaths(tree, {
      ...repositories,
      home: places.home,
      gitDirectories: git === undefined ? [`${tree}/.git`] : [git.own, git.common],
    });
    const links = findGuarded(tree, isProtectedName).filter((file) => metadata.lstat(file)?.kind === "symlink");
    // A link on the way leads to another name of it. One that leads to the whole tree protects nothing by itself.
    return [...named, ...links].flatMap((file) => {
      const real = resolvePath(file, { metadata, base: tree, home: places.home });
      return real.ok && !isInside(tree, real.value.resolved) ? [file, real.value.resolved] : [file];
    });
  });
  const treesAround = oncePerTurn((directory: string): readonly string[] => {
    const tree = treeAbove(`${directory}/x`);
    if (tree === undefined || settings.roots.includes(tree) || !isInsideAny(tree, settings.roots))
      return settings.roots;
    return [tree, ...treesAround(dirname(tree))];
  });
  const isConfigured = (file: string) =>
    isInsideAny(file, settings.roots) &&
    treesAround(dirname(file)).some((tree) => isInsideAny(file, findConfigured(tree)));
  const inodeOf = (file: string) => machine.metadata.lstat(file)?.inode;
  const gatePolicy: GatePolicy = {
    rules,
    isSecretByAnotherName: (file, roots) => {
      const inode = inodeOf(file);
      return roots.some((root) => closedNames(root).some((secret) => inodeOf(secret) === inode));
    },
    classify: (file) =>
      classifyPath(file, { roots: settings.roots, home: places.home, stateDirectory, standing }) ??
      (isRepositoryPart(file, repositories) || isConfigured(file) ? "protected" : undefined),
    leadsToClass: (file) =>
      beginsEntry(file) ||
      treesAround(dirname(file)).some((tree) => findConfigured(tree).some((one) => isInside(one, file))),
    // The state directory is closed inside the workspace as well.
    findSecrets: (root, which = "hidden") => {
      // Before the first command: what the session commits later must open nothing.
      standings.versions(`${root}/.git`);
      return [
        ...(which === "hidden" ? closedNames(root) : findGuarded(root, isSecretName)).filter(
          (file) => which !== "asked" || standing(file) !== "plain",
        ),
        ...scan.find(root, isIgnoreName).filter((file) => {
          const stat = metadata.lstat(file);
          return stat?.kind === "special" || (stat?.size ?? 0) > largestIgnoreFile;
        }),
        ...(isInside(stateDirectory, root) ? [stateDirectory] : []),
      ];
    },
    findRepositories: (root) => repositoriesBelow(root, repositories),
    findLinked,
    hasCommittedCover: (file) => standings.coverOf(file) !== undefined,
    isTracked: indexLook(),
    isConfigured,
    isCommitted: standings.isCommitted,
    hidesCommitted: settings.secrets.hideCommitted,
    findObjectStores: (root) => objectStoresBelow(root, repositories),
    findAbsent: (root, options) => absentProtected(root, { ...metadata, isStandIn: isPlaceholder }, options),
    findProtected: (root) => [
      ...findGuarded(root, isProtectedName),
      ...findGuarded(root, isSecretName).filter((file) => isProtectedWhenOpen(file) && standing(file) !== undefined),
      ...[...settings.roots, ...findGuarded(root, (name) => name === ".git").map((git) => dirname(git))]
        .flatMap(findConfigured)
        .filter((file) => isInside(file, root)),
    ],
    find: (root, matches) => machine.scan.find(root, matches),
    ...(metadata.entries && { entries: metadata.entries }),
    untrustedSkills: () => lookAtUntrustedSkills(skillPlaces(settings, places)),
    clock: machine.clock,
    approvalMs: settings.limits.approvalMs,
    privateHosts: settings.network.privateHosts,
    classifier: createClassifier(classifier),
  };
  return ok({ gatePolicy, ...standings });
}

function oncePerTurn<Value>(look: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size === 0) setImmediate(() => known.clear()).unref();
    const value = look(key);
    known.set(key, value);
    return value;
  };
}

const largestIgnoreFile = 16 * 1024 ** 2;

function isIgnoreName(name: string): boolean {
  return name === ".gitignore" || name === ".ignore" || name === ".rgignore" || name === ".gitattributes";
}
