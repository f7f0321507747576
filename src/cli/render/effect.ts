import { type Effect, isFileEffect } from "../../contract/effect.ts";

export function effectText(effect: Effect): string {
  if (isFileEffect(effect)) {
    const { written, resolved } = effect.path;
    const tree = effect.scope === "tree" ? " and below" : "";
    return `${effect.op} ${resolved}${tree}${written === resolved ? "" : ` (written ${written})`}`;
  }
  switch (effect.op) {
    case "exec":
      return `run ${effect.argv.length > 0 ? effect.argv.join(" ") : effect.program}`;
    case "connect":
      return `connect to ${effect.host}${effect.port === undefined ? "" : `:${effect.port}`}`;
    case "call":
      return `call ${effect.tool} of ${effect.server}`;
    case "delegate":
      return `delegate to ${effect.profile}`;
    case "session":
      return `session ${effect.what}`;
    case "unknown":
      return `unknown: ${effect.why}`;
  }
}
