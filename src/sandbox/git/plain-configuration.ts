/** Unlisted keys are not known to be harmless. */
const harmless: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    core: "abbrev autocrlf bare compression eol filemode ignorecase logallrefupdates precomposeunicode preloadindex quotepath repositoryformatversion safecrlf sparsecheckout sparsecheckoutcone symlinks untrackedcache worktree",
    extensions: "noop objectformat partialclone refstorage worktreeconfig",
    remote: "fetch mirror partialclonefilter promisor prune push pushurl skipfetchall tagopt url",
    branch: "description merge pushremote rebase remote vscode-merge-base",
    submodule: "active branch url",
    user: "email name",
    // Without the required program git stops instead of recording unfiltered content.
    filter: "required",
    lfs: "access locksverify repositoryformatversion",
    fetch: "prune",
    gc: "auto",
    init: "defaultbranch",
    pull: "ff rebase",
    push: "autosetupremote default followtags",
  }).map(([section, keys]) => [section, new Set(keys.split(" "))]),
);

const header = /^[ \t]*\[([a-z0-9-]+)(?: "[^"\\\p{Cc}]*")?\][ \t]*$/iu;
/** Without quotes and backslashes a value ends with its line. */
const setting = /^[ \t]*([a-z][a-z0-9-]*)[ \t]*=[^"\\\p{Cc}]*$/iu;
const nothing = /^[ \t]*(?:[#;].*)?$/;

/** A line in a form that git itself does not write is dropped, so that the kept lines mean the same to git. */
export function plainConfiguration(text: string): { readonly kept: string; readonly whole: boolean } {
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  let keys: ReadonlySet<string> | undefined;
  let whole = true;
  for (const line of lines) {
    if (nothing.test(line)) continue;
    const section = header.exec(line)?.[1];
    if (section !== undefined) keys = harmless.get(section.toLowerCase());
    const isKept = section === undefined ? isHarmless(line, keys) : keys !== undefined;
    if (isKept) kept.push(`${line}\n`);
    else whole = false;
  }
  return { kept: kept.join(""), whole };
}

function isHarmless(line: string, keys: ReadonlySet<string> | undefined): boolean {
  const key = setting.exec(line)?.[1];
  return key !== undefined && keys?.has(key.toLowerCase()) === true;
}
