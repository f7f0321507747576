import { writeSync } from "node:fs";
import { proposed } from "./event-drafts.ts";
import { must } from "./must.ts";
import { newSession, processStore } from "./process-store.ts";

/** Leaves a call open and holds the lease until it is killed. */
const log = newSession(processStore(process.argv[2] ?? ""));
must(log.append([proposed("open")]));
writeSync(1, `${log.id}\n`);
process.stdin.resume();
