import { expect, test } from "vitest";
import { createCallLog } from "./hosted-server.ts";

const call = (invocationId: string) => ({ invocationId, intentId: `${invocationId} int`, tool: "t" });

test("the call that a server is busy with is known while it lasts, and for what began in it afterwards", async () => {
  let now = 0;
  const calls = createCallLog({ now: () => now });
  const never = new AbortController().signal;
  const run = async (id: string, from: number, to: number) => {
    now = from;
    await calls.during({ underWay: call(id), signal: never }, async () => {
      now = to;
    });
  };
  expect(calls.now()).toBeUndefined();
  await run("a", 10, 20);
  await run("b", 30, 40);
  expect([5, 10, 20, 25, 35, 41].map((time) => calls.at(time)?.invocationId)).toEqual([
    undefined,
    "a",
    "a",
    undefined,
    "b",
    undefined,
  ]);
  for (let time = 100; time < 200; time += 2) await run(`c${time}`, time, time + 1);
  expect([calls.at(35), calls.at(198)?.invocationId]).toEqual([undefined, "c198"]);
});

test("a call is over when it ends and when whoever called gives up", async () => {
  const calls = createCallLog({ now: () => 0 });
  const gaveUp = new AbortController();
  const answer = Promise.withResolvers<string>();
  const first = calls.during({ underWay: call("a"), signal: gaveUp.signal }, () => answer.promise);
  const seen = calls.now();
  expect(seen).toMatchObject({ invocationId: "a", over: { aborted: false } });
  gaveUp.abort();
  expect([seen?.over.aborted, calls.now()]).toEqual([true, undefined]);
  answer.resolve("late");
  expect(await first).toBe("late");

  const signal = new AbortController().signal;
  const failing = calls.during({ underWay: call("b"), signal }, () => Promise.reject(new Error("lost")));
  const second = calls.now();
  await expect(failing).rejects.toThrow("lost");
  expect([second?.over.aborted, calls.now()]).toEqual([true, undefined]);
});
