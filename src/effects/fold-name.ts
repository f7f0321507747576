/**
 * One spelling for all the names that some file system or eye takes for the same: letter case, Unicode
 * compatibility forms, and characters that are not seen. For comparing protected names only; no path is ever
 * opened by its folded form.
 */
export function foldName(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  return name.replace(unseen, "").normalize("NFKC").toLowerCase().normalize("NFKC");
}

const plain = /^[\x20-\x7e]*$/;
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
