import type { Command, Word } from "unbash";
import { expectGap, type Reading } from "./gaps.ts";
import type { Doubt, WordUse } from "./read-word.ts";
import type { ArrayElement, Assignment, WordTemplate } from "./shell-tree.ts";

export type AssignmentNode = Extract<Command["prefix"][number], { type: "Assignment" }>;
export type TextReader = (word: Word, use: WordUse, reading: Reading) => readonly WordTemplate[] | Doubt;

const nothing: WordTemplate = { text: "", pieces: [] };
/** Bash calculates a key where the array has numbers for keys, so one is a plain text or a plain number. */
const plainKey = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/;
/** Of an array with texts for keys, where it is expanded once. */
const variableKey = /^\$[A-Za-z_]\w*$|^"\$[A-Za-z_]\w*"$/;

export function readAssignment(node: AssignmentNode, reading: Reading, readText: TextReader): Assignment | Doubt {
  const { name, value, index } = node;
  const adds = node.append === true;
  const key = index === undefined ? undefined : reading.source.slice(index.pos, index.end);
  const head = `${name}${key === undefined ? "" : `[${key}]`}${adds ? "+=" : "="}`;
  const odd = { why: `it sets ${name}` };
  if (reading.source.slice(node.pos, value.pos) !== head) return odd;
  if (reading.dialect === "sh" && (adds || key !== undefined || value.type !== "Word")) return odd;
  if (key !== undefined && (!(plainKey.test(key) || variableKey.test(key)) || adds || value.type !== "Word"))
    return odd;
  if (value.type === "ArrayValue") {
    const elements = readElements(value, reading, readText);
    return "why" in elements ? elements : { name, value: nothing, adds, elements };
  }
  const read = readText(value, "value", reading);
  if ("why" in read) return read;
  return { name, value: read[0] ?? nothing, adds, ...(key === undefined ? {} : { key }) };
}

type ArrayNode = Extract<AssignmentNode["value"], { type: "ArrayValue" }>;

function readElements(node: ArrayNode, reading: Reading, readText: TextReader): readonly ArrayElement[] | Doubt {
  const elements: ArrayElement[] = [];
  let end = node.pos;
  for (const [index, word] of node.elements.entries()) {
    expectGap(reading, index === 0 ? "list" : "next element", end, word.pos);
    end = word.end;
    const read = readText(word, "word", reading);
    if ("why" in read) return read;
    for (const value of read) {
      const element = readElement(value);
      if (element === undefined || (element.key !== undefined && read.length > 1))
        return { why: `the key of ${value.text} may be calculated` };
      elements.push(element);
    }
  }
  expectGap(reading, node.elements.length === 0 ? "empty list" : "list end", end, node.end);
  return elements;
}

/** `[key]=value` when the bracket is not quoted. */
function readElement(template: WordTemplate): ArrayElement | undefined {
  const [first, ...rest] = template.pieces;
  if (first?.kind !== "text" || first.quoted || !first.value.startsWith("[")) return { value: template };
  const [written, key] = /^\[([^\]]*)\]=/.exec(first.value) ?? [];
  if (written === undefined || key === undefined || !plainKey.test(key)) return undefined;
  const value = first.value.slice(written.length);
  if (value.startsWith("~")) return undefined;
  return { key, value: { text: template.text, pieces: [{ ...first, value }, ...rest] } };
}
