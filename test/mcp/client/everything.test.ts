import { describe, expect, test } from "vitest";
import { ok } from "../../../src/contract/codes.ts";
import type { Elicitation } from "../../../src/contract/server/server.ts";
import type { SamplingRequest, ServerNotification } from "../../../src/mcp/client/connection.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";
import { callOf, everythingServer, Opened, startEverything } from "./connection-parts.ts";

const never = new AbortController().signal;

describe("the reference server on every transport that it has", () => {
  test.each(["stdio", "sse", "http", "http that only speaks sse"] as const)("%s", async (transport) => {
    await using opened = new Opened();
    const parts = async () => {
      if (transport === "stdio") return opened.stdio([everythingServer, "stdio"]);
      const port = await startEverything(opened, transport === "http" ? "streamableHttp" : "sse");
      const url = `http://127.0.0.1:${port}/${transport === "http" ? "mcp" : "sse"}`;
      return opened.parts({ type: transport === "sse" ? "sse" : "http", url });
    };
    const connection = await opened.open(await parts());
    expect(connection).toMatchObject({
      protocol: "2025-11-25",
      info: { name: "mcp-servers/everything" },
      offers: { tools: true, resources: true, prompts: true },
    });
    expect(connection.transport).toBe(transport.endsWith("sse") ? "sse" : undefined);
    const tools = await connection.listTools(never);
    expect(tools.ok && tools.value.length).toBeGreaterThan(10);
    expect(await connection.call(callOf("echo", { message: "hi" }))).toEqual({
      ok: true,
      value: { content: [{ type: "text", text: "Echo: hi" }], isError: false },
    });
  });
});

describe("everything that a server can do", () => {
  test("structured output, images, resource links and errors", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"]));
    expect(await connection.call(callOf("get-structured-content", { location: "Chicago" }))).toMatchObject({
      ok: true,
      value: { structured: { temperature: expect.any(Number), conditions: expect.any(String) } },
    });
    const image = await connection.call(callOf("get-tiny-image"));
    expect(image.ok && image.value.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    const links = await connection.call(callOf("get-resource-links", { count: 2 }));
    expect(links.ok && links.value.content.map(({ type }) => type)).toEqual(["text", "resource_link", "resource_link"]);
    expect(await connection.call(callOf("no-such-tool"))).toMatchObject({ ok: true, value: { isError: true } });
  });

  test("progress and cancellation", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"]));
    const updates: string[] = [];
    const long = { duration: 0.2, steps: 2 };
    const onProgress = ({ message }: { message: string }) => void updates.push(message);
    expect(await connection.call(callOf("trigger-long-running-operation", long, { onProgress }))).toMatchObject({
      ok: true,
    });
    expect(updates).toEqual(["1 of 2", "2 of 2"]);
    const controller = new AbortController();
    const calling = connection.call(
      callOf(
        "trigger-long-running-operation",
        { duration: 60, steps: 600 },
        { signal: controller.signal, onProgress: () => controller.abort() },
      ),
    );
    expect(await calling).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    expect(await connection.call(callOf("echo", { message: "again" }))).toMatchObject({ ok: true });
  });

  test("resources, templates and what changes in them", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"]));
    const listed = await connection.listResources(never);
    if (!listed.ok) throw new Error(listed.failure.message);
    expect(listed.value.filter(({ template }) => template === true).length).toBeGreaterThan(0);
    const [first] = listed.value;
    const uri = first?.uri ?? "";
    expect(await connection.readResource(uri, never)).toMatchObject({ ok: true, value: [{ type: "resource", uri }] });
    expect(await connection.readResource("demo://nowhere", never)).toMatchObject({ ok: false });
    const changed = Promise.withResolvers<void>();
    const watched = await connection.watchResource("demo://resource/dynamic/text/1", () => changed.resolve());
    if (!watched.ok) throw new Error(watched.failure.message);
    expect(await connection.call(callOf("toggle-subscriber-updates"))).toMatchObject({ ok: true });
    await changed.promise;
    await watched.value();
  });

  test("prompts and their completion", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"]));
    const prompts = await connection.listPrompts(never);
    if (!prompts.ok) throw new Error(prompts.failure.message);
    const completable = prompts.value.find(({ name }) => name === "completable-prompt");
    expect(completable?.values.map(({ name }) => name)).toEqual(["department", "name"]);
    expect(
      await connection.complete({ of: { prompt: "completable-prompt" }, argument: "department", begun: "Eng" }, never),
    ).toEqual({
      ok: true,
      value: ["Engineering"],
    });
    expect(await connection.getPrompt({ name: "simple-prompt", values: {} }, never)).toMatchObject({
      ok: true,
      value: [{ role: "user", content: { type: "text" } }],
    });
    expect(await connection.getPrompt({ name: "no-such-prompt", values: {} }, never)).toMatchObject({
      ok: false,
      failure: { code: "tool_failed" },
    });
  });

  test("questions to the person, the model and the roots, each only when somebody answers them", async () => {
    await using opened = new Opened();
    const questions: Omit<Elicitation, "id" | "server">[] = [];
    const samples: SamplingRequest[] = [];
    const connection = await opened.open(
      opened.stdio([everythingServer, "stdio"], {
        handlers: {
          elicit: async (question) => {
            questions.push(question);
            return { action: "accept", content: { name: "Ada", check: true, unasked: 1 } };
          },
          sample: async (request) => {
            samples.push(request);
            return ok({ text: "sampled", model: "m", stop: "end" });
          },
          roots: () => ["/somewhere/project"],
        },
      }),
    );
    // The server offers these tools only after it has seen what we declared.
    await expect.poll(async () => toolNames(await connection.listTools(never))).toContain("get-roots-list");
    const elicited = await connection.call(callOf("trigger-elicitation-request"));
    expect(questions).toHaveLength(1);
    const { ask } = questions[0] ?? {};
    expect(ask?.mode === "form" && ask.fields.slice(0, 3)).toEqual([
      { name: "name", title: "String", description: "Your full, legal name", required: true, kind: "text" },
      { name: "check", title: "Boolean", description: expect.any(String), required: false, kind: "boolean" },
      {
        name: "firstLine",
        title: "String with default",
        description: expect.any(String),
        required: false,
        kind: "text",
        default: "It was a dark and stormy night.",
      },
    ]);
    const text = JSON.stringify(elicited);
    expect(text).toContain("It was a dark and stormy night.");
    expect(text).not.toContain("unasked");
    expect(await connection.call(callOf("trigger-sampling-request", { prompt: "say", maxTokens: 9 }))).toMatchObject({
      ok: true,
    });
    expect(samples).toMatchObject([
      { maxTokens: 9, messages: [{ role: "user", text: expect.stringContaining("say") }] },
    ]);
    expect(JSON.stringify(await connection.call(callOf("get-roots-list")))).toContain("file:///somewhere/project");
  });

  test("addresses to open, before the call or as its condition", async () => {
    await using opened = new Opened();
    const asked: Omit<Elicitation, "id" | "server">["ask"][] = [];
    const elicit = async ({ ask }: Omit<Elicitation, "id" | "server">) => {
      asked.push(ask);
      return { action: "accept", content: {} } as const;
    };
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"], { handlers: { elicit } }));
    await expect.poll(async () => toolNames(await connection.listTools(never))).toContain("trigger-url-elicitation");
    const call = (url: string, errorPath: boolean) =>
      connection.call(callOf("trigger-url-elicitation", { url, errorPath }));
    expect(await call("https://example.com/a", false)).toMatchObject({ ok: true, value: { isError: false } });
    expect(await call("https://example.com/b", true)).toMatchObject({ ok: true, value: { isError: false } });
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(asked.every(({ mode }) => mode === "url")).toBe(true);
    expect(asked[0]).toEqual({ mode: "url", url: "https://example.com/a" });
  });

  test("nothing is declared that nobody answers", async () => {
    await using opened = new Opened();
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"]));
    const names = toolNames(await connection.listTools(never));
    expect(names).not.toContain("trigger-elicitation-request");
    expect(names).not.toContain("trigger-sampling-request");
  });

  test("its log", async () => {
    await using opened = new Opened();
    const logged = Promise.withResolvers<ServerNotification>();
    const notify = (item: ServerNotification) => item.kind === "log" && logged.resolve(item);
    const connection = await opened.open(opened.stdio([everythingServer, "stdio"], { notify }));
    await connection.call(callOf("toggle-simulated-logging"));
    expect(await logged.promise).toEqual({ kind: "log", level: expect.any(String), text: expect.any(String) });
  });
});

