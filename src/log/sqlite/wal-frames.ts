/** Fewer bytes where the file ends before. */
type ReadAt = (from: number, length: number) => Buffer;
type Wanted = (number: number, page: Buffer) => boolean;

const header = 32;
const frameHeader = 24;
const [smallestPage, largestPage] = [512, 65_536];

/**
 * Is there such a page in a write-ahead log, counted as SQLite does: up to the first frame whose sum is not right? What
 * a writer is about to write, or left when it died, is none. `wanted` is first shown the beginning of a page alone.
 */
export function holdsPage(
  read: ReadAt,
  { wanted, beginning }: { readonly wanted: Wanted; readonly beginning: number },
): boolean {
  const head = read(0, header);
  const size = head.length < header ? 0 : head.readUInt32BE(8);
  if (size < smallestPage || size > largestPage) return false;
  const frames = (length: number) => framesOf((from) => read(from, frameHeader + length), size, head.subarray(16, 24));
  const isWanted = (frame: Buffer) => wanted(frame.readUInt32BE(0), frame.subarray(frameHeader));
  // Sums take their time, and as a rule nothing is wanted.
  let glimpsed = false;
  for (const frame of frames(beginning)) glimpsed ||= isWanted(frame);
  if (!glimpsed) return false;
  const bigEndian = (head.readUInt32BE(0) & 1) === 1;
  let sum = sumOf(head.subarray(0, 24), [0, 0], bigEndian);
  for (const frame of frames(size)) {
    sum = sumOf(frame.subarray(frameHeader), sumOf(frame.subarray(0, 8), sum, bigEndian), bigEndian);
    if (frame.readUInt32BE(16) !== sum[0] || frame.readUInt32BE(20) !== sum[1]) return false;
    if (isWanted(frame)) return true;
  }
  return false;
}

/** Those of this round: what lies behind is left of an earlier one. */
function* framesOf(read: (from: number) => Buffer, size: number, salt: Buffer): Generator<Buffer> {
  for (let from = header; ; from += frameHeader + size) {
    const frame = read(from);
    if (frame.length < frameHeader || !frame.subarray(8, 16).equals(salt)) return;
    yield frame;
  }
}

type Sum = readonly [number, number];

function sumOf(bytes: Buffer, [first, second]: Sum, bigEndian: boolean): Sum {
  const word = (at: number) => (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  let [a, b] = [first, second];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + word(at) + b) >>> 0;
    b = (b + word(at + 4) + a) >>> 0;
  }
  return [a, b];
}
