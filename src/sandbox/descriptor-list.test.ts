import { expect, test } from "vitest";
import { DescriptorList } from "./descriptor-list.ts";

test("numbers what a child gets, and covers what it must not get", () => {
  const list = new DescriptorList();
  expect([list.add("channel"), ...list.addEmpty(2)]).toEqual([3, 4, 5]);
  list.cover([9, 4, 7]);
  const [, empty] = list.given;
  expect(list.given).toEqual(["channel", empty, empty, "closed", empty, "closed", empty]);
  list.close();
});
