import { expect, test } from "vitest";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { recentStamps } from "./server-state.ts";

test("a file that is there is looked at once in a tenth of a second, and again after it was written", () => {
  let now = 1_000;
  let stamp: Outcome<string | undefined> = ok("first");
  let looks = 0;
  const files = recentStamps(
    {
      read: () => ok(undefined),
      stamp() {
        looks += 1;
        return stamp;
      },
      write: () => ok(undefined),
    },
    { now: () => now },
  );
  const look = () => files.stamp("a");

  expect([look(), look()]).toEqual([ok("first"), ok("first")]);
  stamp = ok("second");
  now += 99;
  expect([look(), looks]).toEqual([ok("first"), 1]);
  now += 1;
  expect([look(), looks]).toEqual([ok("second"), 2]);
  files.write("a", "text");
  expect([look(), looks]).toEqual([ok("second"), 3]);
  // A clock that was set back says nothing about how long ago it was.
  now -= 1;
  expect([look(), looks]).toEqual([ok("second"), 4]);
});

test.each([ok(undefined), fail("tool_failed", "no")])(
  "what is not there, or not to be seen, is looked for each time",
  (stamp) => {
    let looks = 0;
    const look = () => {
      looks += 1;
      return stamp;
    };
    const files = recentStamps(
      { read: () => ok(undefined), stamp: look, write: () => ok(undefined) },
      { now: () => 0 },
    );
    expect([files.stamp("a"), files.stamp("a"), looks]).toEqual([stamp, stamp, 2]);
  },
);
