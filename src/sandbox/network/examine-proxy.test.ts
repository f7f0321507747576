import { expect, test } from "vitest";
import { examineProxy } from "./examine-proxy.ts";

test("the proxy works on this machine", async () => {
  expect(await examineProxy({ backend: "bubblewrap" })).toEqual({
    name: "network",
    state: "ok",
    detail: "Commands have none; approved hosts are reached through our proxy, which works here.",
  });
});

test("without our sandbox nothing is held", async () => {
  expect(await examineProxy({ backend: "external" })).toMatchObject({ name: "network", state: "warning" });
});
