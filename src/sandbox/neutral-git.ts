import { hooksOf, namedPrograms, submodulesOf } from "./git/configuration.ts";

export interface NeutralOptions {
  /** Nothing may be written: then nothing is fetched or locked either. */
  readonly readOnly: boolean;
  readonly excludesFile?: string;
  readonly attributesFile?: string;
  /** References cannot be packed from here: git would try, and say that it failed, again and again. */
  readonly noUpkeep?: boolean;
}

/**
 * A repository's configuration can name programs. These variables win over it and name none. Filters and drivers
 * carry names of the repository's own choosing and cannot be listed here: attributes take them away.
 */
export function neutralGit(roots: readonly string[], options: NeutralOptions): Readonly<Record<string, string>> {
  const entries: (readonly [string, string])[] = [
    ["core.fsmonitor", "false"],
    ["core.hooksPath", "/dev/null"],
    ["core.pager", "cat"],
    ["core.sshCommand", "ssh"],
    ["core.askPass", ""],
    ["core.alternateRefsCommand", "true"],
    ["credential.helper", ""],
    ["gpg.program", "gpg"],
    ["gpg.openpgp.program", "gpg"],
    ["gpg.x509.program", "gpgsm"],
    ["gpg.ssh.program", "ssh-keygen"],
    ["gpg.ssh.defaultKeyCommand", ""],
    ["log.showSignature", "false"],
    ["protocol.ext.allow", "never"],
    ["safe.bareRepository", "explicit"],
    ["diff.ignoreSubmodules", "dirty"],
    ["diff.submodule", "short"],
    ["submodule.recurse", "false"],
    ["status.submoduleSummary", "false"],
    ...roots.flatMap(hooksOf).map((name) => [`hook.${name}.enabled`, "false"] as const),
    ...roots.flatMap(submodulesOf).map(ignoring),
    ...roots.map((root) => ["safe.directory", root] as const),
  ];
  if (options.excludesFile !== undefined) entries.push(["core.excludesFile", options.excludesFile]);
  if (options.attributesFile !== undefined) entries.push(["core.attributesFile", options.attributesFile]);
  if (options.noUpkeep) entries.push(["gc.auto", "0"]);
  // Git takes an empty program name for a program and fails, so this is set only where there is one to disarm.
  if (roots.some((root) => namedPrograms(root).externalDiff)) entries.push(["diff.external", ""]);
  // Here the first one wins, so the name itself cannot be taken away.
  if (roots.some((root) => namedPrograms(root).otherEnds)) entries.push(["protocol.file.allow", "never"]);
  const variables = {
    GIT_CONFIG_NOSYSTEM: "1",
    // An object is the one that its name was judged by.
    GIT_NO_REPLACE_OBJECTS: "1",
    ...unattended,
    GIT_PROXY_COMMAND: "",
    ...(options.readOnly ? offline : {}),
  };
  return withEntries(variables, entries);
}

/** In a view the repository's own hooks, filters and drivers run like the rest of its code. */
export function viewGit(roots: readonly string[], excludesFile: string | undefined): Readonly<Record<string, string>> {
  return withEntries(unattended, [
    ["credential.helper", ""],
    ["commit.gpgSign", "false"],
    ["tag.gpgSign", "false"],
    ...roots.map((root) => ["safe.directory", root] as const),
    ...(excludesFile === undefined ? [] : [["core.excludesFile", excludesFile] as const]),
  ]);
}

/** Nobody is there to answer or to look. */
const unattended = { GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true" };

function withEntries(
  own: Readonly<Record<string, string>>,
  entries: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { ...own, GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/** An object that is missing would be fetched from a remote of the repository's choosing, by a program of its choosing. */
const offline = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_OPTIONAL_LOCKS: "0" };

/** Git looks for changes in a submodule by running itself there, with the filters of that repository. */
function ignoring({ name, runs }: { readonly name: string; readonly runs: boolean }): readonly [string, string] {
  return [`submodule.${name}.ignore`, runs ? "dirty" : "none"];
}
