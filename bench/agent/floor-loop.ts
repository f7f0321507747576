import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";

/*
 * The least that a loop around a model can do on this machine: no gate, no sandbox, no hash, nothing kept apart.
 * What an agent costs is measured against it.
 */
interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

const [task = "", address = "", log = "floor.jsonl"] = process.argv.slice(2);
const url = new URL(`${address}/chat/completions`);
const agent = new http.Agent({ keepAlive: true });
const messages: Message[] = [
  { role: "system", content: "You are a coding agent." },
  { role: "user", content: task },
];

const hands: Record<string, (input: Record<string, string>) => Promise<string>> = {
  read: ({ path: file = "" }) => readFile(path.resolve(file), "utf8"),
  bash: ({ command = "" }) => run("bash", ["-c", command]),
  grep: ({ pattern = "" }) => run("grep", ["-rn", "--exclude-dir=.git", "--", pattern, "."]),
};
const tools = Object.entries({ read: "path", bash: "command", grep: "pattern" }).map(([name, field]) => ({
  type: "function",
  function: {
    name,
    description: name,
    parameters: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  },
}));

for (;;) {
  const said = await ask();
  keep(said);
  if (said.tool_calls === undefined) break;
  const results = await Promise.all(
    said.tool_calls.map(async ({ id, function: { name, arguments: text } }): Promise<Message> => {
      const content = (await hands[name]?.(JSON.parse(text))) ?? `There is no ${name}.`;
      return { role: "tool", tool_call_id: id, content };
    }),
  );
  for (const result of results) keep(result);
}
process.stdout.write(`${messages.at(-1)?.content}\n`);
agent.destroy();

function keep(message: Message): void {
  messages.push(message);
  appendFileSync(log, `${JSON.stringify(message)}\n`);
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    const take = (chunk: Buffer) => {
      if (text.length < 30_000) text += chunk;
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("close", (code) => resolve(`${text}\nexit code ${code}`));
  });
}

function ask(): Promise<Message> {
  const body = JSON.stringify({ model: "mock-1", stream: true, messages, tools });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(messageOf(text)));
    });
    request.on("error", reject);
    request.end(body);
  });
}

function messageOf(stream: string): Message {
  let content = "";
  const calls: Call[] = [];
  for (const event of stream.split("\n\n")) {
    if (!event.startsWith("data: {")) continue;
    const delta = JSON.parse(event.slice("data: ".length)).choices[0]?.delta ?? {};
    content += delta.content ?? "";
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
      const call = calls[index];
      if (call !== undefined) call.function.arguments += part.arguments ?? "";
    }
  }
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
