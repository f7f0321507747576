import { expect, test } from "vitest";
import { DescriptorList } from "./descriptor-list.ts";

test("numbers what a child gets, and covers what it must not get", () => {
  const list = new DescriptorList();
  list.add("channel");
  const files = list.addFiles(["", ""], () => {
    throw new Error("There is nothing to open");
  });
  expect([list.given[0], files]).toEqual(["channel", [4, 5]]);
  list.cover([9, 4, 7]);
  const [, empty] = list.given;
  expect(list.given).toEqual(["channel", empty, empty, "closed", empty, "closed", empty]);
  list.close();
});
