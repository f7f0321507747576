export type InputLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly problem: string };

const newline = 10;

export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  const take = (): InputLine | undefined => {
    const line = size > maxBytes ? { number, problem: `longer than ${maxBytes} bytes` } : decode(parts, number);
    parts = [];
    size = 0;
    number++;
    return "text" in line && line.text.trim() === "" ? undefined : line;
  };
  const keep = (part: Uint8Array) => {
    size += part.length;
    if (size > maxBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  const last = size > 0 ? take() : undefined;
  if (last !== undefined) yield last;
}

function decode(parts: readonly Uint8Array[], number: number): InputLine {
  try {
    return { number, text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)) };
  } catch {
    return { number, problem: "not valid UTF-8" };
  }
}

const largestInput = 64 * 1024 * 1024;

export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largestInput) throw new Error(`standard input is larger than ${largestInput} bytes`);
    parts.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
}
