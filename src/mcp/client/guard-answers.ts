import type { FetchLike } from "@modelcontextprotocol/client";
import { watchStream } from "../../base/async.ts";
import { longestMessage } from "../../base/line-reader.ts";
import { fail } from "../../contract/codes.ts";
import { raise } from "./failures.ts";

export interface Guarded {
  readonly fetch: FetchLike;
  lastError(): unknown;
}

const graceMs = 1000;

export function guardAnswers(server: string, send: FetchLike, streamEnded: (requestId: number) => void): Guarded {
  let lastError: unknown;
  return {
    lastError: () => lastError,
    async fetch(url, init) {
      const response = await send(url, init).catch((error: unknown) => {
        lastError = error;
        throw error;
      });
      if (response.body === null) return response;
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const requestId = isStream && init?.method === "POST" ? idOf(init.body) : undefined;
      const meter = isStream ? createEventMeter() : createBodyMeter();
      const body = watchStream(
        response.body,
        (how) => {
          if (how === "left" || requestId === undefined || meter.resumable) return;
          setTimeout(() => streamEnded(requestId), graceMs).unref();
        },
        (chunk) => {
          if (meter.take(chunk) <= longestMessage) return;
          raise(fail("output_invalid", `The server "${server}" sent a message of more than ${longestMessage} bytes.`));
        },
      );
      const { status, statusText, headers } = response;
      return new Response(body, { status, statusText, headers });
    },
  };
}

function idOf(body: unknown): number | undefined {
  const found = typeof body === "string" ? /"id":(\d+)\}$/.exec(body) : null;
  return found === null ? undefined : Number(found[1]);
}

interface Meter {
  /** Returns the length of the longest message so far. */
  take(chunk: Uint8Array): number;
  /** The SDK can resume the stream. */
  readonly resumable: boolean;
}

function createBodyMeter(): Meter {
  let bytes = 0;
  return {
    resumable: true,
    take(chunk) {
      bytes += chunk.length;
      return bytes;
    },
  };
}

/** An event ends with an empty line. Only the beginning of a line is kept. */
function createEventMeter(): Meter {
  let bytes = 0;
  let line = "";
  let resumable = false;
  return {
    get resumable() {
      return resumable;
    },
    take(chunk) {
      let most = 0;
      const parts = Buffer.from(chunk).toString("latin1").split("\n");
      for (const [at, part] of parts.entries()) {
        bytes += part.length;
        most = Math.max(most, bytes);
        line = (line + part.slice(0, 4)).replaceAll("\r", "").slice(0, 3);
        if (at === parts.length - 1) break;
        if (line === "") bytes = 0;
        if (line === "id:") resumable = true;
        line = "";
      }
      return most;
    },
  };
}
