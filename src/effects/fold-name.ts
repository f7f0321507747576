/**
 * One spelling for all the names that some file system or eye takes for the same: letter case, Unicode
 * compatibility forms, and characters that are not seen; and for what an editor keeps beside a file under nearly its
 * name. For comparing protected names only; no path is ever opened by its folded form.
 */
export function foldName(name: string): string {
  const one = plain.test(name)
    ? name.toLowerCase()
    : name
        .replace(unseen, "")
        .normalize("NFKC")
        .toLowerCase()
        .normalize("NFKC")
        .replace(/\p{Cc}/gu, " ");
  const folded = one.trim();
  return kept.test(folded) ? original(folded) : folded;
}

/** `.env~`, `#.env#`, `server.key.bak`. */
const kept = /[~ #]$|\.(?:bak|orig|old)$/;

function original(folded: string): string {
  const beside = folded.replace(/(?<=.)(?:[~ ]|\.(?:bak|orig|old))+$/, "");
  return /^#.+#$/.test(beside) ? beside.slice(1, -1) : beside;
}

const plain = /^[\x20-\x7e]*$/;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
