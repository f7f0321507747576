import { openStore } from "../../src/log/open-store.ts";
import { sessionCreated } from "./event-drafts.ts";

/** Tries to write where nothing can be written. Prints what it was told. */
const ids = { next: (prefix: string) => `${prefix}_x` };
const opened = openStore({ directory: process.argv[2] ?? "", sync: "normal", clock: { now: () => Date.now() }, ids });
const told = opened.ok
  ? [
      opened.value.create(sessionCreated),
      opened.value.artifacts.put("diff", "x"),
      opened.value.artifacts.writer("diff"),
    ]
  : [opened];
process.stdout.write(JSON.stringify(told.map((outcome) => (outcome.ok ? "ok" : outcome.failure))));
