import { builtinModules } from "node:module";
import path from "node:path";

/**
 * Bundles the entries into `outDir`. Dynamic imports stay files of their own, so that a command loads only
 * what it needs. A feature that is off takes the modules behind its guard with it.
 * Gives what was written, and out of which sources.
 */
export async function bundle({ entries, outDir, features }) {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: entries,
    platform: "node",
    external: [/^node:/, ...builtinModules, /^@vscode\/ripgrep/, "react-devtools-core"],
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
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      comments: { legal: true },
    });
    return output
      .filter((file) => file.type === "chunk")
      .map((chunk) => ({ fileName: chunk.fileName, modules: chunk.moduleIds }));
  } finally {
    await build.close();
  }
}
