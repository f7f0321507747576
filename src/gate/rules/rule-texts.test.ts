import { describe, expect, test } from "vitest";
import type { RuleText } from "../../contract/settings.ts";
import { compileRules } from "./compile-rules.ts";
import type { RuleProblem, RuleTarget } from "./rule.ts";

type Row = readonly [rules: string, outcome: readonly string[]];

describe("what rules are read as, and what is wrong with them", () => {
  test.each<Row>([
    [
      "allow Bash",
      [
        'command {"kind":"every"}',
        "warning on allow Bash: very broad: it allows every program inside the workspace; what > writes needs Edit as well",
      ],
    ],
    ["allow Bash(npm test)", ['command {"kind":"exact","text":"npm test","words":["npm","test"]}']],
    ["allow Bash(npm  run   test:*)", ['command {"kind":"prefix","words":["npm","run","test"]}']],
    ["allow Bash(npm run *)", ['command {"kind":"prefix","words":["npm","run"]}']],
    [
      "allow Bash(*)",
      [
        'command {"kind":"every"}',
        "warning on allow Bash(*): very broad: it allows every program inside the workspace; what > writes needs Edit as well",
      ],
    ],
    [
      "allow Bash(:*)",
      [
        'command {"kind":"every"}',
        "warning on allow Bash(:*): very broad: it allows every program inside the workspace; what > writes needs Edit as well",
      ],
    ],
    ["allow Bash(git * main)", ['command {"kind":"wildcard","text":"git * main"}']],
    ["allow Bash(rm \\*)", ['command {"kind":"exact","text":"rm *","words":["rm","*"]}']],
    ["allow Bash(echo 'a b')", ['command {"kind":"exact","text":"echo \'a b\'"}']],
    [
      "allow Bash(git 'x':*)",
      ["error on allow Bash(git 'x':*): a prefix is compared word by word, so it cannot hold quotes"],
    ],
    ["allow Bash(a:* b)", ["error on allow Bash(a:* b): :* is valid only at the end of a prefix without another *"]],
    ["allow Bash()", ["error on allow Bash(): the brackets are empty; write Bash for every call"]],
    ["allow Bash( )", ["error on allow Bash( ): the brackets are empty; write Bash for every call"]],
    ["allow Bash(", ["error on allow Bash(: write a rule as Tool or Tool(pattern)"]],
    ["allow  Bash(ls) ", ['command {"kind":"exact","text":"ls","words":["ls"]}']],
    ["allow Shell(ls)", ['command {"kind":"exact","text":"ls","words":["ls"]}']],
    ["allow Read", ["path read+list anywhere as read glob grep list"]],
    [
      "allow Edit",
      [
        "path write anywhere as edit multi_edit write patch move delete",
        "warning on allow Edit: very broad: it allows every change",
      ],
    ],
    ["deny Edit", ["path write+delete anywhere as edit multi_edit write patch move delete"]],
    [
      "allow Delete",
      ["path delete anywhere as delete", "warning on allow Delete: very broad: it allows deleting everything"],
    ],
    ["deny Delete(/a)", ["path delete"]],
    ["allow Read(/src/**)", ["path read+list"]],
    ["allow Read( /src/** )", ["path read+list"]],
    ["deny Edit(/src/**)", ["path write+delete"]],
    ["allow Edit(/src/**)", ["path write"]],
    ["allow Write(/a)", ["error on allow Write(/a): Write(…) can never match: use Edit(…) for paths"]],
    [
      "deny MultiEdit(/a)",
      [
        '{"kind":"broken","why":"MultiEdit(…) can never match: use Edit(…) for paths"}',
        "error on deny MultiEdit(/a): MultiEdit(…) can never match: use Edit(…) for paths",
      ],
    ],
    ["allow Grep(/a)", ["error on allow Grep(/a): Grep(…) can never match: use Read(…) for paths"]],
    [
      "deny LS(/a)",
      [
        '{"kind":"broken","why":"LS(…) can never match: use Read(…) for paths"}',
        "error on deny LS(/a): LS(…) can never match: use Read(…) for paths",
      ],
    ],
    ["allow Write", ['{"kind":"tool","names":["write"]}']],
    ["deny Glob", ['{"kind":"tool","names":["glob"]}']],
    [
      "deny Agent(x)",
      [
        '{"kind":"broken","why":"Agent(…) can never match: rules match what a call touches, not its parameters; write Agent"}',
        "error on deny Agent(x): Agent(…) can never match: rules match what a call touches, not its parameters; write Agent",
      ],
    ],
    [
      "deny WebSearch(x)",
      [
        '{"kind":"broken","why":"WebSearch(…) can never match: rules match what a call touches, not its parameters; write WebSearch"}',
        "error on deny WebSearch(x): WebSearch(…) can never match: rules match what a call touches, not its parameters; write WebSearch",
      ],
    ],
    ["deny Frob", ['{"kind":"tool","names":["Frob"]}', "warning on deny Frob: no built-in tool is named Frob"]],
    [
      "deny Reed",
      ['{"kind":"tool","names":["Reed"]}', "warning on deny Reed: no built-in tool is named Reed; did you mean Read?"],
    ],
    [
      "deny Frob(x)",
      [
        '{"kind":"broken","why":"no built-in tool is named Frob"}',
        "error on deny Frob(x): no built-in tool is named Frob",
      ],
    ],
    [
      "deny Raed(x)",
      [
        '{"kind":"broken","why":"no built-in tool is named Raed; did you mean Read?"}',
        "error on deny Raed(x): no built-in tool is named Raed; did you mean Read?",
      ],
    ],
    ["deny read_file", ["path read+list anywhere as read glob grep list"]],
    [
      "deny 1x",
      [
        '{"kind":"broken","why":"write a rule as Tool or Tool(pattern)"}',
        "error on deny 1x: write a rule as Tool or Tool(pattern)",
      ],
    ],
    [
      "deny a b",
      [
        '{"kind":"broken","why":"write a rule as Tool or Tool(pattern)"}',
        "error on deny a b: write a rule as Tool or Tool(pattern)",
      ],
    ],
    ["allow WebFetch(domain:example.com)", ['{"kind":"host","host":"example.com","below":false}']],
    ["allow WebFetch(domain:*.Example.com.)", ['{"kind":"host","host":"example.com","below":true}']],
    ["deny WebFetch(domain:example.com)", ['{"kind":"host","host":"example.com","below":true}']],
    ["deny WebFetch(domain:x)", ['{"kind":"host","host":"x","below":true}']],
    [
      "deny WebFetch(example.com)",
      [
        '{"kind":"broken","why":"write a rule for the network as WebFetch(domain:example.com)"}',
        "error on deny WebFetch(example.com): write a rule for the network as WebFetch(domain:example.com)",
      ],
    ],
    [
      "deny WebFetch(xdomain:a.b)",
      [
        '{"kind":"broken","why":"write a rule for the network as WebFetch(domain:example.com)"}',
        "error on deny WebFetch(xdomain:a.b): write a rule for the network as WebFetch(domain:example.com)",
      ],
    ],
    ["deny WebFetch( domain:a.b )", ['{"kind":"host","host":"a.b","below":true}']],
    ["deny WebFetch", ['{"kind":"tool","names":["web_fetch"]}']],
    [
      "deny WebFetch(domain:-a)",
      [
        '{"kind":"broken","why":"write a rule for the network as WebFetch(domain:example.com)"}',
        "error on deny WebFetch(domain:-a): write a rule for the network as WebFetch(domain:example.com)",
      ],
    ],
    ["allow mcp__docs", ['{"kind":"server","server":"docs"}']],
    ["allow mcp__docs__search", ['{"kind":"server","server":"docs","tool":"search"}']],
    ["allow mcp__docs__*", ['{"kind":"server","server":"docs"}']],
    ["allow mcp__docs__a__b", ['{"kind":"server","server":"docs","tool":"a__b"}']],
    ["allow mcp__*", ["error on allow mcp__*: an allow rule names one server: mcp__server or mcp__server__tool"]],
    ["deny mcp__*", ['{"kind":"server","server":"*"}']],
    [
      "deny mcp__*__x",
      [
        '{"kind":"broken","why":"write a rule for a server as mcp__server or mcp__server__tool"}',
        "error on deny mcp__*__x: write a rule for a server as mcp__server or mcp__server__tool",
      ],
    ],
    [
      "deny mcp__a b",
      [
        '{"kind":"broken","why":"write a rule for a server as mcp__server or mcp__server__tool"}',
        "error on deny mcp__a b: write a rule for a server as mcp__server or mcp__server__tool",
      ],
    ],
    [
      "deny mcp__",
      [
        '{"kind":"broken","why":"write a rule for a server as mcp__server or mcp__server__tool"}',
        "error on deny mcp__: write a rule for a server as mcp__server or mcp__server__tool",
      ],
    ],
    [
      "allow project Bash(*)",
      [
        "error on allow Bash(*): too broad for a project: it allows every program inside the workspace; what > writes needs Edit as well",
      ],
    ],
    [
      "allow project Bash(npm test)",
      [
        "warning on allow Bash(npm test): allow rules of a project have no effect until you trust them (gauntlet trust)",
      ],
    ],
    [
      "allow project Edit(/src/**)",
      ["warning on allow Edit(/src/**): allow rules of a project have no effect until you trust them (gauntlet trust)"],
    ],
    ["deny project Bash(npm test)", ['command {"kind":"exact","text":"npm test","words":["npm","test"]}']],
    ["ask Bash(npm test)", ['command {"kind":"exact","text":"npm test","words":["npm","test"]}']],
  ])("%s", (text, outcome) => {
    const { rules, problems } = compile(text);
    expect([...rules.map(({ target }) => targetText(target)), ...problems.map(problemText)]).toEqual(outcome);
  });
});

