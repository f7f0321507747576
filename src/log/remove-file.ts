import { rmSync } from "node:fs";
import { isOutsideFailure } from "./log-failure.ts";

/** Cleans up after something else failed; what cannot be removed stays and does not hide the first failure. */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
  }
}
