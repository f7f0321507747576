import { isSecretName } from "../../classify-path.ts";

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
  const names = pattern.split("/").filter((name) => name !== "" && name !== "." && name !== "**");
  return names.some((name, index) => {
    const above = names.slice(0, index).map(sample);
    return (
      isSecretName(sample(name), `/${[...above, sample(name)].join("/")}`) ||
      (isTelling(name) && usual.some(matcher(name)))
    );
  });
}

function sample(name: string): string {
  return name.replaceAll(/\[[^\]]*\]|[*?]/g, "x");
}

function isTelling(name: string): boolean {
  return /[*?[]/.test(name) && name.replaceAll(/\[[^\]]*\]|[*?]/g, "").length > 1;
}

function matcher(name: string): (candidate: string) => boolean {
  const source = name
    .replaceAll(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  try {
    const pattern = new RegExp(`^${source}$`, "is");
    return (candidate) => pattern.test(candidate);
  } catch {
    return () => true;
  }
}
