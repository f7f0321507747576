/**
 * What a file under this folded name may be a copy of, and still hold: editors, tools and people keep one beside the
 * file under nearly its name. Only for names that are closed; whether one of these is decides whoever asks.
 */
export function copiedNames(folded: string): readonly string[] {
  if (!sign.test(folded)) return none;
  const found: string[] = [];
  for (let name = withoutFront(folded), round = 0; round < mostMarks; round += 1) {
    if (name !== folded) found.push(name, ...unhidden(name, folded));
    const inner = name.replace(markInside, "$1$2");
    if (inner !== name) found.push(inner);
    const next = name.replace(markBehind, "");
    if (next === name || next === "") break;
    name = next;
  }
  return found;
}

const none: readonly string[] = [];
const mostMarks = 6;

/** `server.key.bak2`, `secrets.yml_old`, `.env copy`; what is packed can be read as it is. */
const words =
  "bak|back|bck|backup|old|orig|original|prev|previous|copy|save|saved|tmp|temp|new|rej|lock|part|dpkg-old|dpkg-new|dpkg-dist|rpmsave|rpmnew|ucf-old|ucf-dist|gz|bz2|xz|zst|zip";

const sign = new RegExp(`[~%+.)]$|,v$|\\.~|^(?:copy|backup|~|\\.#)|%|[ ._-]\\(?(?:${words}|sw[a-p]|un|\\d)`);

const markBehind = new RegExp(
  `(?:[~%+.]|,v| ?\\(\\d{1,4}\\)|\\.~\\d{1,4}~?|\\.sw[a-p]|\\.un|[ ._-](?:\\(copy\\)|(?:${words})[ ._-]?\\d{0,8}|\\d[\\d._-]{0,20}))$`,
);

/** Before the ending, as file managers do: `secrets copy 2.yml`, `secrets (1).json`, `credentials-old.json`. */
const markInside =
  /^(.+?)(?: copy(?: \d{1,4})?| ?\((?:copy|\d{1,4})\)| \d{1,4}|[ ._-](?:bak|backup|old|orig|copy)\d{0,4})(\.[a-z0-9]+)$/;

/** `copy of x`, `~x`, and the whole path that vim writes in one directory for all: `%home%ann%app%.env.swp`. */
function withoutFront(name: string): string {
  const last = name.lastIndexOf("%", name.length - 2) + 1;
  return name.slice(last).replace(/^(?:(?:copy|backup)[ _]of[ _]|~\$?|\.#)/, "");
}

/** Vim hides what it keeps: `.server.key.swp` is of `server.key`, and `.npmrc.swp` of `.npmrc`. */
function unhidden(name: string, copy: string): readonly string[] {
  return name.startsWith(".") && /\.(?:sw[a-p]|un)(?:$|[~.])/.test(copy) ? [name.slice(1)] : none;
}
