import type { Verdict } from "../../../src/contract/verdict.ts";

/** What speaks about one call, `rm -rf node_modules`, or `cat package.json` where `reads` is set. */
export interface Voices {
  readonly reads?: true;
  readonly rule?: readonly ("deny" | "ask" | "allow")[];
  readonly hook?: "deny" | "ask" | "allow";
  readonly unconfined?: true;
  readonly classifier?: "deny" | "ask" | "allow";
  /** The hook that stands in for a person. */
  readonly standIn?: "deny" | "ask" | "allow";
}

/**
 * Beside the characters of `legend.ts`: h H denied or allowed by a hook, i asked because of one, c C denied or
 * allowed by the classifier.
 */
export const voiceSymbols: Readonly<Record<string, Pick<Verdict, "decision" | "source" | "code" | "firm">>> = {
  h: { decision: "deny", source: "hook", code: "hook_denied", firm: false },
  H: { decision: "allow", source: "hook", firm: false },
  i: { decision: "ask", source: "hook", firm: true },
  c: { decision: "deny", source: "classifier", code: "policy_denied", firm: false },
  C: { decision: "allow", source: "classifier", firm: false },
};

/**
 * Each step decides although everything behind it says the opposite. `heard` names who was asked on the way, mode
 * by mode: h the hook, c the classifier, s the stand-in for a person.
 */
export interface OrderLine {
  readonly step: string;
  readonly voices: Voices;
  readonly verdicts: string;
  readonly heard: readonly [string, string, string, string, string, string];
}

const inEveryMode = (heard: string) => [heard, heard, heard, heard, heard, heard] as const;

export const order: readonly OrderLine[] = [
  {
    step: "1 a deny rule, before everything that would allow",
    voices: { rule: ["allow", "deny"], hook: "allow", classifier: "allow", standIn: "allow" },
    verdicts: "DDDDDD",
    heard: inEveryMode(""),
  },
  {
    step: "2 a hook denies, before plan mode, rules that ask and rules that allow",
    voices: { rule: ["ask", "allow"], hook: "deny", classifier: "allow", standIn: "allow" },
    verdicts: "hhhhhh",
    heard: inEveryMode("h"),
  },
  {
    step: "3 plan mode, before rules that ask; 4 those, before rules that allow and all that settle asks",
    voices: { rule: ["allow", "ask"], hook: "allow", classifier: "allow", standIn: "allow" },
    verdicts: "QQpMQQ",
    heard: ["hs", "hs", "h", "h", "hs", "hs"],
  },
  {
    step: "4 a hook asks: no rule, mode or classifier lifts it",
    voices: { rule: ["allow"], hook: "ask", classifier: "allow", standIn: "allow" },
    verdicts: "iipNii",
    heard: ["hs", "hs", "h", "h", "hs", "hs"],
  },
  {
    step: "4 the stand-in may still refuse what nothing lifts",
    voices: { rule: ["ask"], standIn: "deny" },
    verdicts: "hhpMhh",
    heard: ["hs", "hs", "h", "h", "hs", "hs"],
  },
  {
    step: "5 an allow rule, before risk and mode",
    voices: { rule: ["allow"], unconfined: true, classifier: "deny", standIn: "deny" },
    verdicts: "AApAAA",
    heard: inEveryMode("h"),
  },
  {
    step: "6 risk and mode deny, before hooks and classifiers that allow",
    voices: { unconfined: true, hook: "allow", classifier: "allow", standIn: "allow" },
    verdicts: "ddpddd",
    heard: inEveryMode("h"),
  },
  {
    step: "6 risk and mode allow, and nobody else is asked",
    voices: { reads: true, hook: "allow", classifier: "deny", standIn: "deny" },
    verdicts: "++++++",
    heard: inEveryMode("h"),
  },
  {
    step: "7 a hook settles what risk and mode ask, before the classifier",
    voices: { hook: "allow", classifier: "deny", standIn: "deny" },
    verdicts: "HHpHHH",
    heard: inEveryMode("h"),
  },
  {
    step: "7 the classifier allows, before the stand-in",
    voices: { classifier: "allow", standIn: "deny" },
    verdicts: "CCpCCC",
    heard: ["hc", "hc", "h", "hc", "hc", "hc"],
  },
  {
    step: "7 the classifier denies, before bypass",
    voices: { classifier: "deny", standIn: "allow" },
    verdicts: "ccpccc",
    heard: ["hc", "hc", "h", "hc", "hc", "hc"],
  },
  {
    step: "8 bypass allows, dontAsk denies; elsewhere the stand-in is heard",
    voices: { classifier: "ask", standIn: "allow" },
    verdicts: "HHpn+H",
    heard: ["hcs", "hcs", "h", "hc", "hc", "hcs"],
  },
  {
    step: "8 the stand-in refuses",
    voices: { standIn: "deny" },
    verdicts: "hhpn+h",
    heard: ["hcs", "hcs", "h", "hc", "hc", "hcs"],
  },
  {
    step: "8 nobody decided: a person is asked",
    voices: {},
    verdicts: "??pn+?",
    heard: ["hcs", "hcs", "h", "hc", "hc", "hcs"],
  },
];
