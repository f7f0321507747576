export const longestMessage = 16 * 1024 * 1024;

export interface LineSink {
  line(text: string): void;
  tooLong(edges: { readonly head: string; readonly tail: string }): void;
}

const edge = 256;

/** Cuts bytes into lines. Never holds more than one line of the longest length. */
export function createLineReader(sink: LineSink, longest = longestMessage): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let held: string[] = [];
  let length = 0;
  let dropped: { head: string; tail: string } | undefined;

  const take = (text: string) => {
    if (dropped !== undefined) {
      dropped.tail = (dropped.tail + text).slice(-edge);
      return;
    }
    held.push(text);
    length += text.length;
    if (length <= longest) return;
    const all = held.join("");
    dropped = { head: all.slice(0, edge), tail: all.slice(-edge) };
    held = [];
  };

  const finish = () => {
    if (dropped !== undefined) sink.tooLong(dropped);
    else if (length > 0) sink.line(held.join("").replace(/\r$/, ""));
    held = [];
    length = 0;
    dropped = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      take(decoder.decode(chunk.subarray(start, end)));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) take(decoder.decode(chunk.subarray(start), { stream: true }));
  };
}
