import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { KeptFacts, KeptTransactions, Transaction } from "../../contract/changes.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { journalName } from "./apply.ts";
import { transactionOn, writeKept } from "./transaction.ts";
import {
  claimViews,
  isLayer,
  isPrivate,
  keptName,
  type Probed,
  removeViews,
  type ViewMounting,
  type WorkspaceView,
} from "./view.ts";

interface KeptOptions {
  readonly stores: readonly string[];
  readonly roots: readonly string[];
  readonly mounting: () => Promise<Probed>;
}

interface KeptTransaction {
  readonly directory: string;
  readonly facts: KeptFacts;
}

export function createKept({ stores, roots, mounting }: KeptOptions): KeptTransactions {
  const all = () =>
    stores.flatMap(keptIn).sort(({ facts: one }, { facts: other }) => one.keptAt.localeCompare(other.keptAt));
  const isOwn = ({ facts }: KeptTransaction) => facts.workspace === roots[0];
  function find(id: string): Outcome<KeptTransaction> {
    const begins = ({ facts }: KeptTransaction) => facts.id.startsWith(id) || facts.id.startsWith(`txn_${id}`);
    const fitting = id === "latest" ? all().filter(isOwn).slice(-1) : all().filter(begins);
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1) return ok(only);
    const why = only === undefined ? `There are no kept changes ${id}.` : `${id} matches several ids.`;
    return fail("bad_request", why, { recovery: "`gauntlet try list` lists kept changes." });
  }
  return {
    list: () => all().map(({ facts }) => facts),
    find(id) {
      const found = find(id);
      return found.ok ? ok(found.value.facts) : found;
    },
    async open(id, stale) {
      const probed = await mounting();
      if (probed.kind === "none")
        return fail("sandbox_unavailable", `The changes of ${id} cannot be read: ${probed.reason}.`);
      const found = find(id);
      if (!found.ok) return found;
      if (!isOwn(found.value))
        return fail("bad_request", `${id} belongs to ${found.value.facts.workspace}.`, { recovery: "Run it there." });
      return ok(reopen(found.value, probed, { roots, stale }));
    },
    async discard(id) {
      const found = find(id);
      if (!found.ok) return found;
      await removeViews(found.value);
      return ok(undefined);
    },
  };
}

const mostNamed = 5;

function reopen(
  { directory, facts }: KeptTransaction,
  mounting: ViewMounting,
  { roots, stale }: Pick<KeptOptions, "roots"> & { readonly stale: boolean | undefined },
): Transaction {
  const { id } = facts;
  const transaction = transactionOn({ id, directory, views: viewsIn(directory) }, mounting, roots);
  return {
    ...transaction,
    async capture(): ReturnType<Transaction["capture"]> {
      const captured = await transaction.capture();
      if (stale || !captured.ok || captured.value.digest === facts.digest) return captured;
      const found = captured.value.changes.flatMap(({ conflict, path }) => (conflict === undefined ? [] : path));
      const what = found.length === 0 ? "files that they change" : found.slice(0, mostNamed).join(", ");
      return fail("runtime_precondition_failed", `The changes of ${id} conflict: ${what} changed since.`, {
        happened: "nothing",
        recovery: `\`gauntlet try diff ${id}\` shows them. Try the command again.`,
      });
    },
    async apply(changes, store) {
      // From here on it is an ordinary transaction: after a crash it is finished or discarded.
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

/** Of a process that crashed: nothing else knows its command. */
export function keepTakenBack(directory: string, takenBack: string): void {
  const views = viewsIn(directory).filter((view) => !isLayer(view));
  const own = { id: basename(directory), workspace: views.at(-1)?.root ?? "", session: "" };
  const keptAt = new Date().toISOString();
  writeKept(directory, { ...own, command: "(applying was cut off)", keptAt, digest: "", takenBack });
}

function viewsIn(directory: string): readonly WorkspaceView[] {
  const views = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return views
    .map(({ name }) => join(directory, name))
    .map((view) => ({ root: readlinkSync(join(view, "lower")), directory: view }));
}

function keptIn(store: string): readonly KeptTransaction[] {
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
