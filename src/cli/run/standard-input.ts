import { Buffer, isUtf8 } from "node:buffer";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { Surface } from "../surface.ts";

const mebibyte = 1024 * 1024;
const largestMebibytes = 64;
/** Whoever starts programs often leaves them a pipe that nobody writes to. */
const silentSeconds = 3;

/** All of it as text. What is none is refused: a model could only guess at it. */
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

/**
 * What is piped in beside a task; empty when there is nothing. A pipe that stays silent is left alone after a while;
 * one that began is read to its end.
 */
export async function readBeside(
  surface: Pick<Surface, "stdin" | "isFed">,
  tell: (notice: string) => Promise<void>,
): Promise<Outcome<string>> {
  if (!surface.isFed()) return ok("");
  const chunks = surface.stdin[Symbol.asyncIterator]();
  const first = chunks.next();
  const began = await within(first, silentSeconds);
  if (began === "late") {
    // It may still break; nobody waits for it any more.
    first.catch(() => {});
    await tell(
      `Nothing came on standard input within ${silentSeconds} seconds: the task goes without it. Put what takes longer into a file first, and give it with < file; < /dev/null says that there is nothing.`,
    );
    return ok("");
  }
  const whole = readText(startingWith(began, chunks));
  if ((await within(whole, silentSeconds)) === "late") await tell("Standard input is read to its end first.");
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
