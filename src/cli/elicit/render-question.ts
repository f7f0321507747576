import type { Elicitation } from "../../contract/server/server.ts";
import { below, labeller, lines, type Shown, say } from "../render/shown.ts";
import type { View } from "../render/wrap.ts";

/** Who asks, in whose words, and where an address leads. What a server says is never our own voice. */
export function renderQuestion({ server, message, ask }: Elicitation, { paint, wrap, fold }: View): Shown {
  const label = labeller(paint);
  const title =
    ask.mode === "form"
      ? `The server ${server} wants to know something.`
      : `The server ${server} wants you to open a page.`;
  return lines([
    say``,
    say`${paint("warning", "?")} ${paint("strong", title)}`,
    ...below(label("it says"), message).map(wrap),
    ...(ask.mode === "form"
      ? [wrap(say`${label("note")}what you type goes to this server: no passwords, no keys`)]
      : [
          wrap(
            say`${label("leads to")}${paint("strong", hostOf(ask.url))}${isOpen(ask.url) ? ", and is not encrypted" : ""}`,
          ),
          fold(say`${label("address")}${ask.url}`),
        ]),
  ]);
}

/** As it is really looked up: letters that only look like others show. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "nowhere that can be told";
}

function isOpen(url: string): boolean {
  return !url.startsWith("https:");
}
