import { connect } from "node:net";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import type { DoctorCheck } from "../../contract/app/app.ts";
import type { SandboxDescription } from "../../contract/ports.ts";
import { openProxy } from "./proxy.ts";

const answerMs = 5_000;

export async function examineProxy({ backend }: Pick<SandboxDescription, "backend">): Promise<DoctorCheck> {
  const name = "network";
  if (backend !== "bubblewrap") {
    const detail = "Without our sandbox the connections of a command are neither held nor recorded.";
    return { name, state: "warning", detail };
  }
  const refused = await tryOut();
  if (refused) {
    const detail = "Commands have none; approved hosts are reached through our proxy, which works here.";
    return { name, state: "ok", detail };
  }
  const detail = `The proxy cannot be opened below ${tmpdir()}: approved commands get no network.`;
  return { name, state: "warning", detail };
}

async function tryOut(): Promise<boolean> {
  const credential = "doctor:doctor";
  const proxy = openProxy({
    scratch: tmpdir(),
    credential,
    decide: async () => ({ decision: "refuse", why: "only a test" }),
    resolve: async () => [],
    onConnection: () => {},
  });
  if (!proxy.ok) return false;
  const authorization = Buffer.from(credential).toString("base64");
  const client = connect(proxy.value.socketPath).setTimeout(answerMs, () => client.destroy());
  client.write(`CONNECT gauntlet.test:443 HTTP/1.1\r\nProxy-Authorization: Basic ${authorization}\r\n\r\n`);
  const answer = await text(client).catch(() => "");
  await proxy.value.close();
  return answer.startsWith("HTTP/1.1 403 ");
}
