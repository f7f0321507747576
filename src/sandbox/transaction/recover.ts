import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { failureOf } from "../../host/failure.ts";
import { startOf } from "../../host/process-table.ts";
import { finishApply, holdApplyLock } from "./apply.ts";
import { keptName, ownerName, removeViews } from "./view.ts";

/**
 * Transactions whose process is gone: one that had begun to apply its changes is finished, every other one is
 * discarded. Nothing is run again.
 */
export async function recoverTransactions(store: string): Promise<void> {
  for (const name of namesIn(store).filter((one) => one.startsWith("txn_"))) {
    const directory = join(store, name);
    if (isOwned(directory) || existsSync(join(directory, keptName))) continue;
    try {
      holdApplyLock(store, () => finishApply(directory));
      await removeViews({ directory });
    } catch (error) {
      // The rest stays in the transaction, for a person to decide.
      failureOf(error, directory);
    }
  }
}

/** What a transaction replaced can be put back for so long. */
const imagesMs = 14 * 24 * 60 * 60 * 1_000;

export async function removeOldImages(trash: string, now: number): Promise<void> {
  for (const name of namesIn(trash).filter((one) => one.startsWith("txn_"))) {
    const directory = join(trash, name);
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > imagesMs) await removeViews({ directory });
  }
}

function isOwned(directory: string): boolean {
  try {
    const [pid = "", ...start] = readFileSync(join(directory, ownerName), "utf8").split(" ");
    return startOf(Number(pid)) === start.join(" ");
  } catch {
    return false;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
