import { nearest } from "../base/nearest.ts";
import { compileCommand } from "./command-pattern.ts";
import { compilePath, type PatternPlaces } from "./path-pattern.ts";
import type { RuleTarget } from "./rule.ts";
import { canonicalTool, isKnownTool, knownToolNames, toolFamily } from "./tool-names.ts";

export interface ParsedRule {
  readonly target: RuleTarget;
  readonly warning?: string;
}

type Problem = { readonly problem: string };

/** `Tool`, `Tool(pattern)`, `mcp__server__tool`. `guards` is true for deny and ask. */
export function parseRule(text: string, places: PatternPlaces, guards: boolean): ParsedRule | Problem {
  const trimmed = text.trim();
  if (trimmed.startsWith("mcp__")) return parseServer(trimmed, guards);
  const found = /^([A-Za-z][A-Za-z0-9_-]*)(?:\((.*)\))?$/s.exec(trimmed);
  if (found === null) return { problem: "a rule reads Tool or Tool(pattern)" };
  const [, name = "", content] = found;
  const tool = canonicalTool(name);
  if (content === undefined) return parseBare(name, tool, guards);
  if (content.trim() === "") return { problem: `nothing is between the brackets; write ${name} for every call` };
  switch (tool) {
    case "bash": {
      const pattern = compileCommand(content);
      return "problem" in pattern ? pattern : { target: { kind: "command", pattern } };
    }
    case "read":
    case "edit":
    case "delete": {
      const pattern = compilePath(content.trim(), places, guards);
      if ("problem" in pattern) return pattern;
      return { target: { kind: "path", ops: operations(tool, guards), pattern, tools: [] } };
    }
    case "web_fetch":
      return parseHost(content.trim(), guards);
  }
  return { problem: isKnownTool(name) ? deadForm(name, tool) : unknownTool(name) };
}

function parseBare(name: string, tool: string, guards: boolean): ParsedRule {
  if (tool === "bash") return { target: { kind: "command", pattern: { kind: "every" } } };
  if (tool === "read" || tool === "edit" || tool === "delete") {
    return { target: { kind: "path", ops: operations(tool, guards), tools: toolFamily(tool) } };
  }
  const target: RuleTarget = { kind: "tool", names: [tool] };
  return isKnownTool(name) ? { target } : { target, warning: unknownTool(name) };
}

function operations(tool: "read" | "edit" | "delete", guards: boolean) {
  if (tool === "read") return ["read", "list"] as const;
  if (tool === "delete") return ["delete"] as const;
  return guards ? (["write", "delete"] as const) : (["write"] as const);
}

function parseServer(text: string, guards: boolean): ParsedRule | Problem {
  const [, server = "", ...rest] = text.split("__");
  const tool = rest.join("__");
  if (server === "*" && tool === "") {
    if (guards) return { target: { kind: "server", server } };
    return { problem: "permission is given server by server: mcp__server or mcp__server__tool" };
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(server))
    return { problem: "a rule for a server reads mcp__server or mcp__server__tool" };
  if (tool === "" || tool === "*") return { target: { kind: "server", server } };
  return { target: { kind: "server", server, tool } };
}

function parseHost(content: string, guards: boolean): ParsedRule | Problem {
  const found = /^domain:(\*\.)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\.?$/i.exec(content);
  if (found === null) return { problem: "a rule for the network reads WebFetch(domain:example.com)" };
  const [, wild, host = ""] = found;
  // A refusal reaches below the named host; permission does so only where that is written.
  return { target: { kind: "host", host: host.toLowerCase(), below: guards || wild !== undefined } };
}

function unknownTool(name: string): string {
  const [meant] = nearest(name, ruleNames);
  return `no built-in tool is called ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

const ruleNames = knownToolNames.filter((name) => /^[A-Z]/.test(name));

function deadForm(name: string, tool: string): string {
  const instead = toolFamily("edit").includes(tool) ? "Edit" : toolFamily("read").includes(tool) ? "Read" : undefined;
  return instead === undefined
    ? `${name}(…) can never match: rules speak about what a call touches, not about its parameters; write ${name}`
    : `${name}(…) can never match: paths are judged by ${instead}(…)`;
}
