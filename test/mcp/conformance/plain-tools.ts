import type { Tool } from "@modelcontextprotocol/server";
import type { FixtureTool } from "./fixture-tool.ts";
import { imageContent, textContent, textResult, wav } from "./samples.ts";

/** What the suite's tool of this name has to keep of JSON Schema. */
const jsonSchema: Tool["inputSchema"] = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Tools that answer without asking anything back. `change` makes the lists differ. */
export function plainTools(change: { tools(): void; prompts(): void }): readonly FixtureTool[] {
  return [
    { name: "test_simple_text", call: async () => textResult("This is a simple text response for testing.") },
    { name: "test_image_content", call: async () => ({ content: [imageContent] }) },
    {
      name: "test_audio_content",
      call: async () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
    },
    {
      name: "test_embedded_resource",
      call: async () => ({
        content: [
          {
            type: "resource",
            resource: {
              uri: "test://embedded-resource",
              mimeType: "text/plain",
              text: "This is an embedded resource content.",
            },
          },
        ],
      }),
    },
    {
      name: "test_multiple_content_types",
      call: async () => ({
        content: [
          textContent("Multiple content types test:"),
          imageContent,
          {
            type: "resource",
            resource: {
              uri: "test://mixed-content-resource",
              mimeType: "application/json",
              text: '{"test":"data","value":123}',
            },
          },
        ],
      }),
    },
    {
      name: "test_error_handling",
      call: async () => ({ ...textResult("This tool intentionally returns an error for testing"), isError: true }),
    },
    {
      name: "test_tool_with_progress",
      async call(_input, exchange) {
        for (const progress of [0, 50, 100]) await exchange.progress({ progress, total: 100 });
        return textResult("The progress was told.");
      },
    },
    { name: "test_tool_with_logging", call: logThrice },
    { name: "test_logging_tool", call: logThrice },
    { name: "json_schema_2020_12_tool", inputSchema: jsonSchema, call: async () => textResult("The schema was met.") },
    {
      name: "test_trigger_tool_change",
      async call() {
        change.tools();
        return textResult("There are other tools now.");
      },
    },
    {
      name: "test_trigger_prompt_change",
      async call() {
        change.prompts();
        return textResult("There are other prompts now.");
      },
    },
  ];
}

const logThrice: FixtureTool["call"] = async (_input, exchange) => {
  for (const text of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await exchange.log("info", text);
  }
  return textResult("It was logged.");
};
