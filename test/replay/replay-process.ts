import { must } from "./must.ts";
import { processStore } from "./process-store.ts";

/** Replays one session and prints what came out. */
const [directory = "", id = ""] = process.argv.slice(2);
const store = processStore(directory);
const { messages, observations, state } = must(store.archive.replay(id));
process.stdout.write(JSON.stringify({ messages, observations, openIntents: [...state.openIntents], seq: state.seq }));
store.close();
