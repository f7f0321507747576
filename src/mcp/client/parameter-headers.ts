import type { JsonSchema } from "../../contract/tool-facts.ts";

const declaration = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Whether a tool names its header parameters as the 2026-07-28 revision wants it: on properties that every call
 * reaches by name, of a plain type, each name a valid header and none twice. Any other tool must not be offered.
 */
export function hasValidParameterHeaders(schema: JsonSchema): boolean {
  const names = new Set<string>();

  const fits = (node: unknown, place: "root" | "property" | "elsewhere", depth: number): boolean => {
    if (typeof node !== "object" || node === null) return true;
    if (depth > 200) return false;
    if (Array.isArray(node)) return node.every((entry) => fits(entry, "elsewhere", depth + 1));
    const entries = new Map<string, unknown>(Object.entries(node));
    if (entries.has(declaration)) {
      const name = entries.get(declaration);
      if (place !== "property" || typeof name !== "string" || !token.test(name)) return false;
      if (!["string", "integer", "boolean"].includes(String(entries.get("type")))) return false;
      if (names.has(name.toLowerCase())) return false;
      names.add(name.toLowerCase());
    }
    for (const [key, value] of entries) {
      if (key === declaration || key === "default" || key === "enum" || key === "const" || key === "examples") continue;
      if (key !== "properties") {
        if (!fits(value, "elsewhere", depth + 1)) return false;
        continue;
      }
      const inner = place === "elsewhere" ? "elsewhere" : "property";
      for (const property of Object.values(value ?? {})) if (!fits(property, inner, depth + 1)) return false;
    }
    return true;
  };

  return fits(schema, "root", 0);
}
