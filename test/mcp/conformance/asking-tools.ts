import type { ElicitRequestFormParams, InputRequest } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Asking, ClientExchange } from "../../../src/mcp/server/offer.ts";
import type { FixtureTool } from "./fixture-tool.ts";
import { textResult } from "./samples.ts";

type Fields = ElicitRequestFormParams["requestedSchema"]["properties"];

export function form(message: string, properties: Fields, required = Object.keys(properties)): InputRequest {
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
  };
}

function sampling(text: string, maxTokens = 100): InputRequest {
  return {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens },
  };
}

const roots: InputRequest = { method: "roots/list", params: {} };

const answered = z.object({ action: z.enum(["accept", "decline", "cancel"]), content: z.unknown() });
const named = z.object({ action: z.literal("accept"), content: z.object({ name: z.string() }) });
const sampled = z.object({ content: z.object({ text: z.string() }) });

/** Asks with one form until its answer is there, whatever it says. */
function formTool(name: string, ask: (input: Readonly<Record<string, unknown>>) => InputRequest): FixtureTool {
  return {
    name,
    async call(input, { answers }) {
      const answer = answered.safeParse(answers.answer);
      if (!answer.success) return { asks: { answer: ask(input) } };
      const { action, content } = answer.data;
      return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    },
  };
}

/** The suite's tools that need an answer of the client before they can give theirs. */
export const askingTools: readonly FixtureTool[] = [
  {
    name: "test_sampling",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async call({ prompt }, { answers }) {
      const answer = sampled.safeParse(answers.sample);
      return answer.success
        ? textResult(`LLM response: ${answer.data.content.text}`)
        : { asks: { sample: sampling(String(prompt)) } };
    },
  },
  {
    ...formTool("test_elicitation", ({ message }) =>
      form(String(message), {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }),
    ),
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  },
  formTool("test_elicitation_sep1034_defaults", () =>
    form(
      "Please check these values.",
      {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
      [],
    ),
  ),
  formTool("test_elicitation_sep1330_enums", () =>
    form(
      "Please choose.",
      {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titled("First Choice", "Second Choice", "Third Choice") } },
      },
      [],
    ),
  ),
  {
    name: "test_input_required_result_elicitation",
    async call(_input, { answers }) {
      const answer = named.safeParse(answers.user_name);
      return answer.success
        ? textResult(`Hello, ${answer.data.content.name}!`)
        : { asks: { user_name: form("What is your name?", { name: { type: "string" } }) } };
    },
  },
  {
    name: "test_input_required_result_sampling",
    async call(_input, { answers }) {
      const answer = sampled.safeParse(answers.capital_question);
      return answer.success
        ? textResult(answer.data.content.text)
        : { asks: { capital_question: sampling("What is the capital of France?") } };
    },
  },
  {
    name: "test_input_required_result_list_roots",
    async call(_input, { answers }) {
      const answer = z.object({ roots: z.array(z.object({ uri: z.string() })) }).safeParse(answers.client_roots);
      return answer.success
        ? textResult(answer.data.roots.map(({ uri }) => uri).join("\n"))
        : { asks: { client_roots: roots } };
    },
  },
  {
    name: "test_input_required_result_request_state",
    async call(_input, { answers, state }) {
      return state === "asked to confirm" && answered.safeParse(answers.confirm).success
        ? textResult("state-ok")
        : { asks: { confirm: confirm }, state: "asked to confirm" };
    },
  },
  {
    name: "test_input_required_result_tampered_state",
    async call(_input, { answers, state }) {
      return state === "untouched" && answered.safeParse(answers.confirm).success
        ? textResult("The state is the one that was given.")
        : { asks: { confirm: confirm }, state: "untouched" };
    },
  },
  {
    name: "test_input_required_result_multiple_inputs",
    async call(_input, { answers, state }) {
      const all = ["user_name", "greeting", "client_roots"].every((key) => answers[key] !== undefined);
      if (all && state === "asked for three") return textResult("All three came.");
      return {
        asks: {
          user_name: form("What is your name?", { name: { type: "string" } }),
          greeting: sampling("Generate a greeting", 50),
          client_roots: roots,
        },
        state: "asked for three",
      };
    },
  },
  {
    name: "test_input_required_result_multi_round",
    async call(_input, { answers, state }) {
      if (state === "step 2" && answered.safeParse(answers.step2).success) return textResult("Both steps are done.");
      if (state === "step 1" && answered.safeParse(answers.step1).success) {
        const step2 = form("Step 2: What is your favorite color?", { color: { type: "string" } });
        const second: Asking = { asks: { step2 }, state: "step 2" };
        return second;
      }
      const step1 = form("Step 1: What is your name?", { name: { type: "string" } });
      const first: Asking = { asks: { step1 }, state: "step 1" };
      return first;
    },
  },
  {
    name: "test_input_required_result_capabilities",
    async call(_input, exchange) {
      return Object.keys(exchange.answers).length > 0
        ? textResult("What the client can do was asked of it.")
        : { asks: withinReach(exchange) };
    },
  },
  {
    name: "test_streaming_elicitation",
    async call(_input, { answers }) {
      return answered.safeParse(answers.confirm).success ? textResult("Confirmed.") : { asks: { confirm } };
    },
  },
  /** Asks for something that the suite's client does not offer. */
  { name: "test_missing_capability", call: async () => ({ asks: { sample: sampling("Anything") } }) },
];

const confirm = form("Please confirm", { ok: { type: "boolean" } });

function withinReach({ can }: ClientExchange): Record<string, InputRequest> {
  return {
    ...(can.forms ? { form: confirm } : {}),
    ...(can.sampling ? { sample: sampling("Anything") } : {}),
    ...(can.roots ? { roots } : {}),
  };
}

function titled(...titles: readonly string[]) {
  return titles.map((title, index) => ({ const: `value${index + 1}`, title }));
}
