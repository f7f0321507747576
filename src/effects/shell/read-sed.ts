/**
 * The sed scripts that only select, delete or substitute. A script may also run commands (`e`, `s///e`) and
 * write files (`w`, `s///w`), so anything outside this small grammar is refused. Inside brackets sed does not
 * see separators, so brackets may hold none.
 */
export function isPlainSedScript(script: string): boolean {
  return script.split(/;|\n/).every((command) => {
    const trimmed = command.trim();
    return trimmed === "" || plainCommand.test(trimmed);
  });
}

/** `10,20p` and the like: the lines it selects. */
export function selectedLines(script: string): { readonly from: number; readonly to: number } | undefined {
  const found = /^(\d+)(?:,(\d+))?p$/.exec(script.trim());
  if (found === null) return undefined;
  const from = Number(found[1]);
  const to = Number(found[2] ?? found[1]);
  return from >= 1 && to >= from ? { from, to } : undefined;
}

const escaped = String.raw`\\[./*$^&()+?{}[\]|<>nwWsSbB0-9-]`;
const bracket = String.raw`\[\^?[^\][\\/|,#@;\n:.=]+\]`;
const address = String.raw`(?:\d+|\$|/(?:[^/\\[\n]|${escaped}|${bracket})+/)`;
const range = `(?:${address}(?:,(?:${address}|[+~]\\d+))? ?!?)?`;
const substitutions = ["/", "|", ",", "#", "@"].map((separator) => {
  const own = separator === "|" ? "\\|" : separator;
  const pattern = `(?:[^${own}\\\\[\\n]|${escaped}|${bracket})*`;
  const replacement = `(?:[^${own}\\\\\\n]|${escaped})*`;
  return `s${own}${pattern}${own}${replacement}${own}[gpIi0-9]*`;
});
const plainCommand = new RegExp(`^${range} ?(?:[pdq=]|${substitutions.join("|")})$`);
