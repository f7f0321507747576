import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Files that hold a token wherever they lie. Certificates are not among them: without them nothing can be verified. */
const secretNames = new Set(
  [
    ".env .git-credentials .netrc .npmrc .pypirc .yarnrc.yml _netrc auth.json auth.toml credentials credentials.json",
    "credentials.toml id_ed25519 id_rsa npmrc pip.conf",
  ].flatMap((line) => line.split(" ")),
);

/** Package managers keep their own settings near the top of an installation; what lies deeper came with a package. */
const maxDepth = 3;
const maxEntries = 2_000;
const onlyPackages = new Set(
  "bin doc docs include lib lib64 libexec node_modules share shims src test tests".split(" "),
);

/** What a toolchain keeps for its user and a command must not read. */
export function findToolchainSecrets(directories: readonly string[]): readonly string[] {
  const found: string[] = [];
  let left = maxEntries;
  let level = [...directories];
  for (let depth = 0; depth < maxDepth && left > 0; depth++) {
    const below: string[] = [];
    for (const directory of level) {
      const entries = entriesOf(directory).slice(0, Math.max(0, left));
      left -= entries.length;
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (entry.isDirectory() && !onlyPackages.has(entry.name)) below.push(path);
        else if (secretNames.has(entry.name)) found.push(path);
      }
    }
    level = below;
  }
  return found;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
