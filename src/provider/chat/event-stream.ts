/** Reads server-sent events; only their data. */
export interface EventStream {
  read(bytes: Uint8Array): readonly string[];
}

export function createEventStream(): EventStream {
  const decoder = new TextDecoder();
  let coming: string[] = [];
  let lines: string[] = [];

  function take(line: string, events: string[]): void {
    if (line === "") {
      if (lines.length > 0) events.push(lines.join("\n"));
      lines = [];
    } else if (line === "data") lines.push("");
    else if (line.startsWith("data:")) lines.push(line.slice(line[5] === " " ? 6 : 5));
  }

  return {
    read(bytes) {
      const fresh = decoder.decode(bytes, { stream: true });
      const halfEnd = coming.at(-1)?.endsWith("\r") === true;
      coming.push(fresh);
      const events: string[] = [];
      if (!halfEnd && !/[\r\n]/.test(fresh)) return events;
      const text = coming.join("");
      const ends = /\r\n|\n|\r/g;
      let from = 0;
      for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
        // The other half of this line end may follow.
        if (end[0] === "\r" && ends.lastIndex === text.length) break;
        take(text.slice(from, end.index), events);
        from = ends.lastIndex;
      }
      coming = from === text.length ? [] : [text.slice(from)];
      return events;
    },
  };
}