test("a remote server that goes away is noticed by the next call", async () => {
  await using opened = new Opened();
  await using server = new Opened();
  const port = await startEverything(server, "streamableHttp");
  const connection = await opened.open(opened.parts({ type: "http", url: `http://127.0.0.1:${port}/mcp` }));
  await server[Symbol.asyncDispose]();
  expect(await connection.call(callOf("echo", { message: "hi" }))).toMatchObject({
    ok: false,
    failure: { code: "server_unavailable", message: expect.stringMatching(/could not be reached .*\(E/) },
  });
  expect(await connection.gone).toMatch(/could not be reached/);
});

test("the event stream of an older server that breaks off ends the connection", async () => {
  await using opened = new Opened();
  await using server = new Opened();
  const port = await startEverything(server, "sse");
  const connection = await opened.open(opened.parts({ type: "sse", url: `http://127.0.0.1:${port}/sse` }));
  await server[Symbol.asyncDispose]();
  expect(await connection.gone).toBe("Its message stream was closed.");
});

test("nobody listens at the address", async () => {
  await using opened = new Opened();
  for (const type of ["http", "sse"] as const) {
    expect(await openConnection(opened.parts({ type, url: "http://127.0.0.1:1/mcp" }))).toEqual({
      ok: false,
      failure: {
        code: "server_unavailable",
        message: 'The server "test" could not be reached at 127.0.0.1:1 (ECONNREFUSED).',
        recovery: "Start the server, or correct its URL.",
        happened: "nothing",
      },
    });
  }
});

function toolNames(listed: { ok: boolean; value?: readonly { name: string }[] }): readonly string[] {
  return listed.value?.map(({ name }) => name) ?? [];
}
