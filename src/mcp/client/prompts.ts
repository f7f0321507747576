import { type Outcome, ok } from "../../contract/codes.ts";
import type { ServerPrompt } from "../../contract/server/server.ts";
import type { Connection } from "../connection.ts";
import { contentOf } from "./content.ts";
import { serverWords } from "./failures.ts";
import { ask, type Link } from "./link.ts";
import { allPages } from "./pages.ts";

type Prompts = Pick<Connection, "listPrompts" | "getPrompt" | "complete">;

export function createPrompts(link: Link): Prompts {
  const { client, server } = link;
  return {
    async listPrompts(signal): Promise<Outcome<readonly ServerPrompt[]>> {
      if (client.getServerCapabilities()?.prompts === undefined) return ok([]);
      const prompts = await allPages(server, async (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        const page = await ask(link, { what: "which prompts it has", signal }, (options) =>
          client.request({ method: "prompts/list", params }, options),
        );
        return page.ok ? ok({ entries: page.value.prompts, next: page.value.nextCursor }) : page;
      });
      if (!prompts.ok) return prompts;
      return ok(
        prompts.value.map(({ name, title, description, arguments: values = [] }) => ({
          name,
          ...(title !== undefined && { title }),
          ...(description !== undefined && { description }),
          values: values.map((value) => ({
            name: value.name,
            ...(value.description !== undefined && { description: value.description }),
            required: value.required === true,
          })),
        })),
      );
    },
    async getPrompt({ name, values }, signal) {
      await link.rootsTaken();
      const got = await ask(link, { what: `the prompt "${serverWords(name, 100)}"`, signal }, (options) =>
        client.getPrompt({ name, arguments: { ...values } }, options),
      );
      if (!got.ok) return got;
      return ok(got.value.messages.map(({ role, content }) => ({ role, content: contentOf(content) })));
    },
    async complete({ of: target, argument: name, begun: value, values }, signal) {
      if (client.getServerCapabilities()?.completions === undefined) return ok([]);
      const ref =
        "prompt" in target
          ? ({ type: "ref/prompt", name: target.prompt } as const)
          : ({ type: "ref/resource", uri: target.template } as const);
      const context = values === undefined ? {} : { context: { arguments: { ...values } } };
      const got = await ask(link, { what: "the question for a completion", signal }, (options) =>
        client.complete({ ref, argument: { name, value }, ...context }, options),
      );
      return got.ok ? ok(got.value.completion.values.slice(0, 100)) : got;
    },
  };
}
