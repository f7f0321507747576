import { isSecretName } from "../../effects/classify-path.ts";
import { matchesName } from "../match-pattern.ts";

/** What people mean when they write a pattern for closed files. */
const usual = ".env .env.local .npmrc .netrc .git-credentials id_rsa id_ed25519 key.pem server.key".split(" ");

/** Would the pattern find closed files and hardly anything else? `*.env` and `.e*` would, `*.ts` and `*` would not. */
export function aimsAtClosed(pattern: string): boolean {
  if (pattern.length > 4_096) return true;
  let above = "";
  return pattern.split("/").some((name) => {
    if (name === "" || name === "." || name === "**") return false;
    const sample = name.replaceAll(/\[[^\]]*\]|[*?]/g, "x");
    above += `/${sample}`;
    const isTelling = /[*?[]/.test(name) && name.replaceAll(/\[[^\]]*\]|[*?]/g, "").length > 1;
    return isSecretName(sample, above) || (isTelling && usual.some((one) => matchesName(name.toLowerCase(), one)));
  });
}
