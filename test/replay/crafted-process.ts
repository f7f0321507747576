import process from "node:process";
import type { Outcome } from "../../src/contract/codes.ts";
import { processStore } from "./process-store.ts";

/** Asks a store everything that reads its files whole, in a process that can be ended when it does not end. */
const [directory = "", session = ""] = process.argv.slice(2);
const store = processStore(directory);
const { archive } = store;

function told(outcome: Outcome<unknown>): string {
  return outcome.ok ? "ok" : outcome.failure.message;
}

function drained(outcome: Outcome<Iterable<unknown>>): string {
  if (outcome.ok) for (const _item of outcome.value);
  return told(outcome);
}

const listed = store.list().map(({ id }) => id);
const verified = archive.verify();
const answers = {
  listed,
  verified: verified.ok ? verified.value.map(({ session: id, problems, notice }) => ({ id, problems, notice })) : [],
  abandoned: store.abandoned(),
  events: drained(archive.events(session)),
  some: drained(archive.events(session, { types: ["job.started"] })),
  exported: drained(archive.export(session)),
  replayed: told(archive.replay(session)),
  forked: told(archive.fork(session)),
  explained: told(archive.why("inv_none")),
  pruned: told(archive.prune({ olderThanMs: 1e15, dryRun: true })),
  opened: told(store.open(session)),
  notices: store.notices(),
};
store.close();
process.stdout.write(JSON.stringify(answers));
