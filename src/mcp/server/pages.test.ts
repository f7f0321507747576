import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PagedList, pagedList } from "./pages.ts";

const names = (count: number) => Array.from({ length: count }, (_, at) => `entry ${at}`);

function listOf(all: readonly string[], name = "tools/list") {
  const state = { all, fetched: 0 };
  const list = pagedList(name, async () => {
    state.fetched += 1;
    return state.all;
  });
  return { list, state };
}

async function allPages(list: PagedList<string>): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list.page(cursor);
    if (page === undefined) throw new Error("A cursor of its own was refused");
    pages.push(page.entries);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

async function firstCursor({ list }: ReturnType<typeof listOf>): Promise<string> {
  return (await list.page(undefined))?.nextCursor ?? "";
}

describe("a list in pages", () => {
  test.each([
    [0, [0]],
    [1, [1]],
    [200, [200]],
    [201, [200, 1]],
    [450, [200, 200, 50]],
  ])("of %i entries comes in pages of %j, in order and whole", async (count, sizes) => {
    const all = names(count);
    const { list, state } = listOf(all);
    const pages = await allPages(list);
    expect(pages.map(({ length }) => length)).toEqual(sizes);
    expect(pages.flat()).toEqual(all);
    expect(state.fetched).toBe(1);
  });

  test("is cut by size as well, and one entry that is too large is a page", async () => {
    const large = (mark: string) => mark.repeat(700 * 1024);
    const all = ["small", large("a"), large("b"), large("c"), `huge ${"x".repeat(3 * 1024 * 1024)}`, "last"];
    expect((await allPages(listOf(all).list)).map(({ length }) => length)).toEqual([2, 1, 1, 1, 1]);
  });

  test("is loaded again for every first page and after a change, and not for the others", async () => {
    const one = listOf(names(300));
    const cursor = await firstCursor(one);
    one.state.all = ["changed"];
    expect((await one.list.page(cursor))?.entries[0]).toBe("entry 200");
    expect(one.state.fetched).toBe(1);
    expect(await one.list.page(undefined)).toEqual({ entries: ["changed"] });
    one.state.all = names(201);
    one.list.forget();
    expect(await one.list.page(cursor)).toEqual({ entries: ["entry 200"] });
  });

  test("is refused with a cursor of another list or of nobody", async () => {
    const one = listOf(names(300));
    const { list, state } = one;
    const cursor = await firstCursor(one);
    expect(await listOf(names(300), "prompts/list").list.page(cursor)).toBeUndefined();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String({ minLength: 36, maxLength: 40 })), async (made) => {
        fc.pre(made !== cursor);
        expect(await list.page(made)).toBeUndefined();
      }),
    );
    expect(state.fetched).toBe(1);
  });
});
