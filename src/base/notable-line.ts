import { plainText } from "./text.ts";

export type Notability = "failure" | "mention";

export function notability(line: string): Notability | undefined {
  const text = plainText(line);
  if (passed.test(text)) return undefined;
  const counted = text.replace(nothingFailed, "");
  if (failure.test(counted)) return "failure";
  return mention.test(counted) ? "mention" : undefined;
}

/** For bytes read as Latin-1. A new expression each time, because `lastIndex` is state. */
export function notableHint(kind: Notability): RegExp {
  return kind === "failure" ? new RegExp(failureHint, "g") : new RegExp(mention.source, "gi");
}

const passed = /^\s*(?:[✓✔√]|ok\b|PASS\b|--- PASS|\[PASS|test .* \.\.\. ok$)/;
const nothingFailed =
  /\b(?:0|no|zero|without)\s+(?:errors?|fail(?:ed|ing|ures?)?|exceptions?)\b|\b(?:errors?|fail(?:ed|ing|ures?)?)\s*[:=]?\s*0\b/gi;

const failure = new RegExp(
  [
    "^\\s*(?:FAIL(?:ED|URES?)?\\b|--- FAIL|not ok\\b|[✗✘✖×❌●]\\s|E {2,}\\S|\\[?(?:ERROR|FATAL)\\b)",
    "^\\s*(?:Expected|Received|expected|actual|got|want|left|right)\\s*:",
    "^\\s*(?:Caused by:|Traceback \\(most recent)",
    "(?:Error|Exception)(?: \\[\\w+\\])?:\\s",
    "\\berror(?:\\[\\w+\\]|\\s+[A-Z]{1,6}\\d+)?:\\s",
    "\\b(?:FAILED|FAILURE)\\b",
    "\\bpanicked at\\b|\\bpanic:",
    "\\bassert(?:ion)?\\b.{0,100}\\bfailed\\b",
    "\\b[1-9]\\d*\\s+(?:tests?\\s+)?(?:failed|failing|failures?|errors?)\\b",
    "Segmentation fault|core dumped|undefined reference|Unhandled|Out of memory",
    "command not found|No such file or directory|Permission denied|Cannot find (?:module|package)|npm (?:ERR!|error)",
  ].join("|"),
);

const mention = /error|fail|exception|fatal|panic|\bkilled\b|\bdenied\b|\bunable to\b|\bcannot\b/i;

// Runs over a whole block at a time, so every repetition has a bound. Colours may stand between any two words;
// the marks are ✖ ✗ ✘ ● × ❌ as UTF-8 bytes.
const colour = "(?:\\u001b\\[[0-9;]{0,16}m){0,4}";
const failureHint = [
  "FAIL|not ok|Error|Exception|ERROR|FATAL|Expected|Received|Caused by|Traceback|panic|ssert|E {3}",
  "error(?:[[:\\u001b]| [A-Z]{1,6}\\d)|(?:expected|actual|got|want|left|right):",
  `[1-9]\\d{0,8}${colour} ${colour}(?:tests? )?(?:failed|failing|failure|error)`,
  "Segmentation|dumped|undefined ref|Unhandled|Out of mem|not found|No such file|Permission denied|Cannot find|npm (?:err|ERR)",
  "\\u00e2\\u009c[\\u0096-\\u0098]|\\u00e2\\u0097\\u008f|\\u00c3\\u0097|\\u00e2\\u009d\\u008c",
].join("|");
