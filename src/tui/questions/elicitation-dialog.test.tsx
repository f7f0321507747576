import { describe, expect, test } from "vitest";
import { typedAt } from "../../../test/support/keyboard.tsx";
import type { Elicitation, ElicitationAnswer, ElicitedField } from "../../contract/server/server.ts";
import { ElicitationDialog } from "./elicitation-dialog.tsx";

const fields: readonly ElicitedField[] = [
  { name: "name", title: "Your name", required: true, kind: "text", description: "as in the \u001b[2Jbook" },
  { name: "age", required: false, kind: "integer", default: 7 },
  { name: "fresh", required: false, kind: "boolean", default: true },
  {
    name: "colour",
    required: true,
    kind: "choice",
    choices: [
      { value: "r", title: "Red" },
      { value: "g", title: "Green" },
    ],
  },
  {
    name: "sizes",
    required: false,
    kind: "choices",
    choices: [
      { value: "s", title: "Small" },
      { value: "l", title: "Large" },
    ],
  },
];

const form: Elicitation = {
  id: "req_1",
  server: "shop",
  message: "Who are you?\n\u202eYes, once",
  ask: { mode: "form", fields },
};
const page: Elicitation = {
  id: "req_2",
  server: "shop",
  message: "Log in",
  ask: { mode: "url", url: "https://login.example.com/a?b=c" },
};

const [up, down, enter, esc, tab, back, space] = ["\u001b[A", "\u001b[B", "\r", "\u001b", "\t", "\u001b[Z", " "];

