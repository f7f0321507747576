/** No name in a directory is longer, so neither is a pattern that somebody means. */
const longest = 1_024;

/**
 * At least what the shell matches. What stands between brackets may be a set or, where a quote stood, itself: it
 * counts as anything, and so does a pattern that is too long. Outside ASCII the locale says how many characters a
 * letter is. Each star is tried from its last place only, so the time is bounded by pattern times name.
 */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern.length > longest) return true;
  const counted = /^[\0-\x7f]*$/.test(name) ? pattern : pattern.replaceAll("?", "*");
  const signs = counted.replace(/\[.*\]/s, "*").replace(/\*+/g, "*");
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < name.length; ) {
    const sign = signs[at];
    if (sign === "*") {
      star = at;
      resume = index;
      at += 1;
    } else if (sign === "?" || sign === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return at === signs.length || (at === signs.length - 1 && signs[at] === "*");
}
