import { existsSync } from "node:fs";
import path from "node:path";
import { claims } from "./claims.ts";

/** A claim whose test does not exist is not a claim. */
export function claimsPage(root: string): string {
  const sections = Object.entries(claims).map(([title, rows]) => {
    const lines = rows.map(({ claim, by, tests }) => {
      const missing = tests.filter((file) => !existsSync(path.join(root, file)));
      if (missing.length > 0 || tests.length === 0) throw new Error(`"${claim}" names no test: ${missing.join(", ")}`);
      return `| ${claim} | ${by} | ${tests.map((file) => `\`${file}\``).join(", ")} |`;
    });
    return [`## ${title}`, ["| Claim | Enforced by | Shown by |", "|---|---|---|", ...lines].join("\n")].join("\n\n");
  });
  return `${[
    "# Claims",
    "<!-- Made by `npm run docs` from scripts/docs/claims.ts. Do not edit. -->",
    "What [security](../security.md) promises, and the tests that show it.",
    ...sections,
  ].join("\n\n")}\n`;
}
