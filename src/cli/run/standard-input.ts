import { Buffer, isUtf8 } from "node:buffer";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { Surface } from "../surface.ts";

const mebibyte = 1024 * 1024;
const largestMebibytes = 64;
const socketSeconds = 3;
const hintSeconds = 3;
const pipeSeconds = 600;

export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<Outcome<string>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largestMebibytes * mebibyte) return { ok: false, failure: tooLarge };
    parts.push(chunk);
  }
  const bytes = Buffer.concat(parts);
  if (!isUtf8(bytes)) return { ok: false, failure: notText("it is not valid UTF-8") };
  if (bytes.includes(0)) return { ok: false, failure: notText("it holds NUL bytes") };
  return ok(bytes.toString("utf8"));
}

export async function readBeside(
  surface: Pick<Surface, "stdin" | "inputKind">,
  tell: (notice: string) => Promise<void>,
  mostSeconds = pipeSeconds,
): Promise<Outcome<string>> {
  const kind = surface.inputKind();
  if (kind === "none") return ok("");
  const chunks = surface.stdin[Symbol.asyncIterator]();
  const first = chunks.next();
  // It may still reject after the wait is over.
  first.catch(() => {});
  let began = await within(first, kind === "socket" ? socketSeconds : Math.min(hintSeconds, mostSeconds));
  if (began === "late" && kind === "socket") {
    await tell(
      `Nothing came on standard input within ${socketSeconds} seconds; continuing without it. To skip the wait: < /dev/null.`,
    );
    return ok("");
  }
  if (began === "late") {
    await tell("Waiting for standard input to end. If nothing will come, start with < /dev/null.");
    began = await within(first, Math.min(pipeSeconds, mostSeconds));
  }
  if (began === "late") return { ok: false, failure: silent };
  const whole = readText(startingWith(began, chunks));
  if ((await within(whole, hintSeconds)) === "late") await tell("Reading standard input to its end first.");
  return whole;
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

async function within<Value>(work: Promise<Value>, seconds: number): Promise<Value | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notText(why: string): Failure {
  return {
    code: "bad_request",
    message: `standard input is not text: ${why}`,
    recovery:
      "Pipe in UTF-8 text, for example through `iconv -t utf-8` or `tr '\\0' '\\n'`; of other files name the path in the task.",
  };
}

const tooLarge: Failure = {
  code: "bad_request",
  message: `standard input is larger than ${largestMebibytes} MiB`,
  recovery: "Pipe in the part that matters (`| tail -n 10000`), or name a file of the project in the task.",
};

const silent: Failure = {
  code: "bad_request",
  message: "standard input is open, but nothing came",
  recovery: "Start with < /dev/null if nothing is piped in, or write what takes longer to a file first: < file.",
};