function open(question: Elicitation, { unreadMs = 0, rows = 40 } = {}) {
  const answers: ElicitationAnswer[] = [];
  const typed: string[] = [];
  const screen = typedAt((keyboard) => (
    <ElicitationDialog
      {...keyboard}
      question={question}
      more={1}
      colour={false}
      columns={80}
      rows={rows}
      isActive
      follows={false}
      unreadMs={unreadMs}
      onAnswer={(answer) => answers.push(answer)}
      onTyped={(text) => typed.push(text)}
    />
  ));
  /** One after another, each when the one before it shows. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      const before = screen.frames.length + answers.length;
      screen.stdin.write(key);
      await expect.poll(() => screen.frames.length + answers.length).toBeGreaterThan(before);
    }
  };
  return { screen, answers, typed, press };
}

describe("the question of a server", () => {
  test("says who asks in whose words, what is wanted, and no control characters", () => {
    const frame = open(form).screen.lastFrame() ?? "";
    for (const words of [
      "? MCP server shop ",
      "it says       Who are you?",
      "              \\u{202e}Yes, once",
      "no passwords, no keys",
      "❯ Your name*",
      "as in the \\u{1b}[2Jbook",
      "age: 7",
      "fresh: yes",
      "colour*: ",
      "Send to shop",
      "Decline",
      "Esc: cancel · 1 more after this",
    ]) {
      expect(frame).toContain(words);
    }
  });

  test.each<[string, readonly string[], ElicitationAnswer]>([
    [
      "all of it, field by field",
      ["Ann", enter, enter, enter, down, down, enter, space, down, space, enter, enter],
      { action: "accept", content: { name: "Ann", age: 7, fresh: true, colour: "g", sizes: ["s", "l"] } },
    ],
    [
      "what is left empty has its default",
      ["Ann", tab, "\b", tab, tab, space, tab, tab, enter],
      { action: "accept", content: { name: "Ann", age: 7, fresh: true, colour: "r", sizes: [] } },
    ],
    ["Esc while writing cancels", ["Ann", esc], { action: "cancel" }],
    ["Esc elsewhere cancels", [back, esc], { action: "cancel" }],
    ["back from the beginning is Decline", [back, enter], { action: "decline" }],
  ])("%s", async (_name, keys, answer) => {
    const { answers, press } = open(form);
    await press(...keys);
    expect(answers).toEqual([answer]);
  });

  test("whoever only goes on has chosen nothing", async () => {
    const news = { name: "news", required: false, kind: "boolean" } as const;
    const needed = { name: "terms", required: true, kind: "boolean" } as const;
    const { screen, answers, press } = open({ ...form, ask: { mode: "form", fields: [news, needed] } });
    await press(enter, enter, enter);
    expect([answers, screen.lastFrame()?.includes("Choose one.")]).toEqual([[], true]);
    await press(down, down, enter, enter);
    expect(answers).toEqual([{ action: "accept", content: { terms: false } }]);
  });

  const boxes: Elicitation = {
    ...form,
    ask: {
      mode: "form",
      fields: [
        { name: "fresh", required: false, kind: "boolean" },
        ...fields.filter(({ kind }) => kind === "choices"),
        {
          name: "colour",
          required: false,
          kind: "choice",
          choices: ["Red", "Rose", "Green"].map((title) => ({ value: title, title })),
        },
      ],
    },
  };
  const send = [tab, tab, tab, enter];
  test.each<[string, readonly string[], Record<string, unknown>]>([
    ["y chooses yes", ["y", ...send], { fresh: true, sizes: [] }],
    ["n chooses no, the last one counts", ["y", "n", ...send], { fresh: false, sizes: [] }],
    ["what is said twice is still said", ["y", "y", ...send], { fresh: true, sizes: [] }],
    ["a letter ticks, and takes that back", [tab, "s", "l", "S", tab, tab, enter], { sizes: ["l"] }],
    ["a letter of one choice chooses it", [tab, tab, "g", tab, enter], { sizes: [], colour: "Green" }],
    ["a letter of two choices none", [tab, tab, "gr", tab, enter], { sizes: [], colour: "Green" }],
    ["a word that comes at once is its letters", ["yes", ...send], { fresh: true, sizes: [] }],
  ])("where something is chosen, %s", async (_name, keys, content) => {
    const { answers, typed, press } = open(boxes);
    await press(...keys);
    expect([answers, typed]).toEqual([[{ action: "accept", content }], []]);
  });

  const order = {
    ...form,
    ask: { mode: "form", fields: [...fields.slice(0, 1), { name: "fresh", required: true, kind: "boolean" }] },
  } as const satisfies Elicitation;
  test.each<[string, readonly string[], readonly ElicitationAnswer[]]>([
    [
      "fill one field after the other",
      ["Ann\ty\t", enter],
      [{ action: "accept", content: { name: "Ann", fresh: true } }],
    ],
    ["go back", ["x\u001b[Z\t\bAnn\tn\t", enter], [{ action: "accept", content: { name: "Ann", fresh: false } }]],
    ["go where nothing is written, and settle nothing", ["\t\t\t\r"], []],
    ["go there, and Enter settles it", ["\t\t\t\r", enter], [{ action: "decline" }]],
    ["do not send what they wrote", ["Ann\ty\t\r"], []],
  ])("keys that come in one read %s", async (_name, reads, expected) => {
    const { answers, press } = open(order);
    await press(...reads);
    await expect.poll(() => answers).toEqual(expected);
  });

  const optional = {
    ...form,
    ask: {
      mode: "form",
      fields: [
        { name: "nick", required: false, kind: "text" },
        { name: "news", required: false, kind: "boolean" },
      ],
    },
  } as const satisfies Elicitation;
  test.each<[string, Elicitation, string, Record<string, unknown>]>([
    ["nothing has to be filled in", optional, "\r\r\r\r", {}],
    ["all ends of lines are Enter", optional, "\r\n\r\n\r\n", {}],
    ["a page is asked for", page, "\u001b[B\r", {}],
  ])("where %s, keys that come in one read agree to nothing unseen", async (_name, question, read, content) => {
    const { answers, press } = open(question);
    await press(read);
    expect(answers).toEqual([]);
    await press(enter);
    expect(answers).toEqual([{ action: "accept", content }]);
  });

  test.each([
    ["marked", "\u001b[200~n\u001b[201~"],
    ["not marked", "n\rs\r"],
  ])("what is pasted, and is %s, chooses nothing", async (_name, pasted) => {
    const { answers, screen, press } = open(boxes);
    screen.stdin.write(pasted);
    await press(...send);
    expect(answers).toEqual([{ action: "accept", content: { sizes: [] } }]);
  });

  test("a form keeps what is typed and pasted at it from becoming a message", async () => {
    const { answers, typed, screen, press } = open(boxes);
    for (const key of ["x", "my secret", "\u001b[200~pasted\u001b[201~", "n\rs\r", ...send.slice(1), "x"])
      screen.stdin.write(key);
    await press(tab, enter);
    expect([answers, typed]).toEqual([[{ action: "decline" }], []]);
  });

  test("at a page, letters that are no answer to anything are the beginning of a message", async () => {
    const { answers, typed, screen } = open(page);
    for (const key of ["y", enter]) screen.stdin.write(key);
    await expect.poll(() => typed).toEqual(["y"]);
    expect(answers).toEqual([]);
  });

  test("goes to the field that is not right, and sends nothing", async () => {
    const { screen, answers, press } = open(form);
    await press("Ann", tab, "x", tab, tab, space, back, back, back, back, back, enter);
    expect(answers).toEqual([]);
    expect(screen.lastFrame()).toContain("Enter a number.");
    await press("\b", tab);
    expect(screen.lastFrame()).toContain("age: 7");
  });

  test("wants what has to be answered", async () => {
    const { screen, answers, press } = open(form);
    await press(back, back, enter);
    expect(screen.lastFrame()).toContain("A value is required.");
    expect(answers).toEqual([]);
  });

  test.each<[string, readonly string[], ElicitationAnswer]>([
    ["Enter alone declines", [enter], { action: "decline" }],
    ["Esc cancels", [esc], { action: "cancel" }],
    ["the other answer agrees", [down, enter], { action: "accept", content: {} }],
    ["around and back", [up, enter], { action: "accept", content: {} }],
  ])("for a page: %s", async (_name, keys, answer) => {
    const { answers, press, screen } = open(page);
    for (const words of ["host          login.example.com", "address       https://login.example.com/a?b=c"]) {
      expect(screen.lastFrame()).toContain(words);
    }
    await press(...keys);
    expect(answers).toEqual([answer]);
  });

  test("a key that was pressed before it could be read is no answer", async () => {
    const early = open(page, { unreadMs: 2 ** 29 });
    const other = open(page);
    for (const key of [enter, esc, down, enter]) early.screen.stdin.write(key);
    await other.press(enter);
    expect([early.answers, other.answers.length]).toEqual([[], 1]);
  });

  test("fits a small window, around what is being filled in", async () => {
    const many: Elicitation = {
      ...form,
      message: "long ".repeat(200),
      ask: {
        mode: "form",
        fields: Array.from({ length: 30 }, (_, at) => ({ name: `f${at}`, required: false, kind: "text" })),
      },
    };
    const { screen, press } = open(many, { rows: 20 });
    await press(...Array.from({ length: 15 }, () => tab));
    const frame = screen.lastFrame() ?? "";
    expect(frame.split("\n").length).toBeLessThanOrEqual(19);
    expect(frame).toContain("❯ f15");
    expect(frame).toContain("Send to shop");
  });
});
