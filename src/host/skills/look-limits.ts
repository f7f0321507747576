import { hashFile } from "../hash-file.ts";
import type { ContentReading } from "./content-index.ts";

/** Where one look at skills ends. What it has not come to by then may be anything. */
export interface LookLimits {
  /** So many entries of all skills together, and as many below a directory that may hold copies. */
  readonly entries: number;
  /** So much is read to be compared, of all files together. */
  readonly bytes: number;
  readonly milliseconds: number;
}

const lookLimits: LookLimits = { entries: 20_000, bytes: 256 * 1024 * 1024, milliseconds: 2_000 };

/** What a look goes by. */
export interface LookMeans {
  readonly limits: LookLimits;
  readonly now: () => number;
  readonly digest: ContentReading["digest"];
}

export const lookMeans: LookMeans = { limits: lookLimits, now: () => performance.now(), digest: hashFile };

/** What is left of one look. */
export interface Allowance extends ContentReading {
  readonly entries: number;
  isOver(): boolean;
}

export function startAllowance({ limits, now, digest }: LookMeans): Allowance {
  const until = now() + limits.milliseconds;
  let left = limits.bytes;
  const isOver = () => left < 0 || now() > until;
  return {
    entries: limits.entries,
    digest,
    isOver,
    mayRead(bytes) {
      left -= bytes;
      return !isOver();
    },
  };
}
