import { join } from "node:path";
import type { ArtifactId } from "../../contract/ids.ts";
import type { ProcessIdentity } from "../process-identity.ts";

export interface ArtifactDirectory {
  readonly root: string;
  readonly writer: ProcessIdentity;
  /** Wait for the disk before an artifact counts as stored. */
  readonly flush: boolean;
}

/** The content is the name. Ids come from models as well, so anything else is not one. */
export function isArtifactId(text: string): boolean {
  return /^sha256-[0-9a-f]{64}$/.test(text);
}

export function artifactId(hash: string): ArtifactId {
  return `sha256-${hash}`;
}

export function artifactFolder(root: string, id: ArtifactId): string {
  return join(root, id.slice(7, 9));
}

export function artifactPath(root: string, id: ArtifactId): string {
  return join(artifactFolder(root, id), id);
}
