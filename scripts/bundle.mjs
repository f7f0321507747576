import { writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";

/**
 * Bundles the entries into `outDir`. Dynamic imports stay files of their own, so that a command loads only
 * what it needs. A feature that is off takes the modules behind its guard with it. With `scripts`, the result is CommonJS that `bin/load-program.cjs` loads; `apart` names the modules
 * that stay modules, with the place to import them from. `derived` holds values by tool name that are added to its
 * definition. Returns what was written, and from which sources.
 */
export async function bundle({ entries, outDir, features, scripts = false, apart = {}, derived = {} }) {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: entries,
    platform: "node",
    preserveEntrySignatures: scripts ? "allow-extension" : "exports-only",
    plugins: [withDerived(derived)],
    external: [/^node:/, ...builtinModules, /^@vscode\/ripgrep/, "react-devtools-core", ...Object.keys(apart)],
    transform: {
      target: "node24",
      inject: { Headers: [path.join(import.meta.dirname, "plain-headers.mjs"), "Headers"] },
      define: {
        // What React and Ink bring for those who develop with them is left out, and so never asks for its tools.
        "process.env.NODE_ENV": '"production"',
        "process.env.DEV": '"false"',
        ...Object.fromEntries(Object.entries(features).map(([name, on]) => [`FEATURES.${name}`, String(on)])),
      },
    },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  try {
    const { output } = await build.write({
      dir: outDir,
      ...(scripts
        ? {
            format: "cjs",
            strict: true,
            entryFileNames: "[name].cjs",
            chunkFileNames: "[name]-[hash].cjs",
            paths: apart,
          }
        : { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" }),
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    const chunks = output.filter((file) => file.type === "chunk");
    for (const { fileName, code } of chunks) {
      // One wide character anywhere makes a whole source take two bytes a character for as long as the program runs.
      writeFileSync(path.join(outDir, fileName), asciiText(scripts ? plainRequires(code) : code));
    }
    if (scripts) writeFileSync(path.join(outDir, "import-module.mjs"), importModule);
    return chunks.map((chunk) => ({ fileName: chunk.fileName, modules: chunk.moduleIds }));
  } finally {
    await build.close();
  }
}

/** Only our own tools: another one with the same name is another tool. */
function withDerived(derived) {
  const tools = path.join(import.meta.dirname, "../src/tools/");
  const contract = path.join(import.meta.dirname, "../src/contract/tool.ts");
  const ownTools = "\0own-tools";
  return {
    name: "derived-schemas",
    resolveId: (source, importer) =>
      source.endsWith("/contract/tool.ts") && importer?.startsWith(tools) ? ownTools : undefined,
    load: (id) =>
      id !== ownTools
        ? undefined
        : `import { defineTool as define } from ${JSON.stringify(contract)};
           export * from ${JSON.stringify(contract)};
           const derived = ${JSON.stringify(derived)};
           export const defineTool = (definition) => define({ ...definition, ...derived[definition.name] });`,
  };
}

/**
 * Scripts that somebody else loads cannot import, so a module does it for them. And where copies of Node's modules would
 * be made, a function for every name that they have, the modules themselves will do.
 */
function plainRequires(code) {
  const imported = code.replace(/\bimport\(("[^"]+")\)/g, 'require("./import-module.mjs").importModule($1)');
  const left = /(?<![.\w$])import\(.{0,40}/.exec(imported);
  if (left !== null) throw new Error(`An import that a script cannot make: ${left[0]}`);
  return imported.replace(/^(node_\w+) = .*__toESM\(\1, 1\);$/gm, "$1 = { __proto__: $1, default: $1 };");
}

const importModule = "export const importModule = (name) => import(name);\n";

function asciiText(code) {
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
