import type { Clock } from "../contract/ids.ts";
import type { Progress } from "../contract/ports.ts";

const betweenMs = 1_000;
const tailBytes = 8 * 1_024;
const newline = 10;

export function createProgressReporter(options: {
  readonly clock: Pick<Clock, "now">;
  readonly startedAt: number;
  readonly progress: (update: Progress) => void;
}): { printed(chunk: Uint8Array): void; end(): void } {
  const { clock, startedAt, progress } = options;
  let toldAt = startedAt;
  let bytes = 0;
  let tail = Buffer.alloc(0);
  let later: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(later);
    later = undefined;
    toldAt = clock.now();
    const seconds = Math.round((toldAt - startedAt) / 1_000);
    const lines = wholeLines(tail, bytes > tail.length);
    progress({
      message: `running for ${seconds} s, ${bytes} bytes of output`,
      bytes,
      ...(lines === "" ? {} : { tail: lines }),
    });
  };
  return {
    printed(chunk) {
      bytes += chunk.length;
      tail = Buffer.from(Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes));
      const since = clock.now() - toldAt;
      if (since >= betweenMs) tell();
      else later ??= setTimeout(tell, betweenMs - since).unref();
    },
    end: () => clearTimeout(later),
  };
}

/** Half a line may hold half a secret, which nobody would know for one. */
function wholeLines(tail: Buffer, isCut: boolean): string {
  const from = isCut ? tail.indexOf(newline) + 1 : 0;
  const to = tail.lastIndexOf(newline);
  return to < from ? "" : tail.toString("utf8", from, to);
}
