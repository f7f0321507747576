import type { McpOffer } from "../../../src/mcp/server/offer.ts";
import { png } from "./samples.ts";

const template = /^test:\/\/template\/([^/]+)\/data$/;

export const resources: NonNullable<McpOffer["resources"]> = {
  watch: async () => ({ end() {} }),
  list: () => [
    { uri: "test://static-text", name: "static-text", description: "Text that stays.", mimeType: "text/plain" },
    { uri: "test://static-binary", name: "static-binary", description: "One red pixel.", mimeType: "image/png" },
    { uri: "test://watched-resource", name: "watched-resource", description: "May change.", mimeType: "text/plain" },
  ],
  templates: () => [
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data of one id.",
      mimeType: "application/json",
    },
  ],
  async read(uri) {
    const id = template.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: "application/json", text }] };
    }
    switch (uri) {
      case "test://static-text":
        return {
          contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
        };
      case "test://static-binary":
        return { contents: [{ uri, mimeType: "image/png", blob: png }] };
      case "test://watched-resource":
        return { contents: [{ uri, mimeType: "text/plain", text: "It has not changed." }] };
      default:
        return undefined;
    }
  },
};
