import { writeSync } from "node:fs";
import { wholeCall } from "./event-drafts.ts";
import { must } from "./must.ts";
import { newSession, processStore } from "./process-store.ts";

/** Appends until it is killed and says after every append how far the log has come. */
const [directory = "", calls = "1000000"] = process.argv.slice(2);
const store = processStore(directory);
const log = newSession(store);
writeSync(1, `${log.id}\n`);
for (let call = 0; call < Number(calls); call += 1) {
  const events = must(log.append(wholeCall(`i${call}`, `inv_${call}`)));
  writeSync(1, `${events.at(-1)?.seq} ${events.at(-1)?.hash}\n`);
}
store.close();
