import { basename } from "node:path";
import { isInsideAny } from "../contract/effect.ts";
import type { SecretStanding } from "../contract/gate.ts";
import type { Metadata, WorkspaceScan } from "../contract/ports.ts";
import { isSecretName } from "../effects/classify-path.ts";
import { readBounded } from "../host/files/read-small-text.ts";
import { blobId, committedFiles, longestVersion } from "../host/git/committed-files.ts";
import { ifCertain } from "../host/git/git-references.ts";
import type { KnownValues } from "../log/redact/known-values.ts";
import { addsSecrets, isPlainContent, secretValues } from "../log/redact/secret-values.ts";

export interface SecretStandings {
  readonly standing: (path: string) => SecretStanding | undefined;
  /**
   * The content that commands see at a closed path. A committed file to which a secret was added shows its committed
   * content, so that git sees no change there; any other file is empty.
   */
  readonly coverOf: (path: string) => string | undefined;
  readonly versions: (path: string) => readonly Buffer[];
  /** Whether a commit from before the session has this content, or this blob, at this path. */
  readonly isCommitted: (path: string, content: Uint8Array | string) => boolean;
}

interface StandingOptions {
  readonly roots: readonly string[];
  readonly hideCommitted: boolean;
  readonly shows: (path: string) => boolean;
  readonly metadata: Metadata;
  readonly find: WorkspaceScan["find"];
  readonly known: Pick<KnownValues, "learn">;
}

type SecretLook = { readonly standing?: SecretStanding; readonly cover?: string };

/** Packages ship settings for their own tests. A mount over one would make `rm -rf node_modules` fail. */
function isShipped(path: string, content: Buffer): boolean {
  return path.includes("/node_modules/") && !addsSecrets(content, Buffer.from("nothing"));
}

/** Committed files are in every clone and therefore shown; the secrets in them are learned first, for redaction. */
export function secretStandings(options: StandingOptions): SecretStandings {
  const { find, known, metadata, roots } = options;
  const looks = new Map<string, SecretLook & { readonly at: string }>();
  let committed: ReturnType<typeof committedFiles> | undefined;
  // All at once and before the first command: commits of the session itself must not open a file.
  const committedNow = () => {
    committed ??= committedFiles(roots.flatMap((root) => [`${root}/.git`, ...find(root, isSecretName)]));
    return committed;
  };
  const versionsOf = (path: string) => committedNow().versions(path);

  function lookAt(path: string): SecretLook | undefined {
    if (!isInsideAny(path, roots)) return undefined;
    const stat = metadata.lstat(path);
    if (stat !== undefined && stat.kind !== "file") return undefined;
    const at = stat === undefined ? "missing" : [stat.inode, stat.size, stat.mtimeMs, options.shows(path)].join();
    const before = looks.get(path);
    if (before?.at === at) return before;
    const look = { at, ...judge(path, stat !== undefined) };
    looks.set(path, look);
    return look;
  }

  function judge(path: string, isThere: boolean): SecretLook {
    const versions = versionsOf(path);
    const content = isThere ? readBounded(path, longestVersion) : versions[0];
    if (content === undefined) return {};
    if (isPlainContent(basename(path), content) || isShipped(path, content)) return { standing: "plain" };
    if (options.shows(path)) return { standing: learned([content, ...versions]) };
    if (options.hideCommitted || versions.length === 0) return {};
    const standing = learned(versions);
    if (versions.some((version) => !addsSecrets(content, version))) return { standing };
    const [newest] = versions;
    const isText = newest !== undefined && !newest.includes(0);
    return isText && standing !== undefined ? { cover: newest.toString("utf8") } : {};
  }

  function learned(contents: readonly Buffer[]): SecretStanding | undefined {
    const values = contents.flatMap(secretValues);
    if (values.length === 0) return "plain";
    return known.learn(values) ? "valued" : undefined;
  }

  // A path that cannot be inspected stays closed.
  const look = (path: string) => ifCertain(() => lookAt(path));
  return {
    standing: (path) => look(path)?.standing,
    coverOf: (path) => look(path)?.cover,
    versions: (path) => ifCertain(() => versionsOf(path)) ?? [],
    isCommitted: (path, content) => committedNow().holds(path, typeof content === "string" ? content : blobId(content)),
  };
}
