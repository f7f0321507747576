import process from "node:process";

/** What a keeper needs of the heap of a process. */
interface Heap {
  /** With what lies outside the heap and goes with objects of it. */
  heldBytes(): number;
  collect(): void;
}

/** Of what the last collection left. For less, collecting costs more than it gives back. */
const tolerated = 4 / 3;

/** Looking costs a little as well, and a run of a few turns ends before there is anything to collect. */
export const lookEvery = 4;

/**
 * Gives what is called whenever nothing is to be done for a while; it collects garbage when there is enough of it.
 * V8 goes by how fast a program allocates: after a quick start it lets a heap of 16 MB grow to 50, and statements
 * and buffers outside with it. The heap is everybody's in a process, so only its owner may do this.
 */
export function createHeapKeeper(heap: Heap = ownHeap): () => void {
  let left = Number.POSITIVE_INFINITY;
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % lookEvery !== 0) return;
    const held = heap.heldBytes();
    left = Math.min(left, held);
    if (held <= left * tolerated) return;
    heap.collect();
    left = heap.heldBytes();
  };
}

/** Its modules of Node are looked up when they are used, which is never before the first request. */
export const ownHeap: Heap = {
  heldBytes() {
    const { used_heap_size, external_memory } = process.getBuiltinModule("node:v8").getHeapStatistics();
    return used_heap_size + external_memory;
  },
  collect() {
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    // Taken back at once: V8 refuses code that was compiled ahead under other flags.
    setFlagsFromString("--expose-gc");
    const collect = process.getBuiltinModule("node:vm").runInNewContext("gc");
    setFlagsFromString("--no-expose-gc");
    collect();
  },
};
