import type { GetPromptResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { McpOffer } from "../../../src/mcp/server/offer.ts";
import { form } from "./asking-tools.ts";
import { imageContent, textContent } from "./samples.ts";

const accepted = z.object({ action: z.literal("accept"), content: z.object({ context: z.string() }) });

export const prompts: NonNullable<McpOffer["prompts"]> = {
  list: () => [
    { name: "test_simple_prompt", description: "A prompt without arguments." },
    {
      name: "test_prompt_with_arguments",
      description: "A prompt with two arguments.",
      arguments: [
        { name: "arg1", description: "First test argument", required: true },
        { name: "arg2", description: "Second test argument", required: true },
      ],
    },
    {
      name: "test_prompt_with_embedded_resource",
      description: "A prompt with a resource.",
      arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    },
    { name: "test_prompt_with_image", description: "A prompt with an image." },
    { name: "test_input_required_result_prompt", description: "A prompt that asks first." },
  ],
  async get({ name, values }, { answers }) {
    switch (name) {
      case "test_simple_prompt":
        return user(textContent("This is a simple prompt for testing."));
      case "test_prompt_with_arguments":
        return user(textContent(`Prompt with arguments: arg1='${values.arg1}', arg2='${values.arg2}'`));
      case "test_prompt_with_embedded_resource": {
        const text = "Embedded resource content for testing.";
        return user(
          { type: "resource", resource: { uri: values.resourceUri ?? "", mimeType: "text/plain", text } },
          textContent("Please process the embedded resource above."),
        );
      }
      case "test_prompt_with_image":
        return user(imageContent, textContent("Please analyze the image above."));
      case "test_input_required_result_prompt": {
        const answer = accepted.safeParse(answers.user_context);
        if (answer.success) return user(textContent(`In the context of ${answer.data.content.context}.`));
        const question = form("What context should the prompt use?", { context: { type: "string" } });
        return { asks: { user_context: question } };
      }
      default:
        return undefined;
    }
  },
};

function user(...content: readonly GetPromptResult["messages"][number]["content"][]): GetPromptResult {
  return { messages: content.map((part) => ({ role: "user", content: part })) };
}
