import type { InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import { elicitationSchema, elicitationWords } from "../../contract/server/elicitation.ts";
import type { Elicitation, ElicitationAnswer } from "../../contract/server/server.ts";

/** A server's question, handed on with its name: its words are its own, and so is the page that it wants opened. */
export function elicitationForm(question: Elicitation): InputRequest {
  const { id, ask } = question;
  const message = elicitationWords(question);
  return {
    method: "elicitation/create",
    params:
      ask.mode === "url"
        ? { mode: "url", message, url: ask.url, elicitationId: id }
        : { mode: "form", message, requestedSchema: elicitationSchema(ask.fields) },
  };
}

const answered = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), z.unknown()) }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** With nothing beside it: a page was opened. */
const agreed = z.object({ action: z.literal("accept") });

/** Whether the answer fits the question is for the one who asked to say. */
export function readElicitation(answer: unknown, mode: Elicitation["ask"]["mode"]): ElicitationAnswer {
  if (mode === "url" && agreed.safeParse(answer).success) return { action: "accept", content: {} };
  const read = answered.safeParse(answer);
  return read.success ? read.data : { action: "cancel" };
}