describe("what rules do to each other", () => {
  test.each<Row>([
    ["allow Bash(rm:*)", ["warning on allow Bash(rm:*): very broad: it allows deleting every file in the workspace"]],
    ["allow Bash(rm -rf build)", []],
    ["allow Bash(rm build/*)", []],
    [
      "deny Bash and allow Bash(npm test)",
      ["warning on allow Bash(npm test): it has no effect: Bash in user.json denies all of it, and deny always wins"],
    ],
    [
      "deny Bash(npm:*) and allow Bash(npm test)",
      [
        "warning on allow Bash(npm test): it has no effect: Bash(npm:*) in user.json denies all of it, and deny always wins",
      ],
    ],
    [
      "deny Bash(npm test) and allow Bash(npm:*)",
      ["warning on allow Bash(npm:*): very broad: npm can run or fetch anything"],
    ],
    [
      "deny Bash(npm test) and allow Bash(npm test)",
      [
        "warning on allow Bash(npm test): it has no effect: Bash(npm test) in user.json denies all of it, and deny always wins",
      ],
    ],
    ["deny Bash(npm test) and allow Bash(npm test x)", []],
    ["deny Bash(npm run:*) and allow Bash(npm test)", []],
    [
      "deny Bash(git *x) and allow Bash(git *x)",
      [
        "warning on allow Bash(git *x): very broad: git can run or fetch anything",
        "warning on allow Bash(git *x): it has no effect: Bash(git *x) in user.json denies all of it, and deny always wins",
      ],
    ],
    [
      "deny Bash(git *x) and allow Bash(git *y)",
      ["warning on allow Bash(git *y): very broad: git can run or fetch anything"],
    ],
    ["deny Bash(git *x) and allow Bash(git x)", []],
    [
      "deny Bash(npm:*) and allow Bash(npm *x)",
      ["warning on allow Bash(npm *x): very broad: npm can run or fetch anything"],
    ],
    ["deny Bash(echo 'a') and allow Bash(echo 'b')", []],
    [
      "ask Bash(npm:*) and allow Bash(npm test)",
      [
        "warning on allow Bash(npm test): it has no effect: Bash(npm:*) in user.json asks for all of it, and ask comes first",
      ],
    ],
    ["ask Bash(npm:*) and allow Bash(yarn test)", []],
    [
      "deny Edit and allow Edit(/a)",
      ["warning on allow Edit(/a): it has no effect: Edit in user.json denies all of it, and deny always wins"],
    ],
    ["deny Read and allow Edit(/a)", []],
    [
      "deny Edit(/a) and allow Edit(/a)",
      ["warning on allow Edit(/a): it has no effect: Edit(/a) in user.json denies all of it, and deny always wins"],
    ],
    ["deny Edit(/a) and allow Edit(/b)", []],
    [
      "deny Edit and allow Delete(/a)",
      ["warning on allow Delete(/a): it has no effect: Edit in user.json denies all of it, and deny always wins"],
    ],
    ["deny Delete and allow Edit(/a)", []],
    [
      "deny Delete and allow Delete(/x)",
      ["warning on allow Delete(/x): it has no effect: Delete in user.json denies all of it, and deny always wins"],
    ],
    [
      "deny WebSearch and allow WebSearch",
      ["warning on allow WebSearch: it has no effect: WebSearch in user.json denies all of it, and deny always wins"],
    ],
    ["deny WebSearch and allow Agent", []],
    ["deny WebSearch and allow Bash(ls)", []],
    ["deny Bash(ls) and allow WebSearch", []],
    [
      "deny WebFetch(domain:a.b) and allow WebFetch(domain:x.a.b)",
      [
        "warning on allow WebFetch(domain:x.a.b): it has no effect: WebFetch(domain:a.b) in user.json denies all of it, and deny always wins",
      ],
    ],
    ["deny WebFetch(domain:a.b) and allow WebFetch(domain:c.d)", []],
    ["deny WebFetch(domain:a.b) and allow mcp__docs", []],
    [
      "deny mcp__* and allow mcp__docs",
      ["warning on allow mcp__docs: it has no effect: mcp__* in user.json denies all of it, and deny always wins"],
    ],
    [
      "deny mcp__docs and allow mcp__docs__search",
      [
        "warning on allow mcp__docs__search: it has no effect: mcp__docs in user.json denies all of it, and deny always wins",
      ],
    ],
    [
      "deny mcp__docs__search and allow mcp__docs__search",
      [
        "warning on allow mcp__docs__search: it has no effect: mcp__docs__search in user.json denies all of it, and deny always wins",
      ],
    ],
    ["deny mcp__docs__search and allow mcp__docs__x", []],
    ["deny mcp__docs__search and allow mcp__docs", []],
    ["deny mcp__docs and allow mcp__other", []],
    ["deny mcp__docs and allow WebFetch(domain:a.b)", []],
    ["allow Bash(ls) and allow Bash(ls)", ["warning on allow Bash(ls): it is a duplicate (also in user.json)"]],
    [
      "allow Bash(ls) and deny Bash(ls)",
      ["warning on allow Bash(ls): it has no effect: Bash(ls) in user.json denies all of it, and deny always wins"],
    ],
    ["allow command_line Bash(ls) and allow Bash(ls)", []],
    ["allow Bash(ls) and allow session Bash(ls)", []],
    ["allow Bash(ls) and allow managed Bash(ls)", ["warning on allow Bash(ls): it is a duplicate (also in user.json)"]],
    ["deny Bash(ls) and deny Bash(ls)", ["warning on deny Bash(ls): it is a duplicate (also in user.json)"]],
    ["ask Bash(ls) and deny Bash(ls)", []],
  ])("%s", (text, outcome) => {
    expect(compile(text).problems.map(problemText)).toEqual(outcome);
  });
});

/** `deny Bash(ls)` or `allow project Bash(ls)`, several joined by `and`. */
function compile(text: string) {
  return compileRules(text.split(" and ").map(ruleOf), { workspace: "/w", home: "/home/me" });
}

function ruleOf(written: string): RuleText {
  const [, action = "", layer = "user", text = ""] =
    /^(deny|ask|allow) (?:(managed|command_line|project|session) )?(.+)$/.exec(written) ?? [];
  return {
    text,
    action: action as RuleText["action"],
    layer: layer as RuleText["layer"],
    origin: `${layer}.json`,
    match: [],
    noMatch: [],
  };
}

function targetText(target: RuleTarget): string {
  switch (target.kind) {
    case "path": {
      const everywhere = target.pattern === undefined ? " anywhere" : "";
      const tools = target.tools.length === 0 ? "" : ` as ${target.tools.join(" ")}`;
      return `path ${target.ops.join("+")}${everywhere}${tools}`;
    }
    case "command":
      return `command ${JSON.stringify({ ...target.pattern, glob: undefined })}`;
    default:
      return JSON.stringify(target);
  }
}

function problemText({ level, rule, message }: RuleProblem): string {
  return `${level} on ${rule.action} ${rule.text}: ${message}`;
}
