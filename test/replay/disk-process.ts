import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileChanged, proposed } from "./event-drafts.ts";
import { must } from "./must.ts";
import { newSession, processStore } from "./process-store.ts";

/** Fills a small disk through the log, then frees space. Prints what it saw. */
const directory = process.argv[2] ?? "";
const store = processStore(directory);
const reserve = join(directory, "reserve");
writeFileSync(reserve, Buffer.alloc(256 << 10, 1));
const log = newSession(store);

let appended = 0;
let refused = log.append([proposed(`i${appended}`, "x".repeat(2_000))]);
while (refused.ok) {
  appended += 1;
  refused = log.append([proposed(`i${appended}`, "x".repeat(2_000))]);
}
const artifact = store.artifacts.put("diff", Buffer.alloc(512 << 10, 2));
const writer = must(store.artifacts.writer("command_output"));
await writer.write(Buffer.alloc(512 << 10, 3));
const streamed = await writer.finish();
const created = store.create({
  type: "session.created",
  data: { ...sessionData(log), workspace: "y".repeat(200_000) },
});
const stateAfter = { seq: log.state.seq, intents: log.state.counts.intents, knows: log.hasIntent(`i${appended}`) };

rmSync(reserve);
const again = log.append([fileChanged("/srv/app/again")]);
const verified = must(store.archive.verify(log.id))[0];
process.stdout.write(
  JSON.stringify({
    appended,
    refused: refused.ok ? "ok" : refused.failure,
    artifact: artifact.ok ? "ok" : artifact.failure.code,
    streamed: streamed.ok ? "ok" : streamed.failure.code,
    created: created.ok ? "ok" : created.failure.code,
    sessions: store.list().length,
    stateAfter,
    again: again.ok,
    verified: { ok: verified?.ok, events: verified?.events },
  }),
);
store.close();

function sessionData(session: typeof log) {
  const [first] = session.events({ limit: 1 });
  if (first?.type !== "session.created") throw new Error("A session starts with its creation");
  return first.data;
}
