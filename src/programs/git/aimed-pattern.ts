import { isSecretName } from "../../effects/classify-path.ts";
import { matchesName } from "../match-pattern.ts";

/** What people mean when they write a pattern for closed files. */
const usual = [
  ".env",
  ".env.local",
  ".npmrc",
  ".netrc",
  ".git-credentials",
  "id_rsa",
  "id_ed25519",
  "key.pem",
  "server.key",
];

/**
 * Would the pattern find closed files and hardly anything else? `*.env` and `.e*` would, `*.ts` and `*` would not.
 * Nothing of them is shown in any case; who asks for them by name is told so.
 */
export function aimsAtClosed(pattern: string): boolean {
  if (pattern.length > longest) return true;
  const names = pattern.split("/").filter((name) => name !== "" && name !== "." && name !== "**");
  let above = "";
  return names.some((name) => {
    above += `/${sample(name)}`;
    return isSecretName(sample(name), above) || (isTelling(name) && usual.some((one) => meets(name, one)));
  });
}

/** No path is longer. */
const longest = 4_096;

function sample(name: string): string {
  return name.replaceAll(/\[[^\]]*\]|[*?]/g, "x");
}

function isTelling(name: string): boolean {
  return /[*?[]/.test(name) && name.replaceAll(/\[[^\]]*\]|[*?]/g, "").length > 1;
}

function meets(pattern: string, name: string): boolean {
  return matchesName(pattern.toLowerCase(), name);
}
