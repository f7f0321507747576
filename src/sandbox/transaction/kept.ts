import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Failure, fail, ok } from "../../contract/codes.ts";
import type { KeptFacts, KeptTransactions, Transaction } from "../../contract/transaction.ts";
import { journalName } from "./apply.ts";
import type { Probed } from "./probe.ts";
import { transactionOn, writeKept } from "./transaction.ts";
import { claimViews, isPrivate, keptName, removeViews, type View, type ViewMounting } from "./view.ts";

interface KeptOptions {
  readonly stores: readonly string[];
  readonly roots: readonly string[];
  readonly mounting: () => Promise<Probed>;
}

interface Found {
  readonly directory: string;
  readonly facts: KeptFacts;
}

/** Change sets that outlive the process of their command. */
export function createKept({ stores, roots, mounting }: KeptOptions): KeptTransactions {
  const all = () => stores.flatMap(keptIn);
  const find = (id: string) => all().find(({ facts }) => facts.id === id);
  return {
    list: () =>
      all()
        .map(({ facts }) => facts)
        .sort((one, other) => one.keptAt.localeCompare(other.keptAt)),
    find(id) {
      const found = find(id);
      return found === undefined ? { ok: false, failure: notKept(id) } : ok(found.facts);
    },
    async open(id) {
      const probed = await mounting();
      if (probed.kind === "none")
        return fail("sandbox_unavailable", `The changes of ${id} cannot be read: ${probed.reason}.`);
      const found = find(id);
      if (found === undefined) return { ok: false, failure: notKept(id) };
      const [root] = roots;
      if (found.facts.workspace !== root)
        return fail("bad_request", `${id} belongs to ${found.facts.workspace}.`, { recovery: "Run it there." });
      return ok(reopen(found, probed, roots));
    },
    async discard(id) {
      const found = find(id);
      if (found === undefined) return { ok: false, failure: notKept(id) };
      await removeViews(found);
      return ok(undefined);
    },
  };
}

function notKept(id: string): Failure {
  return {
    code: "bad_request",
    message: `No changes are kept as ${id}.`,
    recovery: "`gauntlet try list` shows what is kept.",
  };
}

function reopen({ directory, facts }: Found, mounting: ViewMounting, roots: readonly string[]): Transaction {
  const { id } = facts;
  const transaction = transactionOn({ id, directory, views: viewsIn(directory) }, mounting, roots);
  return {
    ...transaction,
    async capture(): ReturnType<Transaction["capture"]> {
      const captured = await transaction.capture();
      if (!captured.ok || captured.value.digest === facts.digest) return captured;
      return fail("runtime_precondition_failed", `The changes of ${id} are no longer what was shown.`, {
        happened: "nothing",
        recovery: "Files that it changes were created, deleted or replaced since. Try the command again.",
      });
    },
    async apply(changes, store) {
      // From here on it is like any other: after a crash it is finished or discarded.
      claimViews(directory);
      rmSync(join(directory, keptName), { force: true });
      const applied = await transaction.apply(changes, store);
      if (!applied.ok && !existsSync(join(directory, journalName))) writeKept(directory, facts);
      return applied;
    },
    keep: async () => ok(undefined),
    async discard() {},
  };
}

function viewsIn(directory: string): readonly View[] {
  const views = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return views
    .map(({ name }) => join(directory, name))
    .map((view) => ({ root: readlinkSync(join(view, "lower")), directory: view }));
}

function keptIn(store: string): readonly Found[] {
  try {
    if (!isPrivate(store)) return [];
    return readdirSync(store).flatMap((name) => {
      const directory = join(store, name);
      const facts = readKept(directory);
      return facts?.id === name ? [{ directory, facts }] : [];
    });
  } catch {
    return [];
  }
}

function readKept(directory: string): KeptFacts | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, keptName), "utf8"));
  } catch {
    return undefined;
  }
}
