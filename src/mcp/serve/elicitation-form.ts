import type { InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { elicitationSchema } from "../../contract/elicitation-schema.ts";
import type { Elicitation, ElicitationAnswer } from "../../contract/server.ts";
import { visibleText } from "../../contract/visible-text.ts";

/** A server's question, handed on with its name: its words are its own. `undefined` where it wants a page opened. */
export function elicitationForm({ server, message, ask }: Elicitation): InputRequest | undefined {
  if (ask.mode !== "form") return undefined;
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: visibleText(`The server ${server} asks:\n${message}`),
      requestedSchema: elicitationSchema(ask.fields),
    },
  };
}

const answered = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()) }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** Whether the answer fits the question is for the one who asked to say. */
export function readElicitation(answer: unknown): ElicitationAnswer {
  const read = answered.safeParse(answer);
  return read.success ? read.data : { action: "cancel" };
}
