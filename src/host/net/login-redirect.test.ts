import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitLogin } from "./login-redirect.ts";

async function open(port = 0) {
  const redirect = await awaitLogin(port);
  if (!redirect.ok) throw new Error(redirect.failure.message);
  onTestFinished(() => redirect.value.close());
  return redirect.value;
}

const never = () => new AbortController().signal;

describe("the way back from a login", () => {
  it("takes the request with the right state, and no other", async () => {
    const redirect = await open();
    expect(redirect.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login$/);
    const early = await fetch(`${redirect.url}?state=s1&code=early`);
    const came = redirect.arrived("s1", never());
    const others = [
      fetch(`${redirect.url}?state=s2&code=evil`),
      fetch(`${redirect.url}?code=evil`),
      fetch(`${redirect.url}/x?state=s1`),
      fetch(`${redirect.url}?state=s1`, { method: "POST" }),
    ];
    expect([early, ...(await Promise.all(others))].map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const answer = await fetch(`${redirect.url}?state=s1&code=c1`);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      "You can close this page and return to the terminal.\n",
    ]);
    const led = await came;
    expect(led.ok && led.value.href).toBe(`${redirect.url}?state=s1&code=c1`);
    const again = redirect.arrived("s3", never());
    await fetch(`${redirect.url}?state=s3&code=c3`);
    expect((await again).ok).toBe(true);
  });

  it("is not reached under another name, and outlives what is no request", async () => {
    const redirect = await open();
    const { port } = new URL(redirect.url);
    const came = redirect.arrived("s1", never());
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = "";
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
        socket.on("data", (chunk) => {
          answer += chunk;
        });
        socket.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
      });
    expect(await raw("GET /login?state=s1 HTTP/1.1\r\nHost: evil.example\r\n\r\n")).toBe("HTTP/1.1 404 Not Found");
    expect(await raw(`GET // HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).toBe("HTTP/1.1 404 Not Found");
    await fetch(`${redirect.url}?state=s1&code=c1`);
    expect((await came).ok).toBe(true);
  });

  it("ends with whoever waited, and takes another port when the usual one is in use", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void busy.close());
    const address = busy.address();
    const redirect = await open(typeof address === "object" ? address?.port : 0);
    const gone = new AbortController();
    const came = redirect.arrived("s1", gone.signal);
    gone.abort();
    expect(await came).toMatchObject({ ok: false, failure: { code: "cancelled" } });
  });
});
