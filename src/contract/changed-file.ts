import type { ArtifactRef } from "./artifact.ts";
import type { EntryFacts } from "./content.ts";

export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "special";
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly links: number;
  readonly inode: number;
}

export interface MadeDirectory {
  readonly path: string;
  readonly mode: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "moved";
  /** Content hashes. */
  readonly before?: string;
  readonly after?: string;
  /** Where a moved file went, or a deleted one waits. */
  readonly to?: string;
  /** From a scan only where the file has more names than this one: what lies behind the others changed as well. */
  readonly stat?: FileStat;
  /** Why a person should know, in a few words: it is believed by programs, it is a secret, it has other names. */
  readonly notable?: string;
  /** Directories that were made on the way to it, the outermost first. */
  readonly made?: readonly MadeDirectory[];
  /** What stood there before a transaction, and what stands there now. */
  readonly was?: EntryFacts;
  readonly is?: EntryFacts;
  /** The content before, as evidence. */
  readonly image?: ArtifactRef;
  /** Where the replaced file is kept. */
  readonly kept?: string;
}
