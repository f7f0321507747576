import { serve, text } from "./speak.ts";

/** Has prompts, and never says which. */
serve({
  tools: () => [],
  call: () => text("nothing"),
  more: { capabilities: { prompts: {} }, answer: () => undefined },
});
